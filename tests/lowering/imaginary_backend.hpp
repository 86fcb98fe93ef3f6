// An imaginary machine, as a backend of src/lowering: functions of one number, by a table.
#pragma once
#include <inlay/inlay.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <cmath>
#include <lowering/region_engine.hpp>
#include <sstream>

namespace imaginary {
using namespace inlay::lowering;
constexpr inlay::element_set floats = inlay::element_set::of({inlay::element::f32});
constexpr rule rules[]{{.of = kind::unary, .functions = these(function::relu, function::abs), .types = floats},
                       {.of = kind::unary, .functions = these(function::exp), .since = "2", .types = floats},
                       {.of = kind::reshape, .types = floats}};
constexpr rule_set machine_rules{.library = "the machine", .rules = rules};

constexpr float (*functions_of_machine[])(float) = {[](float x) { return x < 0 ? 0 : x; },
                                                    [](float x) { return std::abs(x); },
                                                    [](float x) { return std::exp(x); }, [](float x) { return x; }};
struct program {
    struct step {
        int f, from, to;
    };
    std::vector<step> steps;
    std::vector<std::int64_t> sizes;  // of tensors
    std::vector<int> inputs, outputs;
};
struct runner {
    std::shared_ptr<const program> p;
    std::string run(std::span<const inlay::buffer> inputs, std::span<const inlay::buffer> outputs,
                    inlay::context&) const {
        std::vector<std::vector<float>> tensors;
        for (const std::int64_t n : p->sizes) tensors.emplace_back(std::size_t(n));
        for (std::size_t k = 0; k < inputs.size(); ++k)
            std::copy_n(inputs[k].as<float>(), inputs[k].dims.elements(), tensors[std::size_t(p->inputs[k])].begin());
        for (const auto& [f, from, to] : p->steps)
            std::ranges::transform(tensors[std::size_t(from)], tensors[std::size_t(to)].begin(),
                                   functions_of_machine[f]);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            std::ranges::copy(tensors[std::size_t(p->outputs[k])], outputs[k].as<float>());
        return {};
    }
};
struct compiled {
    std::shared_ptr<const program> p;
    runner instance() const { return {p}; }
    // All numbers, each list after its length.
    std::string saved() const {
        std::ostringstream text;
        const auto put = [&](const auto& list) {
            text << list.size() << ' ';
            for (const auto& number : list) text << number << ' ';
        };
        std::vector<int> steps;
        for (const auto& [f, from, to] : p->steps) steps.insert(steps.end(), {f, from, to});
        put(steps);
        put(p->sizes);
        put(p->inputs);
        put(p->outputs);
        return text.str();
    }
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
        void step(int f, const operand& x, const operand& y) {
            const int from = at(x);
            out_.steps.push_back({f, from, add(y)});
        }

      public:
        writer(const backend&, const inlay::region&, purpose) {}
        void argument(const operand& x) { out_.inputs.push_back(add(x)); }
        void result(const operand& y) { out_.outputs.push_back(at(y)); }
        void write(const unary_prim& p) {
            step(p.does == function::relu ? 0 : p.does == function::abs ? 1 : 2, p.x, p.y);
        }
        void write(const reshape_prim& p) { step(3, p.x, p.y); }
        program finish() { return std::move(out_); }
    };
    target aim() const { return {&machine_rules, version}; }
    std::shared_ptr<const compiled> compile(program p) const {
        return std::make_shared<compiled>(compiled{std::make_shared<program>(std::move(p))});
    }
    std::shared_ptr<const compiled> restore(const inlay::region& r, std::string_view bytes) const {
        std::istringstream text{std::string(bytes)};
        const auto get = [&] {
            std::size_t size = 0;
            if (!(text >> size) || size > bytes.size()) inlay::refuse("it is no program of the machine");
            std::vector<std::int64_t> numbers(size);
            for (std::int64_t& number : numbers)
                if (!(text >> number) || number < 0) inlay::refuse("it is no program of the machine");
            return numbers;
        };
        const auto steps = get(), sizes = get(), inputs = get(), outputs = get();
        if (inputs.size() != r.inputs.size() || outputs.size() != r.outputs.size())
            inlay::refuse("it has other inputs and outputs");
        auto p = std::make_shared<program>();
        for (std::size_t k = 0; k + 2 < steps.size(); k += 3)
            p->steps.push_back({int(steps[k]), int(steps[k + 1]), int(steps[k + 2])});
        p->sizes = sizes;
        p->inputs.assign(inputs.begin(), inputs.end());
        p->outputs.assign(outputs.begin(), outputs.end());
        return std::make_shared<compiled>(compiled{std::move(p)});
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
