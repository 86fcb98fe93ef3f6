// A machine that nobody has built, as a backend of src/lowering: functions of one number, by a table.
#pragma once
#include <inlay/inlay.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <cmath>
#include <lowering/region_engine.hpp>

namespace imaginary {
using namespace inlay::lowering;
constexpr inlay::element_set floats = inlay::element_set::of({inlay::element::f32});
constexpr rule rules[]{{.of = kind::unary, .which = these(function::relu, function::abs), .types = floats},
                       {.of = kind::unary, .which = these(function::exp), .since = "2", .types = floats},
                       {.of = kind::reshape, .types = floats}};
constexpr rule_set machine_rules{.library = "the machine", .rules = rules};

struct program {
    struct step {
        float (*f)(float);
        int from, to;
    };
    std::vector<step> steps;
    std::vector<std::int64_t> sizes;  // of tensors
    std::vector<int> inputs, outputs;
};
struct runner {
    std::shared_ptr<const program> p;
    std::string run(std::span<const inlay::buffer> inputs, std::span<const inlay::buffer> outputs) const {
        std::vector<std::vector<float>> tensors;
        for (const std::int64_t n : p->sizes) tensors.emplace_back(std::size_t(n));
        for (std::size_t k = 0; k < inputs.size(); ++k)
            std::copy_n(inputs[k].as<float>(), inputs[k].dims.elements(), tensors[std::size_t(p->inputs[k])].begin());
        for (const auto& [f, from, to] : p->steps)
            std::ranges::transform(tensors[std::size_t(from)], tensors[std::size_t(to)].begin(), f);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            std::ranges::copy(tensors[std::size_t(p->outputs[k])], outputs[k].as<float>());
        return {};
    }
};
struct compiled {
    std::shared_ptr<const program> p;
    runner instance() const { return {p}; }
};
struct backend {
    static constexpr const rule_set& rules = machine_rules;
    std::string version;

    class writer {
        program out_{};
        tensor_table<int> tensors_{};
        int at(const operand& x) {
            return tensors_.get(x, [](const operand&) -> int { inlay::refuse("the machine has no constants"); });
        }
        int add(const operand& x) {
            out_.sizes.push_back(x.dims.elements());
            tensors_.set(x, int(out_.sizes.size()) - 1);
            return int(out_.sizes.size()) - 1;
        }
        void step(float (*f)(float), const operand& x, const operand& y) {
            const int from = at(x);
            out_.steps.push_back({f, from, add(y)});
        }

      public:
        writer(const backend&, const inlay::region&, purpose) {}
        void argument(const operand& x) { out_.inputs.push_back(add(x)); }
        void result(const operand& y) { out_.outputs.push_back(at(y)); }
        void write(const unary_prim& p) {
            step(
                p.does == function::relu  ? [](float x) { return x < 0 ? 0 : x; }
                : p.does == function::abs ? [](float x) { return std::abs(x); }
                                          : [](float x) { return std::exp(x); },
                p.x, p.y);
        }
        void write(const reshape_prim& p) {
            step([](float x) { return x; }, p.x, p.y);
        }
        program finish() { return std::move(out_); }
    };
    target aim() const { return {&machine_rules, version}; }
    std::shared_ptr<const compiled> compile(program p) const {
        return std::make_shared<compiled>(compiled{std::make_shared<program>(std::move(p))});
    }
    std::vector<std::pair<std::string, std::string>> identity() const { return {{"library", version}}; }
};
struct provider {
    int version = 2;
    static constexpr std::string_view name = "ImaginaryExecutionProvider";
    inlay::result<std::shared_ptr<inlay::engine>> open() const {
        return std::make_shared<region_engine<backend>>(backend{std::to_string(version)});
    }
};
}  // namespace imaginary
BOOST_HANA_ADAPT_STRUCT(imaginary::provider, version);
