// The model suite on a GPU that is only described: which provider takes which node. $INLAY_ZOO: a folder of
// MODEL/model.onnx.
#include "../../models.hpp"
#include "../../skip.hpp"
#include "engine/erased_providers.hpp"
#include "engine/specialise.hpp"
#include <inlay/plan/plan.hpp>
#include <inlay/provider/cuda.hpp>
#include <cstdlib>
#include <filesystem>
using namespace inlay;
using namespace inlay::testing;

namespace {
// The nodes that CUDA leaves to others, with its reason; symbolic dimensions are one.
std::vector<std::string> left_by_cuda(const model& m, int& transfers) {
    std::vector<shape> shapes;
    for (const auto& in : m.inputs()) {
        shapes.push_back(in.shape);
        for (int i = 0; i < in.shape.rank; ++i)
            if (in.shape[i] < 0) shapes.back()[i] = 1;
    }
    const specialised s =
        specialise(m.graph(), m.view(), shapes, [](const node& n) { return find_entry(reference_kernels(), n); });
    const graph_view& g = s.graph.view;
    const std::vector<provider_handle> handles{make_handle(cuda{}), make_handle(cpu{})};
    const fallback policy;
    const erased_providers list(handles, policy, {});
    const plan p = make_plan(g, list, 1);
    transfers = p.transfers;
    std::vector<std::string> left;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (p.assigned.owners[i] != 0 && p.assigned.owners[i] != owner::folded)
            left.push_back(describe_node(g.nodes[i]) + ": " +
                           std::string(p.assigned.verdicts[i * handles.size()].reason));
    return left;
}
bool is_integer(const model& m) {  // quantised: CUDA has none of these operators
    return std::ranges::any_of(m.view().nodes, [](const node& n) {
        return has_text(n.op, "QuantizeLinear") || has_text(n.op, "QLinear") || has_text(n.op, "Integer");
    });
}
}  // namespace

TEST_CASE("CUDA takes every node of every float model of the model suite, with one copy per input and output",
          "[cuda][zoo]") {
    const char* const folder = std::getenv("INLAY_ZOO");
    if (!folder) SKIP("INLAY_ZOO names no folder of models");
    int models = 0;
    for (const auto& at : std::filesystem::directory_iterator(folder)) {
        if (!std::filesystem::exists(at.path() / "model.onnx")) continue;
        CAPTURE(at.path().filename().string());
        const model m(at.path() / "model.onnx");
        if (is_integer(m)) continue;
        ++models;
        int transfers = 0;
        CHECK(left_by_cuda(m, transfers) == std::vector<std::string>{});
        CHECK(transfers <= int(m.inputs().size() + m.outputs().size()));
    }
    CHECK(models > 0);
}
