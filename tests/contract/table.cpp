// The form of all capability tables.
#include "../models.hpp"
#include "tool/built_providers.hpp"
#include <algorithm>
#include <bit>
#include <contract/contract.hpp>
#include <set>
#include <sstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::vector<std::string> words(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> list;
    for (std::string word; in >> word;) list.push_back(word);
    return list;
}
// "Conv", "com.microsoft:Gelu", as the stock kernels have them.
std::set<std::string> known_operators() {
    std::set<std::string> names;
    const auto handles = tool::provider_handles(std::vector<provider_choice>{"cpu"});
    for (const entry& e : handles[0].kernels->entries)
        names.insert(e.domain.empty() ? std::string(e.name) : std::string(e.domain) + ":" + std::string(e.name));
    return names;
}
}  // namespace

TEST_CASE("The twenty providers have a contract each, under names of their own") {
    std::set<std::string_view> names;
    for (const provider_contract* c : provider_contracts()) {
        names.insert(c->name);
        CHECK(find_contract(c->name) == c);
        CHECK(find_contract(c->short_name) == c);
        CHECK(find_contract(std::string(c->name) + ":1") == c);
    }
    CHECK(names == std::set<std::string_view>{
                       "AclExecutionProvider",      "ArmNNExecutionProvider",    "AzureExecutionProvider",
                       "CANNExecutionProvider",     "CPUExecutionProvider",      "CUDAExecutionProvider",
                       "CoreMLExecutionProvider",   "DmlExecutionProvider",      "DnnlExecutionProvider",
                       "MIGraphXExecutionProvider", "NnapiExecutionProvider",    "NvTensorRTRTXExecutionProvider",
                       "OpenVINOExecutionProvider", "QNNExecutionProvider",      "ROCMExecutionProvider",
                       "RknpuExecutionProvider",    "TensorrtExecutionProvider", "TvmExecutionProvider",
                       "VitisAIExecutionProvider",  "XnnpackExecutionProvider"});
    CHECK(find_contract("azure") == find_contract("remote"));
    CHECK(find_contract("nowhere") == nullptr);
}
TEST_CASE("Each contract names its SDK, a version, its source, and a device that its costs are of") {
    for (const provider_contract* c : provider_contracts()) {
        CAPTURE(c->name);
        CHECK(!c->sdk.empty());
        CHECK(!c->versions.empty());
        CHECK(std::set<std::string_view>(c->versions.begin(), c->versions.end()).size() == c->versions.size());
        CHECK(!c->source.empty());
        CHECK(!c->costs.device.empty());
        for (const double rate : {c->costs.f32, c->costs.f16, c->costs.codes, c->costs.memory, c->costs.node})
            CHECK(rate > 0);
        CHECK((c->costs.link > 0) == (c->memory.space != "host"));
        CHECK(std::has_single_bit(unsigned(c->memory.alignment)));
    }
}
TEST_CASE(
    "A contract has the status and the check that the provider's type states, and so has what is planned with it") {
    for (const provider_contract* c : provider_contracts()) {
        CAPTURE(c->name);
        CHECK(c->checked_on != provider_check::unstated);
        const provider_factory f = contract_factory_of(*c, "why");
        CHECK(f.status == c->status);
        CHECK(f.checked_on == c->checked_on);
    }
    CHECK(find_contract("rocm")->status == provider_status::deprecated);
    CHECK(find_contract("tvm")->status == provider_status::community);
    CHECK(find_contract("cpu")->checked_on == provider_check::device);
    CHECK(find_contract("qnn")->checked_on == provider_check::simulator);
}
TEST_CASE("Every operator of a table is one of ONNX or of ONNX Runtime, in one row's spelling") {
    const std::set<std::string> operators = known_operators();
    for (const provider_contract* c : provider_contracts())
        for (const lowering::table_row& row : table_of(*c))
            for (const std::string& op : words(row.operators)) {
                CAPTURE(c->name, op);
                CHECK(operators.contains(op));
            }
}
TEST_CASE("No row of a table names an operator twice") {
    for (const provider_contract* c : provider_contracts())
        for (const lowering::table_row& row : table_of(*c)) {
            const auto names = words(row.operators);
            CAPTURE(c->name, row.operators);
            CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
        }
}
TEST_CASE("A table answers, or the provider's kernels or a server do") {
    for (const provider_contract* c : provider_contracts()) {
        CAPTURE(c->name);
        CHECK(table_of(*c).empty() == (!c->options || c->whole_models));
        for (const lowering::table_row& row : table_of(*c)) {
            CHECK((row.types.bits | row.quantized.bits) != 0);
            CHECK(row.least_rank <= row.most_rank);
        }
    }
}
TEST_CASE("Options begin with a value that they take") {
    for (const provider_contract* c : provider_contracts())
        if (c->options) {
            CAPTURE(c->name);
            const provider_factory f = contract_factory_of(*c, "why");
            CHECK(bool(f.make(f.defaults())));
        }
}
