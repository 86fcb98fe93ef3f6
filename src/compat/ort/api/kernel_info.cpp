#include "errors.hpp"
#include "kernel_info.hpp"
#include <algorithm>

namespace {
inlay::tensor tensor_of(const inlay::node_view& n, const inlay::value& v) {
    inlay::tensor t(v.type, v.dims);
    const auto fill = [&]<class T>(std::type_identity<T>, const auto& from) {
        for (std::size_t k = 0; k < from.size(); ++k) inlay::store<T>(t.data(), std::int64_t(k), T(from[k]));
    };
    using enum inlay::element;
    if (const auto integers = n.integers_of(v); integers && v.type == i64)
        fill(std::type_identity<std::int64_t>{}, *integers);
    else if (integers && v.type == i32)
        fill(std::type_identity<std::int32_t>{}, *integers);
    else if (const auto reals = n.reals_of(v); reals && v.type == f32)
        fill(std::type_identity<float>{}, *reals);
    else if (reals && v.type == f64)
        fill(std::type_identity<double>{}, *reals);
    else
        return {};  // GetTensorAttribute() reports that it is missing
    return t;
}
template <class To, class From> std::vector<To> copy_of(std::span<const From> pool, inlay::range r) {
    const auto part = pool.subspan(std::size_t(r.first), std::size_t(r.count));
    return {part.begin(), part.end()};
}
OrtKernelInfo::attribute value_of(const inlay::node_view& n, const inlay::attribute& a) {
    using enum inlay::attribute_kind;
    switch (a.kind) {
        case integer: return a.integer;
        case real: return a.real;
        case text: return std::string(a.text);
        case integers: return copy_of<std::int64_t>(n.graph.integers, a.list);
        case reals: return copy_of<double>(n.graph.reals, a.list);
        case texts: return copy_of<std::string>(n.graph.texts, a.list);
        case tensor: return tensor_of(n, n.graph.values[std::size_t(a.integer)]);
        case graph: break;
    }
    return inlay::tensor();
}
OrtKernelInfo::argument argument_of(bool is_present, const inlay::node_view& n, int id) {
    if (!is_present) return {};
    const inlay::value& v = n.graph.values[std::size_t(id)];
    return {std::string(v.name), v.type, {}};
}
}  // namespace

OrtKernelInfo::OrtKernelInfo(const inlay::node_view& n, OrtLogger log) : node(n.record.name), logger(std::move(log)) {
    for (int k = 0; k < n.input_count(); ++k) inputs.push_back(argument_of(n.has_input(k), n, n.input_id(k)));
    for (int k = 0; k < n.output_count(); ++k) outputs.push_back(argument_of(n.has_output(k), n, n.output_id(k)));
    for (int k = 0; k < n.record.attributes.count; ++k) {
        const inlay::attribute& a = n.graph.attributes[std::size_t(n.record.attributes.first + k)];
        attributes.emplace(a.name, value_of(n, a));
    }
}

std::string OrtKernelInfo::text() const {
    std::string key;
    const auto add = [&](std::string_view part) { key += std::to_string(part.size()) + ":" + std::string(part); };
    const auto add_list = [&](const auto& list) {
        for (const auto& item : list)
            if constexpr (std::same_as<decltype(item), const std::string&>)
                add(item);
            else
                add({reinterpret_cast<const char*>(&item), sizeof item});
    };
    add(node);
    for (const auto* list : {&inputs, &outputs})
        for (const argument& a : *list) {
            add(a.name);
            add(name_of(a.type));
        }
    for (const auto& [name, value] : attributes) {
        add(name);
        add(std::to_string(value.index()));
        std::visit(
            [&]<class T>(const T& x) {
                if constexpr (std::same_as<T, inlay::tensor>)
                    add({static_cast<const char*>(x.data()), std::size_t(x.bytes())});
                else if constexpr (std::same_as<T, std::string>)
                    add(x);
                else if constexpr (requires { x.size(); })
                    add_list(x);
                else
                    add({reinterpret_cast<const char*>(&x), sizeof x});
            },
            value);
    }
    return key;
}

OrtValue* OrtKernelContext::output(std::size_t index, const inlay::shape& dims) {
    if (index >= outputs.size() || output_types[index] == inlay::element::undefined) return nullptr;
    std::optional<OrtValue>& out = outputs[index];
    if (out) {
        if (out->value.as_tensor()->shape() != dims)
            Ort::detail::raise(ORT_INVALID_ARGUMENT, "Ort: output " + std::to_string(index) + " has the shape " +
                                                         to_string(out->value.as_tensor()->shape()) + " already, not " +
                                                         to_string(dims));
        return &*out;
    }
    void* const memory = run->grow(run->owner, int(index), dims);
    if (!memory && dims.elements() > 0)
        Ort::detail::raise(ORT_RUNTIME_EXCEPTION,
                           "Ort: no memory for output " + std::to_string(index) + " of shape " + to_string(dims));
    out.emplace(OrtValue{inlay::tensor::borrow(output_types[index], dims, memory)});
    return &*out;
}

