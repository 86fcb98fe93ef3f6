#include "program.hpp"
#include <inlay/element.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
// --- MIL.proto, as coremltools 9.0 has it: the fields that are written here
enum data_type : std::uint64_t { boolean = 1, text = 2, float16_type = 10, float32_type = 11, int32_type = 23 };
data_type type_of(element e) {
    return e == element::f32       ? float32_type
           : e == element::f16     ? float16_type
           : e == element::boolean ? boolean
                                   : int32_type;
}
// ValueType: tensorType 1; TensorType: dataType 1, rank 2, dimensions 3; Dimension: constant 1; its size 1.
message value_type(data_type type, std::span<const std::int64_t> dims) {
    message tensor;
    tensor.number(1, type);
    if (!dims.empty()) tensor.number(2, dims.size());
    for (const std::int64_t d : dims) tensor.part(3, message().part(1, message().number(1, std::uint64_t(d))));
    return message().part(1, tensor);
}
message value_type(const tensor_info& t) { return value_type(type_of(t.type), t.dims); }
// NamedValueType: name 1, type 2.
message named_type(std::string_view name, const message& type) { return message().text(1, name).part(2, type); }
message named_type(const variable& v) { return named_type(v.name, value_type(v.info)); }
// Value: type 2, immediateValue 3, blobFileValue 5; ImmediateValue: tensor 1.
message immediate(const message& type, const message& tensor) {
    return message().part(2, type).part(3, message().part(1, tensor));
}
// TensorValue: floats 1, ints 2, bools 3, strings 4, bytes 7; each of these: values 1.
message floats(std::span<const float> list) { return message().part(1, message().numbers(1, list)); }
message ints(std::span<const std::int64_t> list) { return message().part(2, message().numbers(1, list)); }
message bools(std::span<const std::int64_t> list) { return message().part(3, message().numbers(1, list)); }
message strings(std::string_view value) { return message().part(4, message().text(1, value)); }
message halves(std::string_view bytes) { return message().part(7, message().text(1, bytes)); }
message text_value(std::string_view s) { return immediate(value_type(text, {}), strings(s)); }
// What an operation has as a constant of its own.
struct parameter {
    message type, tensor;
};
parameter parameter_of(const scalar& s) {
    const message type = value_type(type_of(s.type), {});
    const auto wide = float(s.value);
    const auto whole = std::int64_t(s.value);
    const float16 narrow(wide);
    if (s.type == element::f32) return {type, floats({&wide, 1})};
    if (s.type == element::f16) return {type, halves({reinterpret_cast<const char*>(&narrow), sizeof narrow})};
    return {type, ints({&whole, 1})};
}
parameter parameter_of(const argument& a) {
    if (const auto* flag = std::get_if<bool>(&a.value)) {
        const std::int64_t number = *flag;
        return {value_type(boolean, {}), bools({&number, 1})};
    }
    if (const auto* number = std::get_if<std::int64_t>(&a.value))
        return {value_type(int32_type, {}), ints({number, 1})};
    if (const auto* s = std::get_if<std::string_view>(&a.value)) return {value_type(text, {}), strings(*s)};
    if (const auto* s = std::get_if<scalar>(&a.value)) return parameter_of(*s);
    const auto& list = std::get<integers>(a.value);
    const auto count = std::int64_t(list.size());
    return {value_type(int32_type, {&count, 1}), ints(list)};
}
// Argument: arguments 1; Binding: name 1.
void add_binding(message& to, const std::string& name) { to.part(1, message().text(1, name)); }

// Letters, digits and underscores, as Core ML requires of the names of a program's values.
std::string identifier(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string text;
    for (const char c : name) text += is_letter(c) || is_digit(c) ? c : '_';
    return text.empty() || is_digit(text[0]) ? "_" + text : text;
}
tensor_info between_programs(tensor_info t) {
    if (t.type == element::boolean) t.type = element::i32;
    return t;
}
}  // namespace

