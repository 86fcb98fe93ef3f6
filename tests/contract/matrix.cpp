// Twenty providers and twenty models: how many nodes each claims, by its capability table, on any machine.
#include "../models.hpp"
#include "small_models.hpp"
#include "tool/built_providers.hpp"
#include <algorithm>
#include <contract/contract.hpp>
#include <map>
#include <sstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct column {
    const provider_contract* contract;
    std::vector<provider_choice> list;
};
std::vector<column> columns() {
    std::vector<column> list;
    for (const provider_contract* c : provider_contracts()) {
        column entry{c, {provider_choice(std::string(c->name))}};
        if (c->name != cpu::name) entry.list.emplace_back("cpu");
        list.push_back(std::move(entry));
    }
    std::ranges::sort(list, {}, [](const column& c) { return c.contract->short_name; });
    return list;
}
plan_report plan_of(const column& c, const model& m) {
    session_options o;
    o.plan_only = true;
    o.log = [](severity, std::string_view) {};
    plan_report r = any_session(m, c.list, o, tool::contract_factories()).plan();
    std::vector<shape> shapes;
    for (const auto& [name, dims] : r.inputs) shapes.push_back(dims);
    CHECK(predict(r, m, shapes) > 0);
    return r;
}
// Each node has a provider, each refusal a reason, each step a time.
void check_plan(const plan_report& r, const provider_contract& c) {
    for (const plan_report::line& l : r.nodes) {
        CAPTURE(l.op);
        CHECK(!l.provider.empty());
        if (l.provider != cpu::name || c.name == cpu::name) continue;
        const auto answer = std::ranges::find(l.answers, c.name, &plan_report::answer::provider);
        REQUIRE(answer != l.answers.end());
        CHECK(answer->text.size() > 10);
    }
    for (const plan_report::step& s : r.schedule)  // the session runs control flow itself
        CHECK((s.predicted > 0) == !s.provider.starts_with("("));
}
// Nodes that the provider takes, of those that are not known before the run. Fused nodes are the nodes they stand for.
constexpr std::string_view expected = R"(
#  acl armnn cann coreml cpu cuda dml migraphx nnapi nv_tensorrt_rtx onednn openvino qnn remote rknpu rocm tensorrt tvm vitisai
#  xnnpack
mlp 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 4
image 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 4
image_any_batch 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 0 2
image_float16 0 0 3 3 3 2 3 3 0 3 0 3 2 3 0 3 3 0 0 0
image_uint8 3 3 3 3 9 3 9 10 9 4 9 10 9 9 10 10 4 3 0 9
image_int8 3 3 3 3 9 3 9 10 9 10 9 10 9 9 10 10 10 3 0 9
separable 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 4
residual 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 0 5
squeeze_excite 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 4
attention 8 6 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 0 4
waves 1 1 1 3 3 3 3 3 1 2 3 3 1 3 1 3 2 1 0 1
volumes 1 0 2 3 3 1 3 3 0 3 3 3 0 3 1 3 3 1 0 1
decoder 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 0 2
recurrent 0 0 1 0 1 1 1 1 0 1 0 1 1 1 0 0 1 0 0 0
embedding 1 1 2 2 2 2 2 2 1 2 1 2 1 2 1 2 2 2 0 0
branches 1 1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 0 1
doubles 0 0 0 0 3 0 0 3 0 0 0 3 0 3 0 3 0 0 0 0
best 1 1 2 1 2 2 2 2 1 2 1 2 1 2 1 2 2 1 0 1
moves 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 0 2
functions 2 3 6 6 6 6 6 6 4 6 2 6 4 6 4 5 6 3 0 2
)";
}  // namespace

TEST_CASE("Each of the twenty contracts partitions each of twenty models as it is known to") {
    const std::vector<column> table = columns();
    const std::vector<small_model> models = small_models();
    std::ostringstream actual;
    actual << '\n';
    for (std::size_t k = 0; k < table.size(); ++k)
        actual << (k == 0 ? "#  " : k == 19 ? "\n#  " : " ") << table[k].contract->short_name;
    actual << '\n';
    for (const small_model& s : models) {
        const model m = model_of(s.text);
        actual << s.name;
        for (const column& c : table) {
            CAPTURE(s.name, c.contract->name);
            const plan_report r = plan_of(c, m);
            check_plan(r, *c.contract);
            actual << ' ' << r.count(c.contract->name);
        }
        actual << '\n';
    }
    CHECK(table.size() == 20);
    CHECK(models.size() == 20);
    INFO(actual.str());
    CHECK(actual.str() == expected);
}