namespace Ort {
namespace detail {
void OrtRelease(OrtKernelInfo* i) noexcept { delete i; }

template <class T> static auto& info_behind(T* p) { return need(p, "KernelInfo"); }
template <class Wanted> static const Wanted& attribute_of(const OrtKernelInfo& info, const char* name) {
    const auto entry = info.attributes.find(need_text(name, "an attribute's name"));
    const Wanted* value = entry == info.attributes.end() ? nullptr : std::get_if<Wanted>(&entry->second);
    if (!value)
        raise(ORT_INVALID_ARGUMENT,
              "Ort: the node `" + info.node + "` has no attribute `" + name + "` of the requested type");
    return *value;
}
static TypeInfo type_of(const OrtKernelInfo::argument& a) {
    inlay::value_type type;
    type.type = a.type;
    return type_info_of(type);
}

template <class T> KernelInfo KernelInfoImpl<T>::Copy() const {
    return KernelInfo(new OrtKernelInfo(info_behind(this->p_)));
}
template <class T> Value KernelInfoImpl<T>::GetTensorAttribute(const char* name, OrtAllocator*) const {
    const auto& t = attribute_of<inlay::tensor>(info_behind(this->p_), name);
    if (!t)
        raise(ORT_NOT_IMPLEMENTED,
              std::string("Ort: the attribute `") + name + "` is no tensor of float, double, int32 or int64");
    return value_of(t.clone());
}
template <class T> std::size_t KernelInfoImpl<T>::GetInputCount() const { return info_behind(this->p_).inputs.size(); }
template <class T> std::size_t KernelInfoImpl<T>::GetOutputCount() const {
    return info_behind(this->p_).outputs.size();
}
template <class T> std::string KernelInfoImpl<T>::GetInputName(std::size_t index) const {
    return checked_at(info_behind(this->p_).inputs, index, "input").name;
}
template <class T> std::string KernelInfoImpl<T>::GetOutputName(std::size_t index) const {
    return checked_at(info_behind(this->p_).outputs, index, "output").name;
}
template <class T> TypeInfo KernelInfoImpl<T>::GetInputTypeInfo(std::size_t index) const {
    return type_of(checked_at(info_behind(this->p_).inputs, index, "input"));
}
template <class T> TypeInfo KernelInfoImpl<T>::GetOutputTypeInfo(std::size_t index) const {
    return type_of(checked_at(info_behind(this->p_).outputs, index, "output"));
}
template <class T> ConstValue KernelInfoImpl<T>::GetTensorConstantInput(std::size_t index, int* is_constant) const {
    const auto& in = checked_at(info_behind(this->p_).inputs, index, "input");
    *is_constant = in.constant.has_value();
    return ConstValue{in.constant ? &*in.constant : nullptr};
}
template <class T> std::string KernelInfoImpl<T>::GetNodeName() const { return info_behind(this->p_).node; }
template <class T> Logger KernelInfoImpl<T>::GetLogger() const { return Logger(&info_behind(this->p_).logger); }
template <class T> void KernelInfoImpl<T>::get(const char* name, float& value) const {
    value = float(attribute_of<double>(info_behind(this->p_), name));
}
template <class T> void KernelInfoImpl<T>::get(const char* name, std::int64_t& value) const {
    value = attribute_of<std::int64_t>(info_behind(this->p_), name);
}
template <class T> void KernelInfoImpl<T>::get(const char* name, std::string& value) const {
    value = attribute_of<std::string>(info_behind(this->p_), name);
}
template <class T> void KernelInfoImpl<T>::get(const char* name, std::vector<float>& values) const {
    values.clear();
    for (const double x : attribute_of<std::vector<double>>(info_behind(this->p_), name)) values.push_back(float(x));
}
template <class T> void KernelInfoImpl<T>::get(const char* name, std::vector<std::int64_t>& values) const {
    values = attribute_of<std::vector<std::int64_t>>(info_behind(this->p_), name);
}
template <class T> void KernelInfoImpl<T>::get(const char* name, std::vector<std::string>& values) const {
    values = attribute_of<std::vector<std::string>>(info_behind(this->p_), name);
}
template struct KernelInfoImpl<OrtKernelInfo>;
template struct KernelInfoImpl<Unowned<const OrtKernelInfo>>;
}  // namespace detail

static OrtKernelContext& context_behind(OrtKernelContext* p) { return detail::need(p, "KernelContext"); }
std::size_t KernelContext::GetInputCount() const { return context_behind(context_).inputs.size(); }
std::size_t KernelContext::GetOutputCount() const { return context_behind(context_).outputs.size(); }
ConstValue KernelContext::GetInput(std::size_t index) const {
    const auto& in = detail::checked_at(context_behind(context_).inputs, index, "input");
    return ConstValue{in ? &*in : nullptr};
}
UnownedValue KernelContext::GetOutput(std::size_t index, const std::int64_t* dims, std::size_t rank) const {
    return UnownedValue{context_behind(context_).output(index, detail::shape_of(dims, rank))};
}
Logger KernelContext::GetLogger() const { return Logger(context_behind(context_).logger); }
void KernelContext::ParallelFor(void (*f)(void*, std::size_t), std::size_t total, std::size_t batches,
                                void* data) const {
    inlay::context& run = *context_behind(context_).run;
    const std::size_t most = batches ? batches : std::size_t(run.threads);
    const std::size_t parts = std::max<std::size_t>(1, std::min(total, most));
    run.for_each(int(parts), [&](int part) {
        const auto p = std::size_t(part);
        for (std::size_t i = total * p / parts; i < total * (p + 1) / parts; ++i) f(data, i);
    });
}
OrtLoggingLevel Logger::GetLoggingSeverityLevel() const noexcept {
    return logger_ ? logger_->log->level() : ORT_LOGGING_LEVEL_FATAL;
}
Status Logger::LogMessage(OrtLoggingLevel severity, const ORTCHAR_T* file, int line, const char* function,
                          const char* message) const noexcept {
    return Status(detail::status_of([&] {
        const std::string place =
            std::string(file ? file : "") + ":" + std::to_string(line) + " " + (function ? function : "") + ": ";
        detail::need(logger_, "Logger").log->write(severity, place + detail::need_text(message, "a line of the log"));
    }));
}
}  // namespace Ort
