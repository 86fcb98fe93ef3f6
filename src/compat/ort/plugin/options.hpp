// What a user may set of the provider: the options of Inlay's CPU, and which nodes it takes.
#pragma once
#include <inlay/provider/cpu.hpp>

namespace inlay::ep {
struct options {
    int threads = 0;
    std::optional<inlay::isa::level> isa{};
    bool flush_denormals = false;
    inlay::precision precision = inlay::precision::standard;
    bool all_nodes = false;  // those too for which ONNX Runtime has the faster kernels: slower.hpp

    static constexpr std::string_view name = "InlayExecutionProvider";
    cpu provider() const { return {threads, isa, flush_denormals, precision}; }
};
}  // namespace inlay::ep
BOOST_HANA_ADAPT_STRUCT(inlay::ep::options, threads, isa, flush_denormals, precision, all_nodes);
