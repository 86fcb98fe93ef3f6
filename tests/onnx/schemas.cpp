#include "models.hpp"
#include "onnx/schemas.hpp"
#include <onnx/defs/operator_sets.h>
#include <set>
#include <thread>

using namespace inlay;
using namespace inlay::testing;
using loading::find_schema;
using registry = onnx::OpSchemaRegistry;

TEST_CASE("Threads that ask for a schema at once get the same one", "[schemas][threads]") {
    std::vector<const onnx::OpSchema*> schemas(8 * 20);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (int k = 0; k < 20; ++k)
                    schemas[std::size_t(20 * t + k)] =
                        find_schema(std::string(loading::schema_makers[std::size_t(20 * k)].name), 8, "");
            });
    }
    CHECK(schemas[0]->Name() == "Abs");
    for (std::size_t k = 0; k < schemas.size(); ++k) CHECK(schemas[k] == schemas[k % 20]);
}

TEST_CASE("Loading makes no schemas but those of the model's operators", "[schemas]") {
    REQUIRE(registry::GetLoadedSchemaVersion() ==
            -1);  // the library's registry made none yet; so no test before this one may query it
    loaded(graph_of("(float[N,4] x) => (float[N,4] y) { a = Relu(x) b = HardSwish(a) c = LessOrEqual(b, x) y = "
                    "Where(c, a, x) }"),
           {});
    loaded(
        graph_of("(bool c, float[2] x) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] p) { p = Neg(x) }, "
                 "else_branch = e () => (float[2] q) { q = Softsign(x) }> }"));
    loaded(proto_of(
        "<ir_version: 10, opset_import: [\"\" : 17, \"local\" : 1]> g (float[2] x) => (float[2] y) { y = local.f(x) }\n"
        "<domain: \"local\", opset_import: [\"\" : 18]> f (a) => (b) { b = Celu(a) }"));
    loaded(
        proto_of("<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 2, \"other\" : 1]> g (float[2,4] x) => "
                 "(float[2,4] y) { n = ai.onnx.ml.Normalizer(x) y = other.Relu(n) }"));
    CHECK(
        contains(refused(graph_of("(float[2] x) => (float[2] y) { y = Nothing(x) }")).text, "no operator of opset 17"));
    CHECK(contains(refused(graph_of("(float[2] x) => (float[2] y) { y = Gelu(x) }")).text,
                   "its newest version is of opset 20"));
    CHECK(registry::GetLoadedSchemaVersion() == -1);
}

TEST_CASE("Every schema of the onnx library's registry is found, for each opset as there, and no other", "[schemas]") {
    const auto schemas = registry::get_all_schemas_with_history();
    REQUIRE(schemas.size() > 600);
    CHECK(loading::schema_makers.size() == schemas.size());
    std::set<std::string> domains{"other"};
    for (const onnx::OpSchema& s : schemas) domains.insert(s.domain());
    int differ = 0;
    for (const onnx::OpSchema& s : schemas) {
        for (const std::string& domain : domains)
            for (const int opset : {s.since_version() - 1, s.since_version(), s.since_version() + 1, INT_MAX}) {
                // Before its first version an operator of older files is taken as that version, and so is one that
                // the loader writes.
                const int meant = std::max(
                    {opset, loading::first_version(s.Name(), domain), loading::written_version(s.Name(), domain)});
                const auto *ours = find_schema(s.Name(), opset, domain),
                           *theirs = registry::Schema(s.Name(), meant, domain);
                if (!ours != !theirs)
                    ++differ;
                else if (ours)
                    differ +=
                        ours->Name() != theirs->Name() || ours->domain() != domain ||
                        ours->since_version() != theirs->since_version() || ours->min_input() != theirs->min_input() ||
                        ours->max_output() != theirs->max_output() ||
                        ours->inputs().size() != theirs->inputs().size() ||
                        ours->attributes().size() != theirs->attributes().size() ||
                        (!ours->inputs().empty() && ours->inputs()[0].GetTypes() != theirs->inputs()[0].GetTypes()) ||
                        ours->HasFunction() != theirs->HasFunction();
            }
    }
    CHECK(differ == 0);
    CHECK(find_schema("Nothing", INT_MAX, "") == nullptr);
    CHECK(find_schema("", INT_MAX, "") == nullptr);
}
