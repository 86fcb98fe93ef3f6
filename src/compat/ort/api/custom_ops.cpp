#include "custom_ops.hpp"
#include "errors.hpp"
#include "kernel_info.hpp"
#include "status.hpp"
#include <algorithm>
#include <mutex>
#include <set>

namespace Ort {
namespace detail {
namespace {
constexpr int most_arguments = 16;  // inputs, or outputs, of a node
constexpr int most_operators = 64;  // of all sessions of a program at once

// An operator's functions. Those that were added after the version it was built for are null: its struct ends
// before.
OrtCustomOp functions_of(const OrtCustomOp& op) {
    constexpr std::pair<std::uint32_t, std::size_t> ends[] = {
        {8, offsetof(OrtCustomOp, GetInputCharacteristic)},
        {14, offsetof(OrtCustomOp, GetInputMemoryType)},
        {16, offsetof(OrtCustomOp, CreateKernelV2)},
        {17, offsetof(OrtCustomOp, InferOutputShapeFn)},
    };
    std::size_t bytes = sizeof(OrtCustomOp);
    for (const auto& [since, end] : ends)
        if (op.version < since) bytes = std::min(bytes, end);
    OrtCustomOp functions{};
    std::memcpy(&functions, &op, bytes);
    return functions;
}
// The type of output k: as the operator declares it; else as the model does, or that of the first input.
inlay::element output_type_of(const OrtCustomOp& op, const inlay::node_view& n, int k) {
    const std::size_t outputs = op.GetOutputTypeCount(&op);
    const ONNXTensorElementDataType type = outputs ? op.GetOutputType(&op, std::min(std::size_t(k), outputs - 1))
                                                   : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) return inlay::element_numbered(type);
    const bool declared = n.has_output(k) && n.output(k).type != inlay::element::undefined;
    return declared ? n.output(k).type : n.input_type(0);
}

// A node's kernel, which is its bound state: created once, whatever the shapes.
struct custom_kernel {
    const OrtCustomOp* op = nullptr;
    std::unique_ptr<OrtKernelInfo> info{};  // with the constants
    void* handle = nullptr;

    custom_kernel() = default;
    custom_kernel(const custom_kernel&) = delete;
    ~custom_kernel() {
        if (handle) op->KernelDestroy(handle);
    }
};
struct call {  // what prepare() leaves for bind() and run()
    const OrtKernelInfo* info;
    int inputs, outputs;
    inlay::shape dims[most_arguments];
    inlay::element in[most_arguments], out[most_arguments];  // undefined: absent
};

class custom_operator {
    const OrtCustomOp& op_;
    const OrtCustomOp functions_;
    const OrtApi* api_;
    std::string domain_, name_;
    OrtLogger logger_;
    int required_inputs_ = 0;
    bool variadic_inputs_ = false, variadic_outputs_ = false;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<const OrtKernelInfo>> infos_;  // of nodes, by their text

    static std::size_t position(std::size_t k, std::size_t count) { return std::min(k, count - 1); }
    inlay::verdict check_count(const inlay::node_view& n) const {
        if (n.input_count() > most_arguments || n.output_count() > most_arguments)
            return inlay::no("a custom operator has at most 16 inputs and 16 outputs");
        if (!variadic_inputs_ && std::size_t(n.input_count()) > op_.GetInputTypeCount(&op_))
            return inlay::no("the node has more inputs than the custom operator");
        if (!variadic_outputs_ && std::size_t(n.output_count()) > op_.GetOutputTypeCount(&op_))
            return inlay::no("the node has more outputs than the custom operator");
        return inlay::yes();
    }

