#include "onnx_region.hpp"
#include <algorithm>
#include <climits>
#include <support/content_hash.hpp>
#include <support/protobuf_wire.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
namespace model_fields {
constexpr int graph = 7;
}
namespace graph_fields {
constexpr int initializer = 5, input = 11;
}
namespace input_fields {
constexpr int name = 1;
}
namespace tensor_fields {
constexpr int dims = 1, data_type = 2, name = 8, raw_data = 9, external_data = 13, data_location = 14;
constexpr std::int64_t external = 1;
}  // namespace tensor_fields

std::size_t element_bytes(const value& v) { return std::size_t(bytes_of(v.type, v.dims.elements())); }
void copy_field(const wire_field& f, std::string& to) {  // numbers and bytes, which are all that is in these messages
    if (f.kind == wire::bytes)
        message_writer(to).add(int(f.number), f.bytes);
    else
        message_writer(to).add(int(f.number), std::int64_t(f.value));
}

// The graph of a region's ONNX, whose constants without elements are inputs.
class graph_with_elements {
    const region& r_;
    const elements_in in_;
    struct initializer {
        std::string beginning;
        std::string_view elements;  // behind it
    };
    std::string rest_{};
    std::vector<initializer> initializers_{};

    int constant_of(std::string_view input) const {  // to_onnx() calls it c and its id; -1: the input is none
        message_reader fields(input);
        wire_field name;
        if (!fields.next(name) || name.number != input_fields::name || !name.bytes.starts_with('c')) return -1;
        std::size_t id = 0;
        for (const char digit : name.bytes.substr(1)) id = id * 10 + std::size_t(digit - '0');
        return id < r_.graph.values.size() ? int(id) : -1;
    }
    static void refer_to(std::string_view elements, message_writer& tensor) {
        const auto add = [&](std::string_view key, const std::string& value) {
            std::string entry;
            message_writer(entry).add(1, key);
            message_writer(entry).add(2, value);
            tensor.add(tensor_fields::external_data, entry);
        };
        add("location", "*/_ORT_MEM_ADDR_/*");
        add("offset", std::to_string(reinterpret_cast<std::uintptr_t>(elements.data())));
        add("length", std::to_string(elements.size()));
        tensor.add(tensor_fields::data_location, tensor_fields::external);
    }
    bool initialize(int id) {  // false: its elements are not known
        const value& v = r_.graph.values[std::size_t(id)];
        const void* const data = r_.constant(id);
        if (!data) return false;
        std::string_view elements(static_cast<const char*>(data), element_bytes(v));
        std::string fields, beginning;
        message_writer tensor(fields);
        for (const std::int64_t d : v.dims) tensor.add(tensor_fields::dims, d);
        tensor.add(tensor_fields::data_type, std::int64_t(v.type));
        tensor.add(tensor_fields::name, "c" + std::to_string(id));
        constexpr std::size_t least_in_memory = 1024;
        if (in_ == elements_in::memory && bits_of(v.type) >= 8 && elements.size() >= least_in_memory) {
            refer_to(elements, tensor);
            elements = {};
        } else {
            tensor.begin(tensor_fields::raw_data, elements.size());
        }
        message_writer(beginning).begin(graph_fields::initializer, fields.size() + elements.size());
        initializers_.push_back({beginning + fields, elements});
        return true;
    }

  public:
    graph_with_elements(const region& r, elements_in in) : r_(r), in_(in) {}
    void read(std::string_view graph) {
        message_reader fields(graph);
        for (wire_field f; fields.next(f);)
            if (const int id = f.number == graph_fields::input ? constant_of(f.bytes) : -1; id < 0 || !initialize(id))
                copy_field(f, rest_);
    }
    std::size_t bytes() const {
        std::size_t sum = rest_.size();
        for (const initializer& i : initializers_) sum += i.beginning.size() + i.elements.size();
        return sum;
    }
    void append_to(std::string& model) const {
        message_writer(model).begin(model_fields::graph, bytes());
        model += rest_;
        for (const auto& [beginning, elements] : initializers_) (model += beginning) += elements;
    }
};

std::vector<int> constants_of(const region& r) {
    std::vector<char> is_known(r.graph.values.size(), 0);
    for (const int i : r.nodes)
        for (const int v : r.graph.list(r.graph.nodes[std::size_t(i)].outputs))
            if (v >= 0) is_known[std::size_t(v)] = 1;
    std::vector<int> constants;
    for (const int i : r.nodes)
        for (const int v : r.graph.list(r.graph.nodes[std::size_t(i)].inputs))
            if (v >= 0 && r.graph.values[std::size_t(v)].is_constant() && !std::exchange(is_known[std::size_t(v)], 1))
                constants.push_back(v);
    return constants;
}
std::vector<onnx_port> ports(const region& r, std::span<const int> ids, char letter) {
    std::vector<onnx_port> list;
    for (const int id : ids) {
        const value& v = r.graph.values[std::size_t(id)];
        list.push_back({letter + std::to_string(list.size()), v.type, v.dims});
    }
    return list;
}
}  // namespace

result<std::string> with_elements(std::string_view onnx, const region& r, elements_in in) {
    std::string model;
    graph_with_elements graph(r, in);
    message_reader fields(onnx);
    for (wire_field f; fields.next(f);)
        if (f.number == model_fields::graph)
            graph.read(f.bytes);
        else
            copy_field(f, model);
    constexpr std::size_t heading = 16;  // no more of the graph's field is before its bytes
    const std::size_t bytes = model.size() + heading + graph.bytes();
    if (bytes > INT_MAX)
        return error(error_code::limit_exceeded, "the region is larger than a protobuf message may be, 2 GiB");
    model.reserve(bytes);
    graph.append_to(model);
    return model;
}

std::size_t bytes_of_constants(const region& r) {
    std::size_t sum = 0;
    for (const int id : constants_of(r)) sum += element_bytes(r.graph.values[std::size_t(id)]);
    return sum;
}
std::optional<std::uint64_t> hash_of_constants(const region& r) {
    std::uint64_t hash = 0;
    for (const int id : constants_of(r)) {
        const value& v = r.graph.values[std::size_t(id)];
        const void* const elements = v.type == element::string ? nullptr : r.constant(id);
        if (!elements && element_bytes(v) > 0) return {};
        hash = content_hash::of(std::span(static_cast<const std::byte*>(elements), element_bytes(v)), hash);
    }
    return hash;
}

attribute_tensors::attribute_tensors(const region& r) : constants_(r.constants) {
    if (!constants_) return;
    for (const int i : r.nodes) {
        const range list = r.graph.nodes[std::size_t(i)].attributes;
        for (const attribute& a : r.graph.attributes.subspan(std::size_t(list.first), std::size_t(list.count)))
            if (a.kind == attribute_kind::tensor) values_.push_back(int(a.integer));
    }
}
const void* attribute_tensors::elements(int value) const {
    return std::ranges::find(values_, value) == values_.end() ? nullptr : constants_->elements(value);
}

std::vector<onnx_port> input_ports(const region& r) { return ports(r, r.inputs, 'i'); }
std::vector<onnx_port> output_ports(const region& r) { return ports(r, r.outputs, 'o'); }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
