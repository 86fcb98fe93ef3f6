// From TensorProto to inlay::tensor: borrowed where the message's memory already has the layout, else converted.
#include "proto.hpp"
#include <algorithm>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace loading {
element element_of_proto(int data_type, std::string_view subject) {
    if (data_type <= 0 || data_type >= int(element::object)) {
        const bool is_valid = ::onnx::TensorProto::DataType_IsValid(data_type) && data_type > 0;
        refuse(is_valid ? error_code::unsupported_model : error_code::invalid_model,
               std::string(subject) + " has element type " +
                   (is_valid ? ::onnx::TensorProto::DataType_Name(::onnx::TensorProto::DataType(data_type)) +
                                   ", which is not supported"
                             : std::to_string(data_type) + ", which ONNX does not define"));
    }
    return element(data_type);
}

// The number of values that the typed field must have, and has.
struct field {
    std::string_view name;
    int64_t needs, has;
};
static field field_of(const ::onnx::TensorProto& t, element e, int64_t n) {
    switch (e) {
        case element::f32: return {"float_data", n, t.float_data_size()};
        case element::c64: return {"float_data", 2 * n, t.float_data_size()};
        case element::f64: return {"double_data", n, t.double_data_size()};
        case element::c128: return {"double_data", 2 * n, t.double_data_size()};
        case element::i64: return {"int64_data", n, t.int64_data_size()};
        case element::u32:
        case element::u64: return {"uint64_data", n, t.uint64_data_size()};
        case element::string: return {"string_data", n, t.string_data_size()};
        default:
            return {"int32_data", bits_of(e) < 8 ? bytes_of(e, n) : n,
                    t.int32_data_size()};  // a byte of packed elements per value
    }
}

void refuse_rank(std::string_view subject, int rank) {
    refuse(error_code::unsupported_model, std::string(subject) + " has " + std::to_string(rank) + " dimensions; " +
                                              std::to_string(max_rank) + " are supported");
}
void check_tensor(const ::onnx::TensorProto& t, const limits& l, std::string_view subject, int64_t bytes_left) {
    const std::string name(subject);
    const element e = element_of_proto(t.data_type(), subject);
    if (t.dims_size() > max_rank) refuse_rank(subject, t.dims_size());
    if (t.has_segment()) refuse(error_code::unsupported_model, name + " is stored in segments, which is not supported");
    int64_t n = 1, extent = 1;  // extent: as if no dimension were zero, so that strides fit too
    for (int64_t d : t.dims()) {
        if (d < 0) refuse(error_code::invalid_model, name + " has the negative dimension " + std::to_string(d));
        if (__builtin_mul_overflow(extent, std::max<int64_t>(d, 1), &extent))
            extent = std::numeric_limits<int64_t>::max();
        if (extent > l.elements_per_tensor)
            refuse(error_code::limit_exceeded,
                   name + " has more than " + std::to_string(l.elements_per_tensor) + " elements",
                   "raise limits::elements_per_tensor");
        n *= d;
    }
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL) {
        if (e == element::string) refuse(error_code::invalid_model, name + ": strings cannot be external data");
        return;
    }
    const field f = field_of(t, e, n);
    const int64_t size = bytes_left ? bytes_left : int64_t(t.raw_data().size());
    if (size && e == element::string) refuse(error_code::invalid_model, name + ": strings cannot be raw data");
    if (size ? size != bytes_of(e, n) : f.has != f.needs)
        refuse(error_code::invalid_model,
               name + " has " +
                   (size ? std::to_string(size) + " bytes of raw data, its shape and type need " +
                               std::to_string(bytes_of(e, n))
                         : std::to_string(f.has) + " values in " + std::string(f.name) + ", its shape and type need " +
                               std::to_string(f.needs)));
}