  public:
    custom_operator(const OrtCustomOp& op, const custom_domain& domain, OrtLogger log);
    const std::string& domain() const { return domain_; }
    const std::string& name() const { return name_; }
    int required_inputs() const { return required_inputs_; }
    inlay::version_range versions() const {
        return {functions_.GetStartVersion ? functions_.GetStartVersion(&op_) : 1,
                functions_.GetEndVersion ? functions_.GetEndVersion(&op_) : std::numeric_limits<int>::max()};
    }
    inlay::element output_type(const inlay::node_view& n, int k) const { return output_type_of(op_, n, k); }
    inlay::verdict supports(const inlay::node_view& n) const;
    void prepare(const inlay::node_view& n, call& c);
    inlay::status bind(const call& c, inlay::constants constants, const inlay::setup& u, custom_kernel& k) noexcept;
    inlay::status run(const call& c, const custom_kernel& k, const inlay::arguments& a, inlay::context& x) noexcept;
};

custom_operator::custom_operator(const OrtCustomOp& op, const custom_domain& domain, OrtLogger log)
    : op_(op), functions_(functions_of(op)), api_(domain.api), domain_(domain.name), logger_(std::move(log)) {
    const OrtCustomOp& f = functions_;
    const char* const name = f.GetName ? f.GetName(&op) : nullptr;
    const bool computes = (f.CreateKernel && f.KernelCompute) || (f.CreateKernelV2 && f.KernelComputeV2);
    if (!name || !f.GetInputTypeCount || !f.GetInputType || !f.GetOutputTypeCount || !f.GetOutputType ||
        !f.KernelDestroy || !computes)
        raise(ORT_INVALID_ARGUMENT, "Ort: a custom operator of the domain `" + domain_ +
                                        "` does not say what it is; derive it from Ort::CustomOpBase");
    name_ = name;
    const char* const provider = f.GetExecutionProviderType ? f.GetExecutionProviderType(&op) : nullptr;
    if (provider && !inlay::names_provider(provider, inlay::cpu::name))
        raise(ORT_NOT_IMPLEMENTED,
              "Ort: the custom operator `" + name_ + "` is for " + provider + "; those of a program run on the CPU");
    const std::size_t inputs = f.GetInputTypeCount(&op), outputs = f.GetOutputTypeCount(&op);
    for (std::size_t k = 0; k < inputs; ++k) {
        const auto kind = f.GetInputCharacteristic ? f.GetInputCharacteristic(&op, k) : INPUT_OUTPUT_REQUIRED;
        variadic_inputs_ |= kind == INPUT_OUTPUT_VARIADIC;
        if (kind == INPUT_OUTPUT_REQUIRED) required_inputs_ = int(k) + 1;
        if (kind == INPUT_OUTPUT_VARIADIC && f.GetVariadicInputMinArity)
            required_inputs_ = int(k) + f.GetVariadicInputMinArity(&op);
    }
    for (std::size_t k = 0; k < outputs; ++k)
        variadic_outputs_ |= f.GetOutputCharacteristic && f.GetOutputCharacteristic(&op, k) == INPUT_OUTPUT_VARIADIC;
}
inlay::verdict custom_operator::supports(const inlay::node_view& n) const {
    if (const auto v = check_count(n); !v) return v;
    const std::size_t inputs = op_.GetInputTypeCount(&op_);
    for (int k = 0; k < n.input_count(); ++k) {
        if (!n.has_input(k)) continue;
        const auto type = op_.GetInputType(&op_, position(std::size_t(k), inputs));
        if (n.input(k).type == inlay::element::object) return inlay::no("custom operators take tensors");
        if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED && inlay::element_numbered(type) != n.input(k).type)
            return {false, "the custom operator takes another element type", inlay::refusal::type,
                    std::int64_t(n.input(k).type)};
    }
    return inlay::yes();
}
void custom_operator::prepare(const inlay::node_view& n, call& c) {
    auto info = std::make_unique<const OrtKernelInfo>(n, logger_);
    c = {};
    {
        const std::lock_guard lock(mutex_);
        auto& entry = infos_[info->text()];
        if (!entry) entry = std::move(info);
        c.info = entry.get();
    }
    c.inputs = n.input_count();
    c.outputs = n.output_count();
    for (int k = 0; k < c.inputs; ++k)
        if (n.has_input(k)) {
            c.dims[k] = n.input(k).dims;
            c.in[k] = n.input(k).type;
        }
    for (int k = 0; k < c.outputs; ++k)
        if (n.has_output(k)) c.out[k] = n.output(k).type;
}
inlay::status custom_operator::bind(const call& c, inlay::constants constants, const inlay::setup& u,
                                    custom_kernel& k) noexcept {
    try {
        k.op = &op_;
        k.info = std::make_unique<OrtKernelInfo>(*c.info);
        for (int i = 0; i < c.inputs; ++i)
            if (constants.data[i])
                k.info->inputs[std::size_t(i)].constant.emplace(
                    OrtValue{inlay::tensor::borrow(c.in[i], c.dims[i], constants.data[i])});
        if (functions_.CreateKernelV2)
            ThrowOnError(functions_.CreateKernelV2(&op_, api_, k.info.get(), &k.handle));
        else
            k.handle = functions_.CreateKernel(&op_, api_, k.info.get());
        if (!k.handle) raise(ORT_FAIL, "CreateKernel() gave a null pointer");
        return inlay::status::ok;
    } catch (const std::exception& e) {
        if (u.failure) *u.failure = {inlay::error_code::provider_failed, e.what()};
    } catch (...) {
        if (u.failure) *u.failure = {inlay::error_code::provider_failed, "CreateKernel() threw something"};
    }
    return inlay::status::failed;
}
inlay::status custom_operator::run(const call& c, const custom_kernel& kernel, const inlay::arguments& a,
                                   inlay::context& x) noexcept {
    static thread_local std::string reason;  // the caller reads it before its next call
    try {
        OrtKernelContext context{{}, {}, {}, &x, &logger_};
        for (int k = 0; k < c.inputs; ++k) {
            context.inputs.emplace_back();
            if (c.in[k] != inlay::element::undefined)
                context.inputs.back().emplace(OrtValue{inlay::tensor::borrow(c.in[k], c.dims[k], a.inputs[k])});
        }
        context.outputs.resize(std::size_t(c.outputs));
        context.output_types.assign(c.out, c.out + c.outputs);
        if (functions_.KernelComputeV2)
            ThrowOnError(functions_.KernelComputeV2(kernel.handle, &context));
        else
            functions_.KernelCompute(kernel.handle, &context);
        for (int k = 0; k < c.outputs; ++k)
            if (c.out[k] != inlay::element::undefined && !context.outputs[std::size_t(k)])
                raise(ORT_FAIL, "the kernel made no output " + std::to_string(k));
        return inlay::status::ok;
    } catch (const std::exception& e) {
        reason = e.what();
    } catch (...) {
        reason = "the kernel threw something";
    }
    return x.fail(reason, inlay::status::failed);
}

// Kernels are tables of plain functions, and an operator of a program is an object: each function below belongs to a
// slot, in which a session puts its operators.
custom_operator* places[most_operators] = {};
std::mutex places_mutex;
template <int N> struct functions_of_place {
    static custom_operator& op() { return *places[N]; }
    static inlay::entry entry() {
        static constexpr inlay::operator_record about{
            {.pure = false}, [](const inlay::node_view& n, int k) { return op().output_type(n, k); }};
        inlay::entry e;
        e.domain = op().domain();
        e.name = op().name();
        e.key = inlay::operator_key(e.domain, e.name);
        e.device_name = "custom";
        e.versions = op().versions();
        e.required_inputs = op().required_inputs();
        e.data_dependent = true;  // the kernel reports the shapes
        e.about = &about;
        e.op = N;
        e.supports = [](const inlay::node_view& n) { return op().supports(n); };
        e.layouts = [](const inlay::node_view&) { return inlay::layout_rule{}; };
        e.strided = [](const inlay::node_view&, int) { return false; };
        e.footprint = [](const inlay::node_view&, int) { return inlay::bytes_needed{}; };
        e.shapes = [](const inlay::node_view&, std::span<inlay::shape>) noexcept { return inlay::yes(); };
        return e;
    }
    static inlay::kernel_functions functions() {
        return {sizeof(call),
                [](const inlay::node_view& n, void* p) { op().prepare(n, *static_cast<call*>(p)); },
                []() -> void* { return new custom_kernel; },
                [](void* state) noexcept { delete static_cast<custom_kernel*>(state); },
                [](const void* p, inlay::constants w, const inlay::setup& u, void* state) noexcept {
                    return op().bind(*static_cast<const call*>(p), w, u, *static_cast<custom_kernel*>(state));
                },
                [](const void* p, const void* state, const inlay::arguments& a, inlay::context& x) noexcept {
                    return op().run(*static_cast<const call*>(p), *static_cast<const custom_kernel*>(state), a, x);
                }};
    }
};
struct place {
    inlay::entry (*entry)();
    inlay::kernel_functions (*functions)();
};
template <int... N> constexpr std::array<place, sizeof...(N)> all_places(std::integer_sequence<int, N...>) {
    return {place{&functions_of_place<N>::entry, &functions_of_place<N>::functions}...};
}
int take_place(custom_operator& op) {
    const std::lock_guard lock(places_mutex);
    const auto free = std::ranges::find(places, nullptr);
    if (free == std::end(places))
        raise(ORT_FAIL, "Ort: the sessions of this program have more than " + std::to_string(most_operators) +
                            " custom operators together");
    *free = &op;
    return int(free - places);
}

// The operators of a graph's nodes, subgraphs included: domain and name.
using operator_names = std::set<std::pair<std::string_view, std::string_view>>;
void add_names(const inlay::graph_data& g, operator_names& to) {
    for (const inlay::node& n : g.nodes) to.emplace(n.domain, n.op);
    for (const inlay::graph_data& body : g.subgraphs) add_names(body, to);
}

// The provider of one session.
class custom_operators : public std::enable_shared_from_this<custom_operators> {
    std::vector<std::unique_ptr<custom_operator>> operators_;
    std::vector<int> places_;
    inlay::kernel_table table_;

