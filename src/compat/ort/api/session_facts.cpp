// What a session and its model report about themselves.
#include "errors.hpp"
#include "session.hpp"

namespace Ort {
namespace detail {
void OrtRelease(OrtModelMetadata* m) noexcept { delete m; }

template <class T> static T& session_behind(T* p) { return need(p, "Session"); }
static std::vector<std::string> names_of(std::span<const inlay::port> ports) {
    std::vector<std::string> names;
    for (const inlay::port& p : ports) names.push_back(p.name);
    return names;
}

template <class T> std::size_t ConstSessionImpl<T>::GetInputCount() const {
    return session_behind(this->p_).input_types.size();
}
template <class T> std::size_t ConstSessionImpl<T>::GetOutputCount() const {
    return session_behind(this->p_).output_types.size();
}
template <class T> std::size_t ConstSessionImpl<T>::GetOverridableInitializerCount() const { return 0; }
template <class T>
AllocatedStringPtr ConstSessionImpl<T>::GetInputNameAllocated(std::size_t index, OrtAllocator* allocator) const {
    return text_in(allocator, checked_at(session_behind(this->p_).session->inputs(), index, "input").name);
}
template <class T>
AllocatedStringPtr ConstSessionImpl<T>::GetOutputNameAllocated(std::size_t index, OrtAllocator* allocator) const {
    return text_in(allocator, checked_at(session_behind(this->p_).session->outputs(), index, "output").name);
}
static constexpr const char* no_initializer = "Ort: no initializer is overridable: they are constants";
template <class T>
AllocatedStringPtr ConstSessionImpl<T>::GetOverridableInitializerNameAllocated(std::size_t, OrtAllocator*) const {
    raise(ORT_INVALID_ARGUMENT, no_initializer);
}
template <class T> std::vector<std::string> ConstSessionImpl<T>::GetInputNames() const {
    return names_of(session_behind(this->p_).session->inputs());
}
template <class T> std::vector<std::string> ConstSessionImpl<T>::GetOutputNames() const {
    return names_of(session_behind(this->p_).session->outputs());
}
template <class T> std::uint64_t ConstSessionImpl<T>::GetProfilingStartTimeNs() const {
    return session_behind(this->p_).recorder.start();
}
template <class T> ModelMetadata ConstSessionImpl<T>::GetModelMetadata() const {
    return ModelMetadata(new OrtModelMetadata{session_behind(this->p_).session->model()});
}
template <class T> TypeInfo ConstSessionImpl<T>::GetInputTypeInfo(std::size_t index) const {
    return type_info_of(checked_at(session_behind(this->p_).input_types, index, "input"));
}
template <class T> TypeInfo ConstSessionImpl<T>::GetOutputTypeInfo(std::size_t index) const {
    return type_info_of(checked_at(session_behind(this->p_).output_types, index, "output"));
}
template <class T> TypeInfo ConstSessionImpl<T>::GetOverridableInitializerTypeInfo(std::size_t) const {
    raise(ORT_INVALID_ARGUMENT, no_initializer);
}
template struct ConstSessionImpl<OrtSession>;
template struct ConstSessionImpl<Unowned<OrtSession>>;
template struct ConstSessionImpl<Unowned<const OrtSession>>;
}  // namespace detail

using detail::text_in;
static const inlay::model& model_behind(const OrtModelMetadata* p) { return detail::need(p, "ModelMetadata").model; }
AllocatedStringPtr ModelMetadata::GetProducerNameAllocated(OrtAllocator* a) const {
    return text_in(a, model_behind(p_).producer_name());
}
AllocatedStringPtr ModelMetadata::GetGraphNameAllocated(OrtAllocator* a) const {
    return text_in(a, model_behind(p_).graph_name());
}
AllocatedStringPtr ModelMetadata::GetDomainAllocated(OrtAllocator* a) const {
    return text_in(a, model_behind(p_).domain());
}
AllocatedStringPtr ModelMetadata::GetDescriptionAllocated(OrtAllocator* a) const {
    return text_in(a, model_behind(p_).doc_string());
}
AllocatedStringPtr ModelMetadata::GetGraphDescriptionAllocated(OrtAllocator*) const {
    detail::raise(ORT_NOT_IMPLEMENTED,
                  "Ort: a graph's own description is not kept; GetDescriptionAllocated() is the "
                  "model's");
}
std::vector<AllocatedStringPtr> ModelMetadata::GetCustomMetadataMapKeysAllocated(OrtAllocator* a) const {
    std::vector<AllocatedStringPtr> keys;
    for (const auto& [key, text] : model_behind(p_).metadata()) keys.push_back(text_in(a, key));
    return keys;
}
AllocatedStringPtr ModelMetadata::LookupCustomMetadataMapAllocated(const char* key, OrtAllocator* a) const {
    const auto& metadata = model_behind(p_).metadata();
    const auto entry = metadata.find(detail::need_text(key, "a key"));
    return entry == metadata.end() ? AllocatedStringPtr(nullptr, detail::AllocatedFree(a)) : text_in(a, entry->second);
}
std::int64_t ModelMetadata::GetVersion() const { return model_behind(p_).model_version(); }
}  // namespace Ort