std::string program::fresh(std::string name) {
    if (names_.insert(name).second) return name;
    for (int k = 1;; ++k)
        if (std::string candidate = name + "_" + std::to_string(k); names_.insert(candidate).second) return candidate;
}
// Operation: type 1, inputs 2, outputs 3, attributes 5. A constant is one without inputs, whose attribute is its value.
std::string program::add_constant(std::string name, const message& value_type, const message& value) {
    name = fresh(std::move(name));
    block_.part(3, message()
                       .text(1, "const")
                       .part(3, named_type(name, value_type))
                       .entry(5, "name", text_value(name))
                       .entry(5, "val", value));
    return name;
}
message program::bindings(const std::string& operation, const argument& a) {
    message list;
    if (const auto* value = std::get_if<variable>(&a.value)) {
        add_binding(list, value->name);
    } else if (const auto* several = std::get_if<std::vector<variable>>(&a.value)) {
        for (const variable& v : *several) add_binding(list, v.name);
    } else {
        const parameter p = parameter_of(a);
        add_binding(list, add_constant(operation + "_" + std::string(a.name), p.type, immediate(p.type, p.tensor)));
    }
    return list;
}
variable program::operation(std::string_view type, const arguments& in, const tensor_info& result) {
    const std::string name = std::string(type) + "_" + std::to_string(operations_++);
    message operation;
    operation.text(1, type);
    for (const argument& a : in) operation.entry(2, a.name, bindings(name, a));
    variable y{result, fresh(name)};
    block_.part(3, operation.part(3, named_type(y)).entry(5, "name", text_value(name)));
    return y;
}
variable program::input(std::string_view name, const tensor_info& info) {
    const variable& input = inputs_.emplace_back(between_programs(info), fresh(identifier(name)));
    if (input.info.type == info.type) return input;
    return operation("cast", {{"x", input}, {"dtype", std::string_view("bool")}}, info);
}
void program::output(std::string_view name, const variable& x) {
    const variable& y = outputs_.emplace_back(between_programs(x.info), fresh(identifier(name)));
    const bool casts = y.info.type != x.info.type;
    message operation;
    operation.text(1, casts ? "cast" : "identity").entry(2, "x", bindings(y.name, {"x", x}));
    if (casts) operation.entry(2, "dtype", bindings(y.name, {"dtype", std::string_view("int32")}));
    block_.part(3, operation.part(3, named_type(y)).entry(5, "name", text_value(y.name)));
}
variable program::constant(std::string_view name, const tensor_info& info, std::span<const std::byte> elements) {
    constexpr std::int64_t most_inside = 10;  // larger ones are in the file of weights
    const message type = value_type(info);
    const auto* const bytes = reinterpret_cast<const char*>(elements.data());
    const auto value = [&] {
        if (info.dims.elements() > most_inside) {
            using kind = weight_file::kind;
            const std::uint64_t at = weights_.add(info.type == element::f32 ? kind::float32 : kind::float16, elements);
            return message().part(2, type).part(5, message().text(1, weight_file::name).number(2, at));
        }
        if (info.type == element::f16) return immediate(type, halves({bytes, elements.size()}));
        return immediate(type, floats({reinterpret_cast<const float*>(bytes), elements.size() / sizeof(float)}));
    };
    return {info, add_constant(identifier(name), type, value())};
}
variable program::constant(std::string_view name, const tensor_info& info, const integers& elements) {
    const message type = value_type(info);
    const message tensor = info.type == element::boolean ? bools(elements) : ints(elements);
    return {info, add_constant(identifier(name), type, immediate(type, tensor))};
}

// --- Model.proto and FeatureTypes.proto
// FeatureDescription: name 1, type 3; FeatureType: multiArrayType 5; ArrayFeatureType: shape 1, dataType 2.
static message description_of(const variable& v) {
    const std::uint64_t type = v.info.type == element::f32 ? 65568 : v.info.type == element::f16 ? 65552 : 131104;
    const message array = message().numbers(1, {v.info.dims.begin(), v.info.dims.end()}).number(2, type);
    return message().text(1, v.name).part(3, message().part(5, array));
}
std::string program::model(const std::map<std::string, std::string>& settings) const {
    // The version of iOS 16 and macOS 13, the first whose programs may read and give float16.
    constexpr std::uint64_t specification = 7;
    constexpr std::string_view operation_set = "CoreML6";
    // ModelDescription: input 1, output 10, metadata 100; Metadata: shortDescription 1, userDefined 100.
    message metadata, description, function, block = block_;
    metadata.text(1, "A part of an ONNX model, written by Inlay");
    for (const auto& [name, setting] : settings) metadata.part(100, message().text(1, name).text(2, setting));
    // Function: inputs 1, opset 2, block_specializations 3; Block: outputs 2, operations 3.
    for (const variable& v : inputs_) {
        description.part(1, description_of(v));
        function.part(1, named_type(v));
    }
    for (const variable& v : outputs_) {
        description.part(10, description_of(v));
        block.text(2, v.name);
    }
    function.text(2, operation_set).entry(3, operation_set, block);
    // Model: specificationVersion 1, description 2, mlProgram 502; Program: version 1, functions 2.
    return message()
        .number(1, specification)
        .part(2, description.part(100, metadata))
        .part(502, message().number(1, 1).entry(2, "main", function))
        .bytes();
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay
