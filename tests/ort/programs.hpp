// What tests of Ort:: share: sessions over models in ONNX's text form, and the exception that a call throws.
#pragma once
#include "../models.hpp"
#include <inlay/ort.hpp>

namespace inlay::testing {
// An environment that keeps its lines.
struct kept_log {
    std::mutex mutex{};
    std::vector<std::pair<OrtLoggingLevel, std::string>> lines{};
    static void write(void* self, OrtLoggingLevel severity, const char*, const char* logid, const char*,
                      const char* message) {
        auto& log = *static_cast<kept_log*>(self);
        const std::lock_guard lock(log.mutex);
        log.lines.emplace_back(severity, std::string(logid) + ": " + message);
    }
    int count(std::string_view text) const {
        return int(std::ranges::count_if(lines, [&](const auto& l) { return has_text(l.second, text); }));
    }
};
inline Ort::Session session_of(const Ort::Env& env, std::string_view text, const Ort::SessionOptions& options) {
    const auto bytes = serialized(text);
    return Ort::Session(env, bytes.data(), bytes.size(), options);
}
inline Ort::Session session_of(std::string_view text) {
    return session_of(Ort::Env(ORT_LOGGING_LEVEL_ERROR, "test"), text, Ort::SessionOptions());
}
inline Ort::MemoryInfo host() { return Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault); }
template <class T> Ort::Value over(std::vector<T>& data, const std::vector<std::int64_t>& dims) {
    return Ort::Value::CreateTensor<T>(host(), data.data(), data.size(), dims.data(), dims.size());
}
inline std::vector<float> floats_of(const Ort::Value& v) {
    const auto count = v.GetTensorTypeAndShapeInfo().GetElementCount();
    return {v.GetTensorData<float>(), v.GetTensorData<float>() + count};
}
struct thrown {
    OrtErrorCode code;
    std::string text;
};
template <class F> thrown thrown_by(F f) {
    try {
        f();
    } catch (const Ort::Exception& e) {
        return {e.GetOrtErrorCode(), e.what()};
    }
    return {ORT_OK, ""};
}
}  // namespace inlay::testing
