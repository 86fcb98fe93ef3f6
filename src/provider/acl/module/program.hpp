// Programs of the Arm Compute Library's functions. Shapes there begin with the dimension whose elements lie side by
// side.
#pragma once
#include "keyword.hpp"
#include <inlay/sdk/engine.hpp>
#include <arm_compute/runtime/IFunction.h>
#include <arm_compute/runtime/Tensor.h>
#include <deque>
#include <lowering/refusal.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace arm = ::arm_compute;

// What one run at a time executes.
struct program {
    std::deque<arm::Tensor> tensors{};  // which functions point to
    std::vector<std::unique_ptr<arm::IFunction>> functions{};

    arm::Tensor& of(int tensor) { return tensors[std::size_t(tensor)]; }
};
// A tensor of a recipe.
struct stream {
    int tensor;
    arm::TensorInfo info;
};
// How a program is made, as often as one is wanted: nothing here refers to the region, but for borrowed elements.
class recipe {
    struct constant {
        int tensor;
        const void* elements;
    };
    using step = std::function<std::unique_ptr<arm::IFunction>(program&)>;
    std::vector<arm::TensorInfo> tensors_{};
    std::vector<constant> constants_{};
    std::vector<step> steps_{};

    // An argument as validate() and configure() want it.
    static const arm::ITensorInfo* info(const stream& s) { return &s.info; }
    static const arm::ITensorInfo* info(const std::optional<stream>& s) { return s ? &s->info : nullptr; }
    static std::vector<const arm::ITensorInfo*> info(const std::vector<stream>& streams) {
        std::vector<const arm::ITensorInfo*> infos;
        for (const stream& s : streams) infos.push_back(&s.info);
        return infos;
    }
    template <class T> static const T& info(const T& setting) { return setting; }
    static arm::Tensor* argument(program& p, const stream& s) { return &p.of(s.tensor); }
    static arm::Tensor* argument(program& p, const std::optional<stream>& s) { return s ? &p.of(s->tensor) : nullptr; }
    static std::vector<const arm::ITensor*> argument(program& p, const std::vector<stream>& streams) {
        std::vector<const arm::ITensor*> tensors;
        for (const stream& s : streams) tensors.push_back(&p.of(s.tensor));
        return tensors;
    }
    template <class T> static const T& argument(program&, const T& setting) { return setting; }

  public:
    struct output {
        int tensor;
        bool is_widened;  // int32 there, int64 in the model
    };
    std::vector<int> inputs{};
    std::vector<output> outputs{};
    std::deque<std::vector<float>> floats{};  // elements of constants that are not borrowed
    std::deque<std::vector<std::int32_t>> integers{};

    stream tensor(const arm::TensorInfo& i) {
        tensors_.push_back(i);
        return {int(tensors_.size()) - 1, i};
    }
    stream constant_tensor(const arm::TensorInfo& i, const void* elements) {
        const stream s = tensor(i);
        constants_.push_back({s.tensor, elements});
        return s;
    }
    // One function; the arguments of its validate() and configure(). Throws refused_node.
    template <class Function, class... Arguments> void call(const Arguments&... arguments) {
        if (const arm::Status s = Function::validate(info(arguments)...); !s) refuse("ACL: " + s.error_description());
        steps_.push_back([arguments...](program& p) {
            auto f = std::make_unique<Function>();
            f->configure(argument(p, arguments)...);
            return f;
        });
    }
    std::unique_ptr<program> make() const;
};

// Elements of 4 bytes, which may lie in rows with room between them.
void copy_in(arm::Tensor& to, const void* from);
void copy_out(const arm::Tensor& from, void* to);

arm::TensorInfo info_of(const shape&, element = element::f32);
}  // namespace v1
}  // namespace inlay
