#include "symbols.hpp"

namespace inlay::tool {
namespace {
struct symbol_range {
    std::string name;
    std::int64_t first = 0, last = 0;
};
symbol_range range_from(const std::string& text, bool ranges) {
    const std::string hint = ranges ? "write --set NAME=8 or --set NAME=1..8" : "write --set NAME=8";
    const std::size_t equals = text.rfind('='), dots = text.find("..", equals == text.npos ? 0 : equals);
    if (equals == text.npos || equals == 0) throw bad_usage("`--set " + text + "` sets no symbol", hint);
    symbol_range r{text.substr(0, equals)};
    const std::string_view all = std::string_view(text).substr(equals + 1);
    const bool is_range = dots != text.npos;
    if (is_range && !ranges) throw bad_usage("`--set " + text + "` is a range, and one size is wanted", hint);
    const std::string first(is_range ? std::string_view(text).substr(equals + 1, dots - equals - 1) : all),
        last(is_range ? std::string_view(text).substr(dots + 2) : all);
    if (!from_text(first, r.first) || !from_text(last, r.last) || r.first < 0 || r.last < r.first)
        throw bad_usage("`--set " + text + "` is no size", hint);
    return r;
}
std::vector<std::string> symbols_of(const model& m) {
    std::vector<std::string> all;
    for (const port& p : m.inputs())
        for (const std::string& name : p.dim_names)
            if (!name.empty() && std::ranges::find(all, name) == all.end()) all.push_back(name);
    return all;
}
}  // namespace

void add_set_option(command& c, std::vector<std::string>& texts, bool ranges) {
    c.add_option("--set", texts,
                 ranges ? "The size of a symbolic dimension of the inputs; of a range, one run for each"
                        : "The size of a symbolic dimension of the inputs")
        .type_name(ranges ? "NAME=8|NAME=1..8" : "NAME=8")
        .one_value_each();
}
std::vector<symbol_sizes> sizes_from(const std::vector<std::string>& texts, const model& m, bool ranges) {
    constexpr std::size_t most = 10'000;
    const std::vector<std::string> there = symbols_of(m);
    std::vector<symbol_sizes> all{{}};
    for (const std::string& text : texts) {
        const symbol_range r = range_from(text, ranges);
        if (std::ranges::find(there, r.name) == there.end())
            throw bad_usage("the model's inputs have no symbolic dimension `" + r.name + "`; " +
                            (there.empty() ? std::string("all their dimensions are numbers, or have no name")
                                           : fmt::format("they have {}", fmt::join(there, ", "))));
        if (all.front().contains(r.name)) throw bad_usage("`--set " + r.name + "` is given twice");
        if (std::uint64_t(r.last - r.first) >= most / all.size())
            throw bad_usage("`--set` asks for more than " + std::to_string(most) + " runs");
        std::vector<symbol_sizes> more;
        for (const symbol_sizes& one : all)
            for (std::int64_t size = r.first; size <= r.last; ++size) (more.emplace_back(one))[r.name] = size;
        all = std::move(more);
    }
    return all;
}
symbol_sizes one_size_each(const std::vector<std::string>& texts, const model& m) {
    return sizes_from(texts, m).front();
}
std::string text_of_sizes(const symbol_sizes& sizes) {
    std::string text;
    for (const auto& [name, size] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, size);
    return text;
}
}  // namespace inlay::tool