template <class T, class Values> static tensor converted(element e, const shape& dims, const Values& values) {
    tensor t(e, dims);
    std::transform(values.begin(), values.end(), static_cast<T*>(t.data()), [](auto v) { return static_cast<T>(v); });
    return t;
}
static tensor owned(element e, const shape& dims, const std::byte* data) {
    tensor t = tensor::uninitialized(e, dims);
    const auto size = std::size_t(t.bytes());
    if (size) std::memcpy(t.data(), data, size);
    if (e == element::boolean)
        for (auto* p = static_cast<std::uint8_t*>(t.data()); p != static_cast<std::uint8_t*>(t.data()) + size; ++p)
            *p = *p != 0;
    return t;
}
static tensor from_bytes(element e, const shape& dims, const std::byte* data, const std::shared_ptr<void>& keep) {
    const int64_t size = bytes_of(e, dims.elements());
    const bool odd = e == element::boolean &&
                     std::any_of(data, data + size, [](std::byte b) { return b > std::byte(1); });  // no bool of C++
    if (odd || size < large) return owned(e, dims, data);
    return tensor::borrow(e, dims, data, space_of<memory::host>, keep);
}

const file_bytes& data_list::of(const ::onnx::TensorProto& t) const {
    return regions[std::size_t(std::stoll(t.external_data(0).value().substr(1)))];
}

tensor to_tensor(const ::onnx::TensorProto& t, const std::shared_ptr<void>& keep, const data_list* external) {
    const element e = element(t.data_type());
    shape dims;
    for (int64_t d : t.dims()) dims.push_back(d);
    if (dims.elements() == 0) return tensor(e, dims);
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL) {
        if (!external)
            refuse(error_code::unsupported_model,
                   "the tensor `" + one_line(t.name()) + "` is external data, which is not supported here");
        const file_bytes& f = external->of(t);
        return from_bytes(e, dims, f.data.data(), f.keep);
    }
    const auto from_field = [&](const auto& values) {
        return from_bytes(e, dims, reinterpret_cast<const std::byte*>(values.data()), keep);
    };
    if (!t.raw_data().empty())
        return from_bytes(e, dims, reinterpret_cast<const std::byte*>(t.raw_data().data()), keep);
    switch (e) {
        case element::f32:
        case element::c64: return from_field(t.float_data());
        case element::f64:
        case element::c128: return from_field(t.double_data());
        case element::i64: return from_field(t.int64_data());
        case element::u64: return from_field(t.uint64_data());
        case element::i32: return from_field(t.int32_data());
        case element::u32: return converted<std::uint32_t>(e, dims, t.uint64_data());
        case element::boolean: return converted<bool>(e, dims, t.int32_data());
        case element::string: {
            tensor s(e, dims);
            std::copy(t.string_data().begin(), t.string_data().end(), s.as<std::string>().begin());
            return s;
        }
        default:
            return bits_of(e) == 16 ? converted<std::uint16_t>(e, dims, t.int32_data())
                                    : converted<std::uint8_t>(e, dims, t.int32_data());
    }
}

void to_proto(const tensor& t, ::onnx::TensorProto& p) {
    if (!t.on_host()) return to_proto(t.copied_to(space_of<memory::host>), p);
    p.set_data_type(int(t.type()));
    for (int64_t d : t.shape()) p.add_dims(d);
    if (t.type() == element::string)
        for (const std::string& s : t.as<std::string>()) p.add_string_data(s);
    else
        p.set_raw_data(t.data(), std::size_t(t.bytes()));
}