  public:
    inlay::provider_factory factory{};

    custom_operators(std::span<const std::shared_ptr<const custom_domain>> domains, const inlay::model&, OrtLogger log);
    custom_operators(const custom_operators&) = delete;
    ~custom_operators() {
        const std::lock_guard lock(places_mutex);
        for (const int k : places_) places[k] = nullptr;
    }
    inlay::provider_handle handle() const {
        inlay::provider_handle h;
        h.name = custom_provider_name;
        h.kernels = &table_;
        h.object = shared_from_this();
        h.accepts = [](const void*, const inlay::node_view&) { return inlay::yes(); };
        h.options = [](const void*) { return inlay::option_list{}; };
        h.type = this;
        return h;
    }
};
custom_operators::custom_operators(std::span<const std::shared_ptr<const custom_domain>> domains, const inlay::model& m,
                                   OrtLogger log) {
    static constexpr auto places_of = all_places(std::make_integer_sequence<int, most_operators>{});
    operator_names names;
    add_names(m.graph(), names);
    for (const auto& domain : domains)
        for (const OrtCustomOp* op : domain->operators) {
            auto candidate = std::make_unique<custom_operator>(*op, *domain, log);
            if (names.contains({candidate->domain(), candidate->name()})) operators_.push_back(std::move(candidate));
        }
    std::vector<inlay::row> rows;
    try {
        for (const auto& op : operators_) {
            places_.push_back(take_place(*op));
            const place& at = places_of[std::size_t(places_.back())];
            rows.push_back({at.entry(), at.functions()});
        }
    } catch (...) {
        const std::lock_guard lock(places_mutex);
        for (const int k : places_) places[k] = nullptr;
        throw;
    }
    std::ranges::sort(rows, inlay::before, &inlay::row::e);
    for (const inlay::row& r : rows) {
        table_.entries.push_back(r.e);
        table_.functions.push_back(r.f);
    }
    factory = {custom_provider_name,
               inlay::provider_status::production,
               [](const void*) { return inlay::option_list{}; },
               [](const void* object, const inlay::option_list&) -> inlay::result<inlay::provider_handle> {
                   return static_cast<const custom_operators*>(object)->handle();
               },
               {},
               {},
               this};
}
}  // namespace

