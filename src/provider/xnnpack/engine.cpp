// Regions as runtimes of XNNPACK, and each run's memory with channels last.
#include "writer.hpp"
#include <inlay/plan/conversion.hpp>
#include <inlay/provider/xnnpack.hpp>
#include <cstring>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
using thread_crew = std::shared_ptr<std::remove_pointer_t<pthreadpool_t>>;  // null: the thread that runs

// An argument as XNNPACK has it: in memory of its own, where the order of elements differs or where XNNPACK may read
// behind the last one.
template <int Bits> struct turning {
    using kernel = conversion_kernel<Bits>;
    typename kernel::params params{};
    typename kernel::state state{};
};
class argument {
    shape dims_;
    element type_;
    bool turns_;
    tensor memory_{};
    std::variant<turning<32>, turning<8>> turn_{};

    std::int64_t bytes() const { return dims_.elements() * (type_ == element::f32 ? 4 : 1); }
    bool is_unsigned() const { return type_ == element::u8; }
    // XNNPACK's elements of 8 bits are signed.
    void change_sign() {
        if (is_unsigned())
            for (std::uint8_t& x : memory_.as<std::uint8_t>().first(std::size_t(bytes()))) x ^= 0x80;
    }
    void copy(void* to, const void* from, context& c) {
        if (!turns_) {
            std::memcpy(to, from, std::size_t(bytes()));
            return;
        }
        std::visit(
            [&]<int Bits>(turning<Bits>& r) {
                turning<Bits>::kernel::run(r.params, r.state, {&from, &to}, c);
            },
            turn_);
    }

  public:
    argument(const lowering::operand& x, bool input, bool is_read)
        : dims_(x.dims), type_(x.type), turns_(!lowering::same_either_way(x.dims)) {
        if (is_read || turns_ || is_unsigned()) memory_ = tensor(element::u8, {bytes() + XNN_EXTRA_BYTES});
        if (!turns_) return;
        if (type_ != element::f32) turn_.emplace<1>();
        std::visit(
            [&]<int Bits>(turning<Bits>& r) {
                r.params = turning<Bits>::kernel::prepare(dims_, input ? layout::channels_last : layout::plain);
            },
            turn_);
    }
    bool own() const { return bool(memory_); }
    void* data() { return memory_.data(); }
    void take(const buffer& b, context& c) {
        copy(memory_.data(), b.data, c);
        change_sign();
    }
    void give(const buffer& b, context& c) {
        change_sign();
        copy(b.data, memory_.data(), c);
    }
};

class xnnpack_run {
    thread_crew threads_;
    std::shared_ptr<packed_weights> weights_;
    xnnpack_runtime runtime_{};
    std::vector<argument> inputs_{}, outputs_{};
    std::vector<xnn_external_value> values_{};
    bool set_up_ = false;

    // Where XNNPACK finds its arguments: set again only when it changes.
    xnn_status place(std::span<const buffer> outputs) {
        bool same = set_up_;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            void* const to = outputs_[k].own() ? outputs_[k].data() : outputs[k].data;
            same &= std::exchange(values_[inputs_.size() + k].data, to) == to;
        }
        const xnn_status s = same ? xnn_status_success : set_up(runtime_.get(), values_);
        set_up_ = s == xnn_status_success;
        return s;
    }

  public:
    xnnpack_run(const xnnpack_program& p, thread_crew threads, std::shared_ptr<packed_weights> weights)
        : threads_(std::move(threads)), weights_(std::move(weights)) {
        check_xnnpack(weights_->make_runtime(p.subgraph().get(), threads_.get(), runtime_));
        for (const auto& x : p.arguments) inputs_.emplace_back(x, true, true);
        for (const auto& y : p.results) outputs_.emplace_back(y, false, p.reads(y));
        for (argument& a : inputs_) values_.push_back({std::uint32_t(values_.size()), a.data()});
        for (std::size_t k = 0; k < outputs_.size(); ++k) values_.push_back({std::uint32_t(values_.size()), nullptr});
    }
    std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) {
        for (std::size_t k = 0; k < inputs.size(); ++k) inputs_[k].take(inputs[k], c);
        xnn_status s = place(outputs);
        if (s == xnn_status_success) s = xnn().xnn_invoke_runtime(runtime_.get());
        if (s != xnn_status_success) return text_of(s);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (outputs_[k].own()) outputs_[k].give(outputs[k], c);
        return {};
    }
};
class xnnpack_compiled {
    xnnpack_program program_;
    thread_crew threads_;
    std::shared_ptr<packed_weights> weights_ = std::make_shared<packed_weights>();
    mutable std::mutex lock_{};
    mutable std::optional<xnnpack_run> first_;  // which was made to try

  public:
    xnnpack_compiled(xnnpack_program p, thread_crew threads)
        : program_(std::move(p)), threads_(std::move(threads)), first_(std::in_place, program_, threads_, weights_) {}
    xnnpack_run instance() const {
        {
            const std::lock_guard lock(lock_);
            if (first_) return std::move(*std::exchange(first_, std::nullopt));
        }
        return {program_, threads_, weights_};
    }
};
struct xnnpack_backend {
    static constexpr const lowering::rule_set& rules = xnnpack_rules;
    thread_crew threads;

    struct writer : xnnpack_writer {
        writer(const xnnpack_backend&, const region& r, lowering::purpose purpose) : xnnpack_writer(r, purpose) {}
    };
    lowering::target aim() const {
        return {&xnnpack_rules, std::string(xnnpack_versions[shares_packed_weights ? 1 : 0])};
    }
    std::shared_ptr<const xnnpack_compiled> compile(xnnpack_program p) const {
        return std::make_shared<const xnnpack_compiled>(std::move(p), threads);
    }
    std::vector<std::pair<std::string, std::string>> identity() const { return {}; }
};
}  // namespace

result<std::shared_ptr<engine>> xnnpack::open() const {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (intra_op_num_threads < 0)
        return unusable(error_code::invalid_option, "intra_op_num_threads cannot be negative");
    if (!problem_of_xnnpack().empty())
        return unusable(error_code::provider_unavailable, "XNNPACK cannot be used: " + problem_of_xnnpack());
    thread_crew threads;
    if (intra_op_num_threads != 1) {
        threads.reset(xnn().pthreadpool_create(std::size_t(intra_op_num_threads)),
                      [](pthreadpool_t p) { xnn().pthreadpool_destroy(p); });
        if (!threads) return unusable(error_code::provider_unavailable, "its threads cannot be made");
    }
    return std::make_shared<lowering::region_engine<xnnpack_backend>>(xnnpack_backend{std::move(threads)});
}
}  // namespace v1
}  // namespace inlay
