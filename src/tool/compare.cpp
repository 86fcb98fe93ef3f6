#include "compare.hpp"

namespace inlay::tool {
namespace {
const any_value* contents_of(const any_value& v) {  // of an optional what it holds, null if it is empty
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
template <class T> void comparison::add_elements(const tensor& got, const tensor& want, const std::string& name) {
    const double relative = std::is_same_v<T, bfloat16> ? std::max(allowed.relative, 0x1p-6) : allowed.relative;
    std::int64_t wrong = 0, first = 0;
    for (std::int64_t i = 0; i < want.elements(); ++i)
        if (!agree(widened(load<T>(got.data(), i)), widened(load<T>(want.data(), i)), relative) && wrong++ == 0)
            first = i;
    if (wrong)
        differ(name + index_text(first, want.shape()) + ": got " + text_of(widened(load<T>(got.data(), first))) +
               ", want " + text_of(widened(load<T>(want.data(), first))) +
               fmt::format("; {} of {} elements differ, largest absolute error {:.3g}", wrong, want.elements(),
                           largest_absolute));
}
template <class T> bool comparison::agree(const T& got, const T& want, double relative) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
        if (got == want || (got != got && want != want)) return true;
        const double size = std::abs(want), error = std::abs(got - want);
        if (!std::isfinite(size) || !std::isfinite(error)) {
            largest_absolute = std::numeric_limits<double>::infinity();
            return false;
        }
        largest_absolute = std::max(largest_absolute, error);
        if (size > allowed.absolute) largest_relative = std::max(largest_relative, error / size);
        return error <= allowed.absolute + relative * size;
    } else
        return got == want;
}
}  // namespace inlay::tool
