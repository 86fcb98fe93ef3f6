// A constant of a graph: a tensor, or a function that creates one on demand.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/tensor.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace inlay {
inline namespace v1 {
class graph_constant {
  public:
    graph_constant(tensor t) : tensor_(std::move(t)) {}
    // The result of `make` has this type and this shape, lies in host memory, and is the same each time. Any requesting
    // thread may call it, one at a time; it owns what it needs, and its errors reach the requester.
    graph_constant(element type, const shape& dims, std::function<tensor()> make)
        : tensor_(tensor::borrow(type, dims, nullptr)), on_demand_(std::make_shared<on_demand>()) {
        on_demand_->make = std::move(make);
    }

    element type() const { return tensor_.type(); }
    const inlay::shape& shape() const { return tensor_.shape(); }
    std::int64_t elements() const { return tensor_.elements(); }
    std::int64_t bytes() const { return tensor_.bytes(); }
    bool is_made_on_demand() const { return bool(on_demand_); }
    // One for all copies: where the elements are, or what creates them, and how many bytes they take.
    using identity_type = std::pair<const void*, std::int64_t>;
    identity_type identity() const { return {on_demand_ ? on_demand_.get() : tensor_.data(), bytes()}; }
    // The tensor, whose memory stays as long as it, or a copy of it, does. One created on demand is created again once
    // no copy is left.
    tensor get() const {
        if (!on_demand_) return tensor_;
        const std::lock_guard lock(on_demand_->mutex);
        auto t = on_demand_->current.lock();
        if (!t) on_demand_->current = t = std::make_shared<tensor>(on_demand_->make());
        return tensor::borrow(type(), shape(), t->data(), space_of<memory::host>, t);
    }

  private:
    struct on_demand {
        std::mutex mutex;
        std::function<tensor()> make;
        std::weak_ptr<tensor> current;
    };
    tensor tensor_;  // without elements where they are created on demand
    std::shared_ptr<on_demand> on_demand_;
};
}  // namespace v1
}  // namespace inlay
