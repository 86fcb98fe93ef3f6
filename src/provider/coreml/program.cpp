#include "program.hpp"
#include <inlay/element.hpp>
#include <limits>

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
// Value: type 2, immediateValue 3, blobFileValue 5; ImmediateValue: tensor 1.
message immediate(const message& type, const message& tensor) {
    return message().part(2, type).part(3, message().part(1, tensor));
}
// TensorValue: floats 1, ints 2, bools 3, strings 4, bytes 7; each of these: values 1.
message floats(std::span<const float> list) { return message().part(1, message().numbers(1, list)); }
message ints(std::span<const std::int64_t> list) { return message().part(2, message().numbers(1, list)); }
message bools(std::span<const std::int64_t> list) { return message().part(3, message().numbers(1, list)); }
message strings(std::string_view one) { return message().part(4, message().text(1, one)); }
message halves(std::string_view bytes) { return message().part(7, message().text(1, bytes)); }
message text_value(std::string_view s) { return immediate(value_type(text, {}), strings(s)); }
// What an operation has as a constant of its own.
struct parameter {
    message type, value;
};
parameter made(const message& type, const message& tensor) { return {type, immediate(type, tensor)}; }
parameter parameter_of(const scalar& s) {
    const message type = value_type(type_of(s.type), {});
    const auto wide = float(s.value);
    if (s.type == element::f32) return made(type, floats({&wide, 1}));
    const float16 narrow(wide);
    return made(type, halves({reinterpret_cast<const char*>(&narrow), sizeof narrow}));
}
parameter parameter_of(const argument& a) {
    if (const auto* flag = std::get_if<bool>(&a.value)) {
        const std::int64_t one = *flag;
        return made(value_type(boolean, {}), bools({&one, 1}));
    }
    if (const auto* one = std::get_if<std::int64_t>(&a.value)) return made(value_type(int32_type, {}), ints({one, 1}));
    if (const auto* s = std::get_if<std::string_view>(&a.value)) return made(value_type(text, {}), strings(*s));
    if (const auto* s = std::get_if<scalar>(&a.value)) return parameter_of(*s);
    const auto& list = std::get<integers>(a.value);
    const auto count = std::int64_t(list.size());
    return made(value_type(int32_type, {&count, 1}), ints(list));
}
// Argument: arguments 1; Binding: name 1.
void add_binding(message& to, const std::string& name) { to.part(1, message().text(1, name)); }

// Letters, digits and underscores, as Core ML wants the names of a program's values.
std::string identifier(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string text;
    for (const char c : name) text += is_letter(c) || is_digit(c) ? c : '_';
    return text.empty() || is_digit(text[0]) ? "_" + text : text;
}
constexpr std::int64_t most_elements = std::int64_t(1) << 40;

mil_function find(std::string_view op) {
    for (const auto rules :
         {product_rules(), pool_rules(), element_wise_rules(), normalization_rules(), movement_rules()})
        for (const mil_rule& r : rules)
            if (r.op == op) return r.write;
    return nullptr;
}
}  // namespace

tensor_info info_of(const shape& dims, element e) {
    constexpr int most_rank = 5;
    if (!is_float(e) && e != element::i32 && e != element::i64 && e != element::boolean)
        refuse("Core ML's programs get no tensors of type " + std::string(name_of(e)) + " here");
    if (dims.rank > most_rank) refuse("Core ML has no tensors of " + std::to_string(dims.rank) + " dimensions");
    std::int64_t elements = 1;
    for (const std::int64_t d : dims) {
        if (d < 1) refuse("Core ML has no tensors without elements, as that of shape " + to_string(dims));
        if (elements > most_elements / d) refuse("a tensor of shape " + to_string(dims) + " is too large");
        elements *= d;
    }
    return {dims.rank == 0 ? shape{1} : dims, e == element::i64 ? element::i32 : e};
}
void require_floats(const mil_node& a, int k) {
    if (!is_float(a.n.input(k).type))
        refuse("input " + std::to_string(k) + " is of type " + std::string(name_of(a.n.input(k).type)) +
               "; it is written for floats");
}