void OrtRelease(OrtCustomOpDomain* d) noexcept { delete d; }

inlay::provider_choice custom_provider(std::span<const std::shared_ptr<const custom_domain>> domains,
                                       const inlay::model& m, std::shared_ptr<const session_log> log) {
    const auto operators = std::make_shared<const custom_operators>(domains, m, OrtLogger{std::move(log)});
    inlay::provider_choice choice{std::string(custom_provider_name)};
    choice.factory = std::shared_ptr<const inlay::provider_factory>(operators, &operators->factory);
    return choice;
}
inlay::foreign_types types_of(std::span<const std::shared_ptr<const custom_domain>> domains) {
    return [domains](const inlay::node_view& n, int k) {
        for (const auto& domain : domains)
            for (const OrtCustomOp* op : domain->operators)
                if (domain->name == n.record.domain && op->GetName && op->GetName(op) == n.record.op &&
                    op->GetOutputTypeCount && op->GetOutputType)
                    return output_type_of(*op, n, k);
        return inlay::element::undefined;
    };
}
template <class T> SessionOptionsImpl<T>& SessionOptionsImpl<T>::Add(OrtCustomOpDomain* domain) {
    need(this->p_, "SessionOptions").domains.push_back(need(domain, "CustomOpDomain").shared);
    return *this;
}
template SessionOptionsImpl<OrtSessionOptions>& SessionOptionsImpl<OrtSessionOptions>::Add(OrtCustomOpDomain*);
template SessionOptionsImpl<Unowned<OrtSessionOptions>>& SessionOptionsImpl<Unowned<OrtSessionOptions>>::Add(
    OrtCustomOpDomain*);
}  // namespace detail

CustomOpDomain::CustomOpDomain(const char* domain)
    : Base(new OrtCustomOpDomain{std::make_shared<detail::custom_domain>(
          detail::custom_domain{detail::need_text(domain, "the name of a domain"), &GetApi()})}) {}
void CustomOpDomain::Add(const OrtCustomOp* op) {
    auto& operators = detail::need(p_, "CustomOpDomain").shared->operators;
    if (!op) detail::raise(ORT_INVALID_ARGUMENT, "Ort: a custom operator is a null pointer");
    operators.push_back(op);
}
}  // namespace Ort
