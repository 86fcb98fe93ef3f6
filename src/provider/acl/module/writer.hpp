// Nodes as functions of the Arm Compute Library. The same code asks each function whether it takes a node, and notes
// how it is configured. Shapes there begin with the dimension whose elements lie side by side.
#pragma once
#include "keyword.hpp"
#include <arm_compute/runtime/IFunction.h>
#include <arm_compute/runtime/Tensor.h>
#include <deque>
#include <optional>
#include <provider/node_writer.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace arm = ::arm_compute;

// A tensor of a recipe.
struct stream {
    int tensor;
    arm::TensorInfo info;
};
// What one run at a time executes.
struct program {
    std::deque<arm::Tensor> tensors{};  // which functions point to
    std::vector<std::unique_ptr<arm::IFunction>> functions{};

    arm::Tensor& of(int tensor) { return tensors[std::size_t(tensor)]; }
};
// How a program is made, as often as one is wanted: nothing here refers to the region, but for lent elements.
struct recipe {
    struct constant {
        int tensor;
        const float* elements;
        std::vector<float> own{};  // where the elements are no lent ones
    };
    using step = std::function<std::unique_ptr<arm::IFunction>(program&)>;
    std::vector<arm::TensorInfo> tensors{};
    std::vector<constant> constants{};
    std::vector<step> steps{};

    std::unique_ptr<program> make() const;
};

// Elements of a tensor, which may lie in rows with room between them.
void copy_in(arm::Tensor& to, const float* from);
void copy_out(const arm::Tensor& from, float* to);

// Refuses what the library has no tensors for.
arm::TensorInfo info_of(const shape&, element = element::f32);
inline arm::TensorInfo with_dims(const arm::TensorInfo&, const shape& dims) { return info_of(dims); }

class recipe_writer {
    const graph_view& graph_;
    const constant_source* constants_;
    bool fast_math_;
    recipe made_{};
    std::unordered_map<int, stream> values_{};

    // An argument as validate() and configure() want it.
    static const arm::ITensorInfo* info(const stream& s) { return &s.info; }
    static const arm::ITensorInfo* info(const std::optional<stream>& s) { return s ? &s->info : nullptr; }
    static std::vector<const arm::ITensorInfo*> info(const std::vector<stream>& all) {
        std::vector<const arm::ITensorInfo*> infos;
        for (const stream& s : all) infos.push_back(&s.info);
        return infos;
    }
    template <class T> static const T& info(const T& setting) { return setting; }
    static arm::Tensor* argument(program& p, const stream& s) { return &p.of(s.tensor); }
    static arm::Tensor* argument(program& p, const std::optional<stream>& s) { return s ? &p.of(s->tensor) : nullptr; }
    static std::vector<const arm::ITensor*> argument(program& p, const std::vector<stream>& all) {
        std::vector<const arm::ITensor*> tensors;
        for (const stream& s : all) tensors.push_back(&p.of(s.tensor));
        return tensors;
    }
    template <class T> static const T& argument(program&, const T& setting) { return setting; }

  public:
    static constexpr std::string_view piece = "ACL's function";

    // Without constants it only asks.
    recipe_writer(const graph_view& g, bool fast_math, const constant_source* constants = nullptr)
        : graph_(g), constants_(constants), fast_math_(fast_math) {}

    // The functions of a node, whose results are values of the recipe after that. Throws refused_node.
    void write(const node&);
    recipe done() && { return std::move(made_); }
    bool fast_math() const { return fast_math_; }

    // The value, which is what a node made, a constant, or an argument of the region or of a question.
    stream value(int id);
    arm::TensorInfo info_of_value(int id) const {
        const auto& v = graph_.values[std::size_t(id)];
        return info_of(v.dims, v.type);
    }
    void put(int id, stream s) { values_.insert_or_assign(id, std::move(s)); }
    stream tensor(const arm::TensorInfo& i) {
        made_.tensors.push_back(i);
        return {int(made_.tensors.size()) - 1, i};
    }
    // A constant of the model, as a tensor of its own: functions free their weights when they have packed them.
    stream weights(int id, const arm::TensorInfo&);
    // A constant with the elements that f makes of the model's one.
    template <class F> stream weights(int id, const arm::TensorInfo& i, F f) {
        const stream s = weights(id, i);
        if (constants_) {
            recipe::constant& c = made_.constants.back();
            c.own = f(c.elements);
        }
        return s;
    }
    stream reshaped(const stream&, const arm::TensorInfo&);

    // One function; the arguments of its validate() and configure().
    template <class Function, class... Arguments> void call(const Arguments&... all) {
        if (const arm::Status s = Function::validate(info(all)...); !s) refuse("ACL: " + s.error_description());
        made_.steps.push_back([all...](program& p) {
            auto f = std::make_unique<Function>();
            f->configure(argument(p, all)...);
            return f;
        });
    }
};

struct node_writer : node_writer_to<recipe_writer> {
    // One function from x to a tensor of that shape.
    template <class Function, class... Settings>
    stream through(const stream& x, const arm::TensorInfo& y, const Settings&... settings) const {
        const stream result = to.tensor(y);
        to.call<Function>(x, result, settings...);
        return result;
    }
    std::optional<stream> weights_if(bool there, int k) const {
        if (!there) return {};
        return to.weights(n.input_id(k), info_of(n.input(k).dims));
    }
};
}  // namespace v1
}  // namespace inlay
