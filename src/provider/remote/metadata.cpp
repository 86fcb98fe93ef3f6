// What a server reports of its model, compared with the model here.
#include "json_text.hpp"
#include "protocol.hpp"
#include <inlay/value_type.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
std::string read_ports(const nlohmann::json& metadata, const char* key, std::vector<served_port>& to) {
    const nlohmann::json* const list = member(metadata, key);
    if (!list || !list->is_array()) return std::string("it has no list `") + key + "`";
    for (const nlohmann::json& entry : *list) {
        const std::string *const name = text_member(entry, "name"), *const datatype = text_member(entry, "datatype");
        const nlohmann::json* const dims = member(entry, "shape");
        served_port port;
        if (!name || !datatype || !dims || !read_dims(*dims, port.dims))
            return std::string("one of its `") + key + "` lacks a name, a datatype or a shape";
        port.name = *name;
        port.datatype = *datatype;
        to.push_back(std::move(port));
    }
    return {};
}
std::string text_of(const std::vector<std::int64_t>& dims) {
    std::string s = "[";
    for (const std::int64_t d : dims) s += (s.size() > 1 ? "," : "") + std::to_string(d);
    return s + "]";
}
bool fits(const std::vector<std::int64_t>& served, const shape& local) {
    return std::ranges::equal(served, local, [](std::int64_t s, std::int64_t h) { return s < 0 || h < 0 || s == h; });
}
std::string difference(std::string_view kind, const std::vector<served_port>& served, const value& local, bool binary) {
    const std::string name = std::string(kind) + " `" + std::string(local.name) + "`";
    const auto at = std::ranges::find(served, local.name, &served_port::name);
    if (at == served.end()) return "the server's model has no " + name;
    const std::string_view datatype = datatype_of(local.type, binary);
    if (datatype.empty())
        return name + " is a tensor of " + std::string(name_of(local.type)) +
               (binary || datatype_of(local.type, true).empty()
                    ? ", which the provider does not send"
                    : ", which the protocol's JSON has not; with `binary` it goes");
    if (at->datatype != datatype)
        return name + " is " + at->datatype + " on the server, and " + std::string(datatype) + " here";
    if (!fits(at->dims, local.dims))
        return name + " has the shape " + text_of(at->dims) + " on the server, and " + to_string(local.dims) + " here";
    return {};
}
}  // namespace

std::string_view datatype_of(element e, bool binary) {
    switch (e) {
        case element::boolean: return "BOOL";
        case element::u8: return "UINT8";
        case element::u16: return "UINT16";
        case element::u32: return "UINT32";
        case element::u64: return "UINT64";
        case element::i8: return "INT8";
        case element::i16: return "INT16";
        case element::i32: return "INT32";
        case element::i64: return "INT64";
        case element::f16: return "FP16";
        case element::bf16: return binary ? "BF16" : "";
        case element::f32: return "FP32";
        case element::f64: return "FP64";
        case element::string: return "BYTES";
        default: return "";
    }
}
std::string read_metadata(std::string_view text, served_model& to) {
    constexpr std::size_t most_values = 100000;
    if (!is_modest(text, most_values)) return "it has more values than metadata have";
    const nlohmann::json metadata = parsed(text);
    if (!metadata.is_object()) return "it is no JSON object";
    to = {};
    if (std::string reason = read_ports(metadata, "inputs", to.inputs); !reason.empty()) return reason;
    return read_ports(metadata, "outputs", to.outputs);
}
std::string difference(const served_model& served, const graph_view& g, std::span<const int> inputs,
                       std::span<const int> outputs, bool binary) {
    for (const int id : inputs)
        if (std::string reason = difference("input", served.inputs, g.values[std::size_t(id)], binary); !reason.empty())
            return reason;
    for (const int id : outputs)
        if (std::string reason = difference("output", served.outputs, g.values[std::size_t(id)], binary);
            !reason.empty())
            return reason;
    for (const served_port& p : served.inputs)
        if (std::ranges::none_of(inputs, [&](int id) { return g.values[std::size_t(id)].name == p.name; }))
            return "the server's model has an input `" + p.name + "` that no node reads here";
    return {};
}
}  // namespace v1
}  // namespace inlay
