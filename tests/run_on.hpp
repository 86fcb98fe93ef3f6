// Runs one operator on one device, for tests: the shape rule, supports, prepare, bind and run, as a session would.
#pragma once
#include "elements.hpp"
#include <inlay/provider/reference.hpp>  // the stock operators' rows come compiled
#include <inlay/sdk/catalogue.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <functional>

namespace inlay::testing {
struct operand {  // an input: a tensor, absent, or a constant that bind() and shape rules may read
    tensor value{};
    bool constant = false;
    operand() = default;
    operand(tensor t) : value(std::move(t)) {}
    static operand weight(tensor t) {
        operand o(std::move(t));
        o.constant = true;
        return o;
    }
};
using attributes = std::function<std::vector<attribute>(
    graph_data&)>;  // e.g. [](auto& g) { return std::vector{g.make("axis", std::int64_t(1))}; }
// The instruction sets that tests run on the CPU: all that the machine has. Their own code is sanitized in no build:
// under the address sanitizer the lowest and the best show what calls it.
inline std::vector<isa::level> tested_levels() {
    std::vector<isa::level> levels;
    for (isa::level l : isa::linked)
        if (isa::available(l)) levels.push_back(l);
#ifdef __SANITIZE_ADDRESS__
    if (levels.size() > 2) levels.erase(levels.begin() + 1, levels.end() - 1);
#endif
    return levels;
}
struct call {
    std::vector<operand> inputs;
    attributes with = [](graph_data&) { return std::vector<attribute>{}; };
    int version = 0;                 // 0: the newest
    std::vector<element> outputs{};  // element types; empty: one output of input 0's type
    isa::level level = *isa::choose(std::nullopt);
    layout in = layout::plain;  // of every input that has a choice, if the kernel takes any
    int threads = 1;
    bool slices =
        false;  // every argument that may be a slice is one, with some elements before and after it in each pixel
    inlay::precision precision = precision::standard;
};
struct outcome {
    status code = status::ok;
    verdict answer = yes();  // of shapes() or supports()
    std::string detail{};
    std::vector<tensor> outputs{};
    int slices = 0;  // arguments that were
    const tensor& operator[](std::size_t k) const { return outputs[k]; }
};

struct tested_operator {
    std::string_view domain, name;
    version_range versions;
    verdict (*shapes)(const node_view&, std::span<shape>) noexcept;
};
outcome run(const tested_operator&, std::span<const row> kernels, const call&);
template <class Op, class Device> outcome run(const call& c) {
    return run({Op::domain, Op::onnx_name, Op::versions, &Op::shapes}, rows<Op, Device>(), c);
}
}  // namespace inlay::testing
