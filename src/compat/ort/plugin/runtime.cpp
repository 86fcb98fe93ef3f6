#include "runtime.hpp"

namespace inlay::ep {
void runtime::raise_failed(OrtStatus* s) const {
    error e(error_code::provider_failed, "ONNX Runtime: " + std::string(call(error_message, s)));
    call(release_status, s);
    raise(std::move(e));
}
static ort_error code_of(error_code c) {
    switch (c) {
        case error_code::invalid_argument:
        case error_code::not_found:
        case error_code::unknown_option:
        case error_code::invalid_option:
        case error_code::no_such_level:
        case error_code::shape_mismatch:
        case error_code::type_mismatch:
        case error_code::invalid_value: return ort_error::invalid_argument;
        case error_code::invalid_model: return ort_error::invalid_graph;
        case error_code::unsupported_model:
        case error_code::no_provider: return ort_error::not_implemented;
        default: return ort_error::runtime;
    }
}
OrtStatus* runtime::status_of(const error& e) const {
    const bool has_hint = e.text.find(e.hint) != std::string::npos;
    return status(code_of(e.code), has_hint ? e.text : e.text + " (" + e.hint + ")");
}
OrtStatus* runtime::current_status() const noexcept {
    try {
        throw;
    } catch (const error& e) {
        try {
            return status_of(e);
        } catch (...) {  // for the text with the hint
            return call(create_status, code_of(e.code), e.what());
        }
    } catch (const std::bad_alloc&) {
        return call(create_status, ort_error::fail, "inlay: the system has no memory left");
    } catch (const std::exception& e) {
        return call(create_status, ort_error::runtime, e.what());
    } catch (...) {
        return call(create_status, ort_error::runtime, "inlay: an exception that is not Inlay's");
    }
}

static ort_severity severity_of(severity s) { return ort_severity(int(s)); }
static_assert(int(severity::verbose) == int(ort_severity::verbose) && int(severity::fatal) == int(ort_severity::fatal));
void logger::operator()(severity s, const std::string& text) const noexcept {
    // The place in the source is meant for debugging ONNX Runtime; here all lines have one.
    if (OrtStatus* failed = ort->call(log_message, to, severity_of(s), text.c_str(), "inlay", 0, "inlay"))
        ort->call(release_status, failed);
}
bool logger::takes(severity s) const noexcept {
    ort_severity least = ort_severity::warning;
    if (OrtStatus* failed = ort->call(logger_severity, to, &least)) ort->call(release_status, failed);
    return severity_of(s) >= least;
}

element element_of_ort(int type) {
    constexpr int same = int(element::f4e2m1);
    if (type <= 0) return element::undefined;
    if (type <= same) return element(type);
    constexpr element newest[] = {element::u2, element::i2, element::f8e8m0};
    return type - same <= int(std::size(newest)) ? newest[type - same - 1] : element::undefined;
}

tensor_type tensor_type_of(const runtime& ort, const OrtTensorTypeAndShapeInfo* info, bool with_symbols) {
    tensor_type t;
    t.type = element_of_ort(ort.get<int>(element_type, info));
    t.has_shape = ort.call(has_shape, info);
    if (!t.has_shape) return t;
    t.dims.resize(ort.get<std::size_t>(dimensions_count, info));
    ort.ask(dimensions, info, t.dims.data(), t.dims.size());
    if (!with_symbols) return t;
    std::vector<const char*> names(t.dims.size());
    ort.ask(symbolic_dimensions, info, names.data(), names.size());
    for (const char* name : names) t.symbols.emplace_back(name ? name : "");
    return t;
}
tensor_type tensor_type_of(const runtime& ort, const OrtValue* v) {
    auto* info = ort.get<OrtTensorTypeAndShapeInfo*>(tensor_type_and_shape, v);
    const auto release = [&ort](OrtTensorTypeAndShapeInfo* i) { ort.call(release_tensor_info, i); };
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(release)> keep(info, release);
    return tensor_type_of(ort, info, false);
}
shape shape_of(const tensor_type& t, std::string_view subject) {
    if (t.dims.size() > std::size_t(max_rank))
        raise({error_code::limit_exceeded, "inlay: " + std::string(subject) + " has " + std::to_string(t.dims.size()) +
                                               " dimensions; at most " + std::to_string(max_rank) + " are possible"});
    shape s;
    for (std::int64_t d : t.dims) s.push_back(d);
    return s;
}

tensor tensor_of_strings(const runtime& ort, const OrtValue* v, const shape& dims) {
    tensor t(element::string, dims);
    const auto count = std::size_t(dims.elements());
    std::string text(ort.get<std::size_t>(string_tensor_length, v), '\0');
    std::vector<std::size_t> ends(count + 1, text.size());  // each element's beginning, then the end of the last
    if (count) ort.ask(string_tensor_content, v, text.data(), text.size(), ends.data(), count);
    const auto to = t.as<std::string>();
    for (std::size_t i = 0; i < count; ++i) to[i] = text.substr(ends[i], ends[i + 1] - ends[i]);
    return t;
}
void write_strings(const runtime& ort, const tensor& from, OrtValue* to) {
    const auto strings = from.as<std::string>();
    for (std::size_t i = 0; i < strings.size(); ++i) {
        char* target = nullptr;
        ort.ask(resized_string_element, to, i, strings[i].size(), &target);
        std::copy_n(strings[i].data(), strings[i].size(), target);
    }
}
}  // namespace inlay::ep
