// Values as one line of text, and as JSON.
#include "data.hpp"

namespace inlay::tool {
namespace {
template <class T> std::string first_elements(const tensor& t) {
    constexpr std::int64_t shown = 6;
    std::string text;
    for (std::int64_t i = 0; i < std::min(shown, t.elements()); ++i)
        text += (i ? ", " : "") + text_of(widened(load<T>(t.data(), i)));
    return "[" + text + (t.elements() > shown ? ", ...]" : "]");
}
struct spread {
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
    std::int64_t numbers = 0, nans = 0;
    double mean() const { return sum / double(numbers); }
};
template <class T> spread spread_of(const tensor& t) {
    spread s;
    for (std::int64_t i = 0; i < t.elements(); ++i) {
        const double x = double(widened(load<T>(t.data(), i)));
        if (x != x) {
            ++s.nans;
            continue;
        }
        s.least = std::min(s.least, x);
        s.most = std::max(s.most, x);
        s.sum += x;
    }
    s.numbers = t.elements() - s.nans;
    return s;
}
std::string to_text(const spread& s) {
    return (s.numbers ? fmt::format("min {:.6g}, mean {:.6g}, max {:.6g}", s.least, s.mean(), s.most) : "no number") +
           (s.nans ? fmt::format(", {} NaN", s.nans) : "");
}
std::string describe(const tensor& t) {
    std::string text = std::string(name_of(t.type())) + " " + to_string(t.shape());
    with_type(t.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (requires(T x) { double(widened(x)); })
            if (t.elements()) text += ": " + to_text(spread_of<T>(t));
        text += ": " + first_elements<T>(t);
    });
    return text;
}
}  // namespace
std::string describe(const any_value& v) {
    if (const tensor* t = v.as_tensor()) return describe(*t);
    if (const optional_value* o = v.as_optional())
        return o->contents ? "optional " + describe(*o->contents) : "optional, empty";
    std::string text;
    if (const sequence* s = v.as_sequence()) {
        for (const any_value& item : *s) text += (text.empty() ? "" : "; ") + describe(item);
        return "sequence of " + std::to_string(s->size()) + (text.empty() ? "" : ": " + text);
    }
    for (const auto& [key, item] : *v.as_map())
        text += (text.empty() ? "" : "; ") + std::visit([](const auto& k) { return text_of(widened(k)); }, key) +
                " is " + describe(item);
    return "map of " + std::to_string(v.as_map()->size()) + (text.empty() ? "" : ": " + text);
}
json to_json(const any_value& v) {
    if (const tensor* t = v.as_tensor()) {
        json j{{"type", name_of(t->type())},
               {"shape", std::vector<std::int64_t>(t->shape().begin(), t->shape().end())}};
        with_type(t->type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (requires(T x) { double(widened(x)); }) {
                const spread s = spread_of<T>(*t);
                for (const auto& [key, x] :
                     {std::pair("min", s.least), std::pair("mean", s.mean()), std::pair("max", s.most)})
                    j[key] = s.numbers ? json(x) : json(nullptr);
                j["nan"] = s.nans;
            }
        });
        return j;
    }
    if (const optional_value* o = v.as_optional())
        return {{"optional", o->contents ? to_json(*o->contents) : json(nullptr)}};
    json list = json::array();
    if (const sequence* s = v.as_sequence()) {
        for (const any_value& item : *s) list.push_back(to_json(item));
        return {{"sequence", std::move(list)}};
    }
    for (const auto& [key, item] : *v.as_map())
        list.push_back({{"key", std::visit([](const auto& k) { return json(k); }, key)}, {"value", to_json(item)}});
    return {{"map", std::move(list)}};
}
}  // namespace inlay::tool