std::string program_writer::fresh(std::string name) {
    if (names_.insert(name).second) return name;
    for (int k = 1;; ++k)
        if (std::string other = name + "_" + std::to_string(k); names_.insert(other).second) return other;
}
// Operation: type 1, inputs 2, outputs 3, attributes 5. A constant is one without inputs, whose attribute is its value.
std::string program_writer::constant(std::string name, const message& value_type, const message& value) {
    name = fresh(std::move(name));
    block_.part(3, message()
                       .text(1, "const")
                       .part(3, named_type(name, value_type))
                       .entry(5, "name", text_value(name))
                       .entry(5, "val", value));
    return name;
}
std::vector<variable> program_writer::operations(std::string_view type, const arguments& in,
                                                 const std::vector<tensor_info>& results) {
    std::vector<variable> made;
    if (!package_) {
        for (const tensor_info& t : results) made.push_back({t, {}});
        return made;
    }
    const std::string name = std::string(type) + "_" + std::to_string(operations_++);
    message operation;
    operation.text(1, type);
    for (const argument& a : in) {
        message bindings;
        if (const auto* one = std::get_if<variable>(&a.value))
            add_binding(bindings, one->name);
        else if (const auto* several = std::get_if<std::vector<variable>>(&a.value))
            for (const variable& v : *several) add_binding(bindings, v.name);
        else {
            const parameter p = parameter_of(a);
            add_binding(bindings, constant(name + "_" + std::string(a.name), p.type, p.value));
        }
        operation.entry(2, a.name, bindings);
    }
    for (const tensor_info& t : results) {
        made.push_back({t, fresh(name)});
        operation.part(3, named_type(made.back().name, value_type(t)));
    }
    block_.part(3, operation.entry(5, "name", text_value(name)));
    return made;
}

void program_writer::write(const node& record) {
    const std::string op(record.op);
    if (!record.domain.empty()) refuse("Core ML has no operation for " + op + " of " + std::string(record.domain));
    const mil_function write_operations = find(op);
    if (!write_operations) refuse("there is no way here to write " + op + " in Core ML's operations");
    const node_view n{graph_, record};
    refuse_constant_results(n);
    for (int k = 0; k < n.output_count(); ++k)
        if (n.has_output(k)) (void)info_of_value(n.output_id(k));
    write_operations({{*this, n}});
}
// Between programs there are numbers only: what is true or false goes as 0 and 1.
static tensor_info feature_info(tensor_info t) {
    if (t.type == element::boolean) t.type = element::i32;
    return t;
}
void program_writer::add_input(int id) {
    const tensor_info info = info_of_value(id), outside = feature_info(info);
    const feature& f = inputs_.emplace_back(fresh(identifier(graph_.values[std::size_t(id)].name)), outside);
    const variable given{outside, f.name};
    put(id, outside.type == info.type ? given
                                      : operation("cast", {{"x", given}, {"dtype", std::string_view("bool")}}, info));
}
void program_writer::add_output(int id) {
    const variable made = value(id);
    feature& f = outputs_.emplace_back(fresh(identifier(graph_.values[std::size_t(id)].name)), feature_info(made.info));
    message operation, x;
    add_binding(x, made.name);
    operation.text(1, made.info.type == element::boolean ? "cast" : "identity").entry(2, "x", x);
    if (made.info.type == element::boolean) {
        message dtype;
        add_binding(dtype, constant(f.name + "_dtype", value_type(text, {}), text_value("int32")));
        operation.entry(2, "dtype", dtype);
    }
    operation.part(3, named_type(f.name, value_type(f.info)));
    block_.part(3, operation.entry(5, "name", text_value(f.name)));
}

