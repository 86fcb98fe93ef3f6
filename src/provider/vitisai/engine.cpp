// Regions as graphs of XIR, by way of the module. Which nodes are computed on codes is looked at here.
#include <inlay/provider/vitisai.hpp>
#include <provider/coded_graph.hpp>
#include <provider/engine_module.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Of UG1414's operators of DPUs those that are written here.
constexpr std::string_view on_codes[] = {
    "Add",  "AveragePool",       "Clip",        "Concat",    "Conv",      "ConvTranspose", "Flatten",
    "Gemm", "GlobalAveragePool", "HardSigmoid", "HardSwish", "LeakyRelu", "MaxPool",       "Mul",
    "Pad",  "ReduceMax",         "ReduceMean",  "Relu",      "Reshape",   "Resize",        "Transpose"};
constexpr std::string_view moving[] = {"Flatten", "MaxPool", "Pad", "ReduceMax", "Reshape", "Transpose"};

class vitisai_engine final : public module_engine {
    bool takes_floats_;

  public:
    vitisai_engine(std::shared_ptr<const engine_module> m, bool takes_floats)
        : module_engine(std::move(m)), takes_floats_(takes_floats) {}
    void propose(const free_nodes& free, proposals& out) override {
        const coded_graph graph(free.graph, free.nodes, free.constants, {on_codes, moving});
        const coded_borders borders{takes_floats_, "a DPU gets and gives codes: the host encodes and decodes them"};
        propose_with_codes(free, graph, out, borders, [&](std::span<const int> nodes) -> std::string {
            if (!takes_floats_ && nodes.size() == 1)
                return "a DPU computes with codes of 8 bits: it is not between DequantizeLinear and QuantizeLinear of "
                       "them, or not an operator that it has on them";
            return refusal(free, nodes);
        });
    }
};
}  // namespace

result<std::shared_ptr<engine>> vitisai::open() const {
    static const opened_module<vitisai> module({.library = "Vitis AI",
                                                .module = "inlay_vitisai_module",
                                                .variable = "INLAY_VITISAI_LIBRARY",
                                                .folder = INLAY_VITISAI_FOLDER,
                                                .build = INLAY_VITISAI_BUILD});
    return module.engine_for<vitisai_engine>(*this, mode == vitisai_mode::ref);
}
}  // namespace v1
}  // namespace inlay