namespace {
// Whether the parts of a sparse tensor are well-formed, so that it may be read at all.
void check_sparse(::onnx::SparseTensorProto& sparse, const limits& l, const std::string& subject) {
    check_tensor(sparse.values(), l, subject + "'s list of values");
    check_tensor(sparse.indices(), l, subject + "'s list of indices");
    const element e = element(sparse.values().data_type());
    if (e == element::string || bits_of(e) < 8)
        refuse(error_code::unsupported_model,
               subject + " has elements of type " + std::string(name_of(e)) + ", which is not supported");
    if (sparse.dims_size() < 1 || sparse.dims_size() > max_rank)
        refuse(error_code::unsupported_model, subject + " has " + std::to_string(sparse.dims_size()) +
                                                  " dimensions; 1 to " + std::to_string(max_rank) + " are supported");
    if (sparse.values().data_location() == ::onnx::TensorProto::EXTERNAL ||
        sparse.indices().data_location() == ::onnx::TensorProto::EXTERNAL)
        refuse(error_code::unsupported_model, subject + " is external data, which is not supported");
}
shape dense_shape(const ::onnx::SparseTensorProto& sparse, const limits& l, const std::string& subject) {
    shape dims;
    int64_t extent = 1;
    for (int64_t d : sparse.dims()) {
        if (d < 0) refuse(error_code::invalid_model, subject + " has the negative dimension " + std::to_string(d));
        if (__builtin_mul_overflow(extent, std::max<int64_t>(d, 1), &extent) || extent > l.elements_per_tensor)
            refuse(error_code::limit_exceeded,
                   subject + " has more than " + std::to_string(l.elements_per_tensor) + " elements",
                   "raise limits::elements_per_tensor");
        dims.push_back(d);
    }
    return dims;
}
// The element that an index refers to, which has one number, or one for each dimension; none outside of the tensor.
std::optional<int64_t> place_of(const int64_t* index, bool linear, const shape& dims) {
    if (linear) return *index;
    int64_t at = 0;
    for (int i = 0; i < dims.rank; ++i) {
        if (index[i] < 0 || index[i] >= dims[i]) return std::nullopt;
        at = at * dims[i] + index[i];
    }
    return at;
}
// ONNX requires indices of 64 bits; files have shorter ones too, which ONNX Runtime reads.
tensor wide_indices(const tensor& t, const std::string& subject) {
    const auto widened = [&](auto number) {
        using T = decltype(number);
        const auto from = t.as<T>();
        return tensor(t.shape(), std::vector<int64_t>(from.begin(), from.end()));
    };
    switch (t.type()) {
        case element::i8: return widened(std::int8_t());
        case element::i16: return widened(std::int16_t());
        case element::i32: return widened(std::int32_t());
        case element::i64: return t;
        default:
            if (t.elements() == 0) return tensor(t.shape(), std::vector<int64_t>());
            refuse(error_code::invalid_model,
                   subject + " has indices of type " + std::string(name_of(t.type())) + "; they are of type int64");
    }
}
// The bytes of all elements, zero where there is no value.
std::string dense_bytes(const tensor& values, const tensor& indices, const shape& dims, const std::string& subject) {
    const bool linear = indices.shape().rank == 1;
    const int64_t count = values.elements(), n = dims.elements();
    if (values.shape().rank != 1 || (count && indices.shape() != (linear ? shape{count} : shape{count, dims.rank})))
        refuse(error_code::invalid_model, subject + ": " + to_string(values.shape()) + " values and " +
                                              to_string(indices.shape()) + " indices do not fit");
    std::string raw(std::size_t(bytes_of(values.type(), n)), '\0');
    const auto step = std::size_t(bits_of(values.type()) / 8);
    int64_t previous = -1;
    for (int64_t k = 0; k < count; ++k) {
        const auto* index = static_cast<const int64_t*>(indices.data()) + (linear ? k : k * dims.rank);
        const std::optional<int64_t> at = place_of(index, linear, dims);
        if (!at || *at <= previous || *at >= n)
            refuse(error_code::invalid_model, subject + ": its indices must lie in the tensor and ascend");
        std::memcpy(raw.data() + std::size_t(*at) * step,
                    static_cast<const std::byte*>(values.data()) + std::size_t(k) * step, step);
        previous = *at;
    }
    return raw;
}
}  // namespace

void make_dense(::onnx::SparseTensorProto& sparse, ::onnx::TensorProto& dense, const limits& l, int64_t& budget) {
    const std::string subject = "the sparse tensor `" + one_line(sparse.values().name()) + "`";
    check_sparse(sparse, l, subject);
    const shape dims = dense_shape(sparse, l, subject);
    const int64_t size = bytes_of(element(sparse.values().data_type()), dims.elements());
    if ((budget -= size) < 0)
        refuse(error_code::limit_exceeded, subject + " needs " + std::to_string(size) + " bytes as a dense tensor",
               "raise limits::copied_bytes");
    std::string raw = dense_bytes(to_tensor(sparse.values(), {}),
                                  wide_indices(to_tensor(sparse.indices(), {}), subject), dims, subject);
    dense.set_name(sparse.values().name());
    dense.set_data_type(sparse.values().data_type());
    *dense.mutable_dims() = sparse.dims();
    *dense.mutable_raw_data() = std::move(raw);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
