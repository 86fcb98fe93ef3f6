// The inputs and outputs of a model that is a type: by name, with the C++ types of their elements.
#pragma once
#include <inlay/sdk/fixed_text.hpp>
#include <inlay/sdk/graph.hpp>
#include <complex>

namespace inlay {
inline namespace v1 {
template <fixed_text Name, fixed_text There> struct no_such_port {
    static_assert(sizeof(Name) == 0,
                  "inlay::embedded: the model has no such input or output; its ports follow, with types and shapes");
};
template <fixed_text Asked, fixed_text Has> struct port_differs {
    static_assert(sizeof(Asked) == 0,
                  "inlay::embedded: the port has another element type or another number of elements");
};

namespace detail {
template <element E>
struct type_of_element;  // of a port's elements; types of less than a byte are bytes of packed elements
#define INLAY_PORT(e, t) \
    template <> struct type_of_element<element::e> { using type = t; };
INLAY_PORT(f32, float)
INLAY_PORT(f64, double)
INLAY_PORT(f16, float16)
INLAY_PORT(bf16, bfloat16)
INLAY_PORT(boolean, bool)
INLAY_PORT(u8, std::uint8_t)
INLAY_PORT(i8, std::int8_t)
INLAY_PORT(u16, std::uint16_t)
INLAY_PORT(i16, std::int16_t)
INLAY_PORT(u32, std::uint32_t)
INLAY_PORT(i32, std::int32_t)
INLAY_PORT(u64, std::uint64_t)
INLAY_PORT(i64, std::int64_t)
INLAY_PORT(c64, std::complex<float>)
INLAY_PORT(c128, std::complex<double>)
INLAY_PORT(f8e4m3fn, float8e4m3fn)
INLAY_PORT(f8e4m3fnuz, float8e4m3fnuz)
INLAY_PORT(f8e5m2, float8e5m2)
INLAY_PORT(f8e5m2fnuz, float8e5m2fnuz)
INLAY_PORT(f8e8m0, float8e8m0)
INLAY_PORT(u4, std::uint8_t)
INLAY_PORT(i4, std::uint8_t)
INLAY_PORT(f4e2m1, std::uint8_t)
INLAY_PORT(u2, std::uint8_t)
INLAY_PORT(i2, std::uint8_t)
#undef INLAY_PORT
constexpr text port_text(std::string_view name, const value& v) {
    text t(name);
    t += ": ";
    t += name_of(v.type);
    for (int i = 0; i < v.dims.rank; ++i) {
        t += i ? "," : "[";
        t += v.dims[i];
    }
    return t + (v.dims.rank ? "]" : "[]");
}
// The extent of a port's span: elements, or bytes of packed ones.
constexpr std::size_t span_extent(element type, const shape& dims) {
    return std::size_t(bits_of(type) < 8 ? bytes_of(type, dims.elements()) : dims.elements());
}
template <class Model, bool Inputs> struct ports {
    static constexpr std::span<const int> ids = Inputs ? Model::graph.inputs : Model::graph.outputs;
    static constexpr std::string_view name(std::size_t k) {
        if constexpr (Inputs)
            return Model::input_names[k];
        else
            return Model::output_names[k];
    }
    static constexpr int find(std::string_view port_name) {
        for (std::size_t k = 0; k < ids.size(); ++k)
            if (name(k) == port_name) return int(k);
        return -1;
    }
    static constexpr text list() {
        text t(Inputs ? "inputs " : "outputs ");
        for (std::size_t k = 0; k < ids.size(); ++k) {
            t += k ? "; " : "";
            t += port_text(name(k), Model::graph.values[std::size_t(ids[k])]);
        }
        return t;
    }
    template <fixed_text Name> static consteval int index() {
        if constexpr (constexpr int k = find(Name.view()); k >= 0)
            return k;
        else
            return int(sizeof(no_such_port<Name, to_fixed_text([] { return list(); })>));
    }
    static constexpr const value& record(int k) { return Model::graph.values[std::size_t(ids[std::size_t(k)])]; }
    template <int K> using type = typename type_of_element<record(K).type>::type;
    template <int K> static constexpr std::size_t extent = span_extent(record(K).type, record(K).dims);
};
}  // namespace detail
}  // namespace v1
}  // namespace inlay
