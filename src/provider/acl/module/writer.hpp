// Nodes as functions of the Arm Compute Library. The same code asks each function whether it takes a node, and notes
// how it is configured. Shapes there begin with the dimension whose elements lie side by side.
#pragma once
#include "keyword.hpp"
#include <inlay/sdk/engine.hpp>
#include <arm_compute/runtime/IFunction.h>
#include <arm_compute/runtime/Tensor.h>
#include <deque>
#include <optional>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace arm = ::arm_compute;

struct refused_by_acl {
    std::string why;
};
[[noreturn]] inline void refuse(std::string why) { throw refused_by_acl{std::move(why)}; }
inline void require(const verdict& v) {
    if (!v) refuse(std::string(v.reason));
}

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
    // Without constants it only asks.
    recipe_writer(const graph_view& g, bool fast_math, const constant_source* constants = nullptr)
        : graph_(g), constants_(constants), fast_math_(fast_math) {}

    // The functions of a node, whose results are values of the recipe after that. Throws refused_by_acl.
    void write(const node&);
    recipe done() && { return std::move(made_); }
    bool fast_math() const { return fast_math_; }

    // The value, which is what a node made, a constant, or an argument of the region or of a question.
    stream value(int id);
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

// A node that is being written.
struct node_writer {
    recipe_writer& recipe;
    node_view n;

    stream input(int k) const { return recipe.value(n.input_id(k)); }
    stream input(int k, const shape& dims) const { return recipe.reshaped(input(k), info_of(dims)); }
    arm::TensorInfo output_info() const { return info_of(n.output(0).dims, n.output(0).type); }
    // The result, in the shape that it has in the model.
    void put(const stream& s) const { recipe.put(n.output_id(0), recipe.reshaped(s, output_info())); }
    // One function from x to a tensor of that shape.
    template <class Function, class... Settings>
    stream through(const stream& x, const arm::TensorInfo& y, const Settings&... settings) const {
        const stream result = recipe.tensor(y);
        recipe.call<Function>(x, result, settings...);
        return result;
    }
    // Input k is a constant of floats, as the library wants weights to be.
    const shape& constant(int k, std::string_view name) const {
        if (!n.is_constant(k)) refuse(std::string(name) + " is not a constant, which ACL's function wants");
        if (n.input(k).type != element::f32)
            refuse(std::string(name) + " is of type " + std::string(name_of(n.input(k).type)) + ", not float");
        return n.input(k).dims;
    }
    std::optional<stream> weights_if(bool there, int k) const {
        if (!there) return {};
        return recipe.weights(n.input_id(k), info_of(n.input(k).dims));
    }
    void require_image() const {
        if (const int rank = n.input(0).dims.rank; rank != 4)
            refuse("it is over " + std::to_string(rank - 2) + " spatial axes, and ACL's function over 2");
    }
    bool only_first_output() const {
        for (int k = 1; k < n.output_count(); ++k)
            if (n.has_output(k)) return false;
        return true;
    }
};

// What writes the operator; null: nothing does.
using function_writer = void (*)(const node_writer&);
function_writer find_convolution(std::string_view op);
function_writer find_pool(std::string_view op);
function_writer find_element_wise(std::string_view op);
function_writer find_normalization(std::string_view op);
function_writer find_movement(std::string_view op);

struct named_writer {
    std::string_view op;
    function_writer write;
};
inline function_writer find_in(std::span<const named_writer> all, std::string_view op) {
    for (const named_writer& w : all)
        if (w.op == op) return w.write;
    return nullptr;
}
}  // namespace v1
}  // namespace inlay
