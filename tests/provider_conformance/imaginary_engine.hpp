// The engine of an imaginary machine, written after docs/how-to/adding-a-provider.md: chains of operators that look
// at one number at a time, by a table of functions.
#pragma once
#include <inlay/inlay.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace imaginary {
using function = float (*)(float);
inline function function_of(std::string_view op) {  // null: the machine has none of that name
    if (op == "Relu") return [](float x) { return x > 0 ? x : 0; };
    if (op == "Abs") return [](float x) { return x < 0 ? -x : x; };
    if (op == "Neg") return [](float x) { return -x; };
    return nullptr;
}
class chain final : public inlay::executable {
    const std::vector<function>& functions_;

  public:
    explicit chain(const std::vector<function>& functions) : functions_(functions) {}
    inlay::status run(std::span<const inlay::buffer> inputs, std::span<const inlay::buffer> outputs,
                      inlay::context& c) noexcept override {
        for (std::int64_t i = 0; i < inputs[0].dims.elements(); ++i) {
            if (i % 4096 == 0 && c.stopped()) return c.end_of_run();
            float x = inputs[0].as<float>()[i];
            for (const function f : functions_) x = f(x);
            outputs[0].as<float>()[i] = x;
        }
        return inlay::status::ok;
    }
};
class compiled_chain final : public inlay::compiled_region {
    std::vector<function> functions_;

  public:
    explicit compiled_chain(const inlay::region& r) {
        for (int i : r.nodes) functions_.push_back(function_of(r.graph.nodes[std::size_t(i)].op));
    }
    inlay::result<std::unique_ptr<inlay::executable>> instance() const override {
        return std::make_unique<chain>(functions_);
    }
};
class machine final : public inlay::engine {
    int longest_;

  public:
    explicit machine(int longest) : longest_(longest) {}
    void propose(const inlay::free_nodes& free, inlay::proposals& out) override {
        std::vector<std::vector<int>> chains;
        for (int i : free.nodes) {
            const inlay::node_view n{free.graph, free.graph.nodes[std::size_t(i)]};
            if (!function_of(n.record.op)) {
                out.refuse(i, "the machine has no " + std::string(n.record.op));
            } else if (n.input(0).type != inlay::element::f32) {
                out.refuse(i, "the machine has floats, not " + std::string(name_of(n.input(0).type)));
            } else if (!chains.empty() && follows(free.graph, i, chains.back().back()) &&
                       int(chains.back().size()) < longest_) {
                chains.back().push_back(i);
            } else {
                chains.push_back({i});
            }
        }
        for (std::vector<int>& nodes : chains) out.take(std::move(nodes));
    }
    inlay::result<std::shared_ptr<const inlay::compiled_region>> compile(const inlay::region& r) override {
        return std::make_shared<compiled_chain>(r);
    }

  private:
    // Whether the node is the only reader of what `before` computes: a chain has one output.
    static bool follows(const inlay::graph_view& g, int i, int before) {
        const int x = inlay::node_view{g, g.nodes[std::size_t(i)]}.input_id(0), one[] = {before}, two[] = {before, i};
        return inlay::ends_of(g, one).outputs == std::vector{x} && inlay::ends_of(g, two).outputs.size() == 1;
    }
};
struct provider {
    int longest = 16;  // chain of operators
    static constexpr std::string_view name = "ImaginaryExecutionProvider";
    inlay::result<std::shared_ptr<inlay::engine>> open() const {
        if (longest < 1) return inlay::error(inlay::error_code::provider_unavailable, "its chains need a link");
        return std::make_shared<machine>(longest);
    }
};
}  // namespace imaginary
BOOST_HANA_ADAPT_STRUCT(imaginary::provider, longest);
