#include "comparison.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
namespace {
const any_value* contents_of(const any_value& v) {  // of an optional its contents, null if it is empty
    const optional_value* o = v.as_optional();
    return !o ? &v : o->contents ? contents_of(*o->contents) : nullptr;
}
std::string kind_of(const any_value& v) {
    return v.as_tensor()     ? "a tensor"
           : v.as_sequence() ? "a sequence of " + std::to_string(v.as_sequence()->size())
                             : "a map of " + std::to_string(v.as_map()->size());
}
std::string index_text(std::int64_t i, const shape& dims) {  // [0,3,2]
    std::string text;
    for (int d = dims.rank - 1; d >= 0; --d) {
        text = std::to_string(i % dims[d]) + (text.empty() ? "" : ",") + text;
        i /= dims[d];
    }
    return "[" + text + "]";
}
}  // namespace

void comparison::add(const any_value& actual_, const any_value& expected_, const std::string& name) {
    const any_value *actual = contents_of(actual_), *expected = contents_of(expected_);
    if (!actual || !expected) {
        if (actual || expected)
            differ(name + ": got " + (actual ? kind_of(*actual) : "an empty optional") + ", want " +
                   (expected ? kind_of(*expected) : "an empty optional"));
        return;
    }
    if (actual->as_tensor() && expected->as_tensor()) return add(*actual->as_tensor(), *expected->as_tensor(), name);
    if (const auto* g = actual->as_sequence(), *w = expected->as_sequence(); g && w && g->size() == w->size()) {
        for (std::size_t i = 0; i < w->size(); ++i) add((*g)[i], (*w)[i], name + ", element " + std::to_string(i));
        return;
    }
    if (const auto* g = actual->as_map(), *w = expected->as_map();
        g && w && std::ranges::equal(*g, *w, {}, &map::value_type::first, &map::value_type::first)) {
        for (const auto& [key, value] : *w)
            add(g->at(key), value,
                name + ", key " + std::visit([](const auto& k) { return text_of(widened(k)); }, key));
        return;
    }
    const bool keys = actual->as_map() && expected->as_map() && actual->as_map()->size() == expected->as_map()->size();
    differ(name + ": got " + kind_of(*actual) + ", want " + kind_of(*expected) + (keys ? " with other keys" : ""));
}
void comparison::add(const tensor& actual, const tensor& expected, const std::string& name) {
    if (actual.type() != expected.type())
        return differ(name + ": got elements of type " + std::string(name_of(actual.type())) + ", want " +
                      std::string(name_of(expected.type())));
    if (actual.shape() != expected.shape())
        return differ(name + ": got shape " + to_string(actual.shape()) + ", want " + to_string(expected.shape()));
    with_type(expected.type(), [&]<class T>(std::type_identity<T>) { add_elements<T>(actual, expected, name); });
}
template <class T> static double magnitude(const T& x) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>)
        return std::abs(x);
    else
        return 0;
}
template <class T>
void comparison::add_elements(const tensor& actual, const tensor& expected, const std::string& name) {
    const auto at = [](const tensor& t, std::int64_t i) { return widened(load<T>(t.data(), i)); };
    tolerance t = allowed;
    if (std::is_same_v<T, bfloat16>) t.relative = std::max(t.relative, 0x1p-6);
    double largest = 0;
    for (std::int64_t i = 0; t.of_largest > 0 && i < expected.elements(); ++i)
        if (const double size = magnitude(at(expected, i)); std::isfinite(size)) largest = std::max(largest, size);
    t.absolute += t.of_largest * largest;
    mismatch m;
    m.elements = expected.elements();
    std::int64_t position = 0;
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        if (!agree(at(actual, i), at(expected, i), t) && m.wrong++ == 0) position = i;
    if (!m.wrong) return;
    const auto g = at(actual, position), w = at(expected, position);
    m.index = index_text(position, expected.shape());
    m.actual_text = text_of(g);
    m.expected_text = text_of(w);
    if constexpr (std::is_same_v<decltype(g), const double>)
        for (const int digits : {9, 17})
            if (m.actual_text == m.expected_text) {
                m.actual_text = short_text(g, digits);
                m.expected_text = short_text(w, digits);
            }
    if constexpr (requires { std::abs(g - w); }) {
        m.absolute = double(std::abs(g - w));
        m.relative = m.absolute / double(std::abs(w));
        m.allowed = magnitude(w) > 0 || magnitude(g) > 0 ? t.absolute + t.relative * magnitude(w) : 0;
    } else if constexpr (requires { double(g); }) {
        m.absolute = std::abs(double(g) - double(w));
        m.relative = m.absolute / double(w);
    }
    if (difference.empty()) first = m;
    differ(name + m.index + ": got " + m.actual_text + ", want " + m.expected_text + "; " + std::to_string(m.wrong) +
           " of " + std::to_string(m.elements) + " elements differ, largest absolute error " +
           short_text(largest_absolute, 3));
}
template <class T> bool comparison::agree(const T& actual, const T& expected, const tolerance& t) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
        if (actual == expected || (actual != actual && expected != expected)) return true;
        const double size = std::abs(expected), error = std::abs(actual - expected);
        if (!std::isfinite(size) || !std::isfinite(error)) {
            largest_absolute = std::numeric_limits<double>::infinity();
            return false;
        }
        largest_absolute = std::max(largest_absolute, error);
        if (size > t.absolute) largest_relative = std::max(largest_relative, error / size);
        return error <= t.absolute + t.relative * size;
    } else
        return actual == expected;
}
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