// Elements of a constant that are no floats.
static integers integers_in(element type, const void* elements, std::int64_t count) {
    integers all(static_cast<std::size_t>(count));
    const auto copy = [&]<class T>(const T* from) { std::copy_n(from, count, all.begin()); };
    if (type == element::boolean)
        copy(static_cast<const bool*>(elements));
    else if (type == element::i32)
        copy(static_cast<const std::int32_t*>(elements));
    else
        copy(static_cast<const std::int64_t*>(elements));
    for (const std::int64_t x : all)
        if (x != std::int32_t(x)) refuse("its constant " + std::to_string(x) + " does not fit into int32");
    return all;
}
variable program_writer::value(int id) {
    if (id < 0) refuse("an input is missing");
    if (const auto found = values_.find(id); found != values_.end()) return found->second;
    const struct value& v = graph_.values[std::size_t(id)];
    const tensor_info info = info_of_value(id);
    const void* const elements = v.is_constant() && constants_ ? constants_->elements(id) : nullptr;
    if (!package_) {
        if (elements && v.type == element::i64) (void)integers_in(v.type, elements, v.dims.elements());
        return {info, {}};
    }
    if (!elements) refuse("the elements of the value " + std::string(v.name) + " are not there");
    const variable made{info, constant(identifier(v.name), value_type(info), constant_value(info, v.type, elements))};
    put(id, made);
    return made;
}
message program_writer::constant_value(const tensor_info& info, element type, const void* elements) {
    constexpr std::int64_t most_inside = 10;  // larger ones are in the file of weights
    const message stored = value_type(info);
    const std::int64_t count = info.dims.elements();
    if (is_float(type)) {
        const std::span bytes(static_cast<const std::byte*>(elements), std::size_t(bytes_of(type, count)));
        if (count > most_inside) {
            using kind = weight_file::kind;
            const std::uint64_t at = package_->weights.add(type == element::f32 ? kind::float32 : kind::float16, bytes);
            return message().part(2, stored).part(5, message().text(1, weight_file::name).number(2, at));
        }
        if (type == element::f16)
            return immediate(stored, halves({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        return immediate(stored, floats({static_cast<const float*>(elements), std::size_t(count)}));
    }
    const integers all = integers_in(type, elements, count);
    return immediate(stored, type == element::boolean ? bools(all) : ints(all));
}

variable program_writer::reshaped(const variable& x, const tensor_info& to) {
    if (x.info.dims == to.dims) return x;
    return operation("reshape", {{"x", x}, {"shape", integers(to.dims.begin(), to.dims.end())}},
                     with_dims(x.info, to.dims));
}
variable program_writer::broadcast_to(const variable& x, const shape& dims) {
    shape same_rank = shape::of_rank(dims.rank - x.info.dims.rank);
    for (const std::int64_t d : x.info.dims) same_rank.push_back(d);
    if (same_rank == dims) return reshaped(x, with_dims(x.info, dims));
    integers repeats;
    for (int i = 0; i < dims.rank; ++i) repeats.push_back(dims[i] / same_rank[i]);
    return operation("tile", {{"x", reshaped(x, with_dims(x.info, same_rank))}, {"reps", repeats}},
                     with_dims(x.info, dims));
}
variable combined(program_writer& to, std::string_view operation, const variable& x, const variable& y) {
    shape dims;
    if (!broadcast(x.info.dims, y.info.dims, dims)) refuse("its operands do not broadcast");
    return to.operation(operation, {{"x", x}, {"y", y}}, with_dims(x.info, dims));
}
variable reduced(program_writer& to, std::string_view operation, const variable& x, const integers& axes) {
    if (axes.empty()) return x;
    shape kept = x.info.dims;
    for (const std::int64_t axis : axes) kept[int(axis)] = 1;
    return to.operation(operation, {{"x", x}, {"axes", axes}, {"keep_dims", true}}, with_dims(x.info, kept));
}

// --- Model.proto and FeatureTypes.proto
// FeatureDescription: name 1, type 3; FeatureType: multiArrayType 5; ArrayFeatureType: shape 1, dataType 2.
static message description_of(const feature& f) {
    const std::uint64_t type = f.info.type == element::f32 ? 65568 : f.info.type == element::f16 ? 65552 : 131104;
    const message array = message().numbers(1, {f.info.dims.begin(), f.info.dims.end()}).number(2, type);
    return message().text(1, f.name).part(3, message().part(5, array));
}
std::string program_writer::model(const std::map<std::string, std::string>& settings) const {
    // The version of iOS 16 and macOS 13, the first whose programs may read and give float16.
    constexpr std::uint64_t specification = 7;
    constexpr std::string_view operation_set = "CoreML6";
    // ModelDescription: input 1, output 10, metadata 100; Metadata: shortDescription 1, userDefined 100.
    message metadata, description, function, block = block_;
    metadata.text(1, "A part of an ONNX model, written by Inlay");
    for (const auto& [name, setting] : settings) metadata.part(100, message().text(1, name).text(2, setting));
    // Function: inputs 1, opset 2, block_specializations 3; Block: outputs 2, operations 3.
    for (const feature& f : inputs_) {
        description.part(1, description_of(f));
        function.part(1, named_type(f.name, value_type(f.info)));
    }
    for (const feature& f : outputs_) {
        description.part(10, description_of(f));
        block.text(2, f.name);
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
