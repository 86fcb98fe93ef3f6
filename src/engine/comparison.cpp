#include "comparison.hpp"

namespace inlay {
inline namespace v1 {
namespace twins {
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

void comparison::add(const any_value& got_, const any_value& want_, const std::string& name) {
    const any_value *got = contents_of(got_), *want = contents_of(want_);
    if (!got || !want) {
        if (got || want)
            differ(name + ": got " + (got ? kind_of(*got) : "an empty optional") + ", want " +
                   (want ? kind_of(*want) : "an empty optional"));
        return;
    }
    if (got->as_tensor() && want->as_tensor()) return add(*got->as_tensor(), *want->as_tensor(), name);
    if (const auto* g = got->as_sequence(), *w = want->as_sequence(); g && w && g->size() == w->size()) {
        for (std::size_t i = 0; i < w->size(); ++i) add((*g)[i], (*w)[i], name + ", element " + std::to_string(i));
        return;
    }
    if (const auto* g = got->as_map(), *w = want->as_map();
        g && w && std::ranges::equal(*g, *w, {}, &map::value_type::first, &map::value_type::first)) {
        for (const auto& [key, value] : *w)
            add(g->at(key), value,
                name + ", key " + std::visit([](const auto& k) { return text_of(widened(k)); }, key));
        return;
    }
    const bool keys = got->as_map() && want->as_map() && got->as_map()->size() == want->as_map()->size();
    differ(name + ": got " + kind_of(*got) + ", want " + kind_of(*want) + (keys ? " with other keys" : ""));
}
void comparison::add(const tensor& got, const tensor& want, const std::string& name) {
    if (got.type() != want.type())
        return differ(name + ": got elements of type " + std::string(name_of(got.type())) + ", want " +
                      std::string(name_of(want.type())));
    if (got.shape() != want.shape())
        return differ(name + ": got shape " + to_string(got.shape()) + ", want " + to_string(want.shape()));
    with_type(want.type(), [&]<class T>(std::type_identity<T>) { add_elements<T>(got, want, name); });
}
template <class T> static double magnitude(const T& x) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>)
        return std::abs(x);
    else
        return 0;
}
template <class T> void comparison::add_elements(const tensor& got, const tensor& want, const std::string& name) {
    const auto at = [](const tensor& t, std::int64_t i) { return widened(load<T>(t.data(), i)); };
    tolerance t = allowed;
    if (std::is_same_v<T, bfloat16>) t.relative = std::max(t.relative, 0x1p-6);
    double largest = 0;
    for (std::int64_t i = 0; t.of_largest > 0 && i < want.elements(); ++i)
        if (const double size = magnitude(at(want, i)); std::isfinite(size)) largest = std::max(largest, size);
    t.absolute += t.of_largest * largest;
    mismatch m;
    m.elements = want.elements();
    std::int64_t where = 0;
    for (std::int64_t i = 0; i < want.elements(); ++i)
        if (!agree(at(got, i), at(want, i), t) && m.wrong++ == 0) where = i;
    if (!m.wrong) return;
    const auto g = at(got, where), w = at(want, where);
    m.index = index_text(where, want.shape());
    m.got = text_of(g);
    m.want = text_of(w);
    if constexpr (std::is_same_v<decltype(g), const double>)
        for (const int digits : {9, 17})
            if (m.got == m.want) {
                m.got = short_text(g, digits);
                m.want = short_text(w, digits);
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
    differ(name + m.index + ": got " + m.got + ", want " + m.want + "; " + std::to_string(m.wrong) + " of " +
           std::to_string(m.elements) + " elements differ, largest absolute error " + short_text(largest_absolute, 3));
}
template <class T> bool comparison::agree(const T& got, const T& want, const tolerance& t) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
        if (got == want || (got != got && want != want)) return true;
        const double size = std::abs(want), error = std::abs(got - want);
        if (!std::isfinite(size) || !std::isfinite(error)) {
            largest_absolute = std::numeric_limits<double>::infinity();
            return false;
        }
        largest_absolute = std::max(largest_absolute, error);
        if (size > t.absolute) largest_relative = std::max(largest_relative, error / size);
        return error <= t.absolute + t.relative * size;
    } else
        return got == want;
}
}  // namespace twins
}  // namespace v1
}  // namespace inlay
