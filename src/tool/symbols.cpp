#include "symbols.hpp"
#include <unordered_set>

namespace inlay::tool {
namespace {
constexpr std::string_view usage = "write --shape INPUT=1,3,224,224, or --shape SYMBOL=8";

struct size_range {
    std::string name;
    std::int64_t low = 0, high = 0;
};
std::vector<std::string> symbols_of(const model& m) {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> listed;
    for (const port& p : m.inputs())
        for (const std::string& name : p.dim_names)
            if (!name.empty() && listed.insert(name).second) names.push_back(name);
    return names;
}
[[noreturn]] void refuse_name(const std::string& name, const model& m, const std::vector<std::string>& symbols) {
    std::vector<std::string> names = symbols;
    for (const port& p : m.inputs()) names.push_back(p.name);
    const std::string near = nearest_name(name, names);
    throw bad_usage("the model has no input `" + name + "`, and its inputs no symbolic dimension of that name; " +
                        (symbols.empty() ? std::string("all their dimensions are numbers, or have no name")
                                         : fmt::format("they have {}", fmt::join(symbols, ", "))),
                    near.empty() ? "inlay inspect shows its inputs" : "did you mean `" + near + "`?");
}
shape shape_of(const std::string& text, std::string_view sizes) {
    shape dims;
    for (std::size_t from = 0; from < sizes.size();) {  // nothing is a scalar
        const std::size_t to = std::min(sizes.find(',', from), sizes.size());
        std::int64_t d = 0;
        if (!from_text(std::string(sizes.substr(from, to - from)), d) || d < 0 || dims.rank == max_rank ||
            to + 1 == sizes.size())
            throw bad_usage("`--shape " + text + "` is no shape",
                            fmt::format("{}, with at most {} dimensions", usage, max_rank));
        dims.push_back(d);
        from = to + 1;
    }
    return dims;
}
size_range range_of(const std::string& text, const std::string& name, std::string_view sizes) {
    const std::size_t dots = sizes.find("..");
    size_range r{name};
    const std::string low(sizes.substr(0, dots)), high(dots == sizes.npos ? sizes : sizes.substr(dots + 2));
    if (!from_text(low, r.low) || !from_text(high, r.high) || r.low < 0 || r.high < r.low)
        throw bad_usage("`--shape " + text + "` is no size", "write --shape SYMBOL=8, or SYMBOL=1..8 for several runs");
    return r;
}
// An input and a symbol may have one name: then a single number is the symbol's, but where the input has one dimension.
bool is_of_input(const model& m, const std::string& name, std::string_view sizes, bool is_symbol) {
    const auto input = std::ranges::find(m.inputs(), name, &port::name);
    if (input == m.inputs().end()) return false;
    return !is_symbol || sizes.empty() || sizes.find(',') != sizes.npos ||
           (input->shape.rank == 1 && sizes.find("..") == sizes.npos);
}
struct parsed_shapes {
    named_shapes inputs;
    std::vector<size_range> symbols;
};
parsed_shapes parse(const std::vector<std::string>& texts, const model& m) {
    const std::vector<std::string> symbols = symbols_of(m);
    parsed_shapes result;
    for (const std::string& text : texts) {
        const std::size_t equals = text.rfind('=');
        if (equals == text.npos || equals == 0)
            throw bad_usage("`--shape " + text + "` names no input and no symbol", std::string(usage));
        const std::string name = text.substr(0, equals);
        const std::string_view sizes = std::string_view(text).substr(equals + 1);
        const bool is_symbol = std::ranges::find(symbols, name) != symbols.end();
        const bool twice = std::ranges::find(result.symbols, name, &size_range::name) != result.symbols.end();
        if (is_of_input(m, name, sizes, is_symbol))
            result.inputs.emplace_back(name, shape_of(text, sizes));
        else if (!is_symbol)
            refuse_name(name, m, symbols);
        else if (twice)
            throw bad_usage("`--shape " + name + "` is given twice");
        else
            result.symbols.push_back(range_of(text, name, sizes));
    }
    return result;
}
}  // namespace

void add_old_set_option(command& c, std::vector<std::string>& texts) {
    c.add_option("--set", texts, "Deprecated: another name of --shape").type_name("NAME=8").one_value_each().hidden();
}
std::vector<given_shapes> each_of_shapes(const std::vector<std::string>& texts, const model& m) {
    constexpr std::size_t most = 10'000;
    const parsed_shapes parsed = parse(texts, m);
    std::vector<given_shapes> settings{{parsed.inputs, {}}};
    for (const size_range& r : parsed.symbols) {
        if (std::uint64_t(r.high - r.low) >= most / settings.size())
            throw bad_usage("`--shape` requests more than " + std::to_string(most) + " runs");
        std::vector<given_shapes> more;
        for (const given_shapes& setting : settings)
            for (std::int64_t size = r.low; size <= r.high; ++size) (more.emplace_back(setting)).symbols[r.name] = size;
        settings = std::move(more);
    }
    return settings;
}
given_shapes shapes_from(const std::vector<std::string>& texts, const model& m) {
    const parsed_shapes parsed = parse(texts, m);
    given_shapes input_shapes{parsed.inputs, {}};
    for (const size_range& r : parsed.symbols) {
        if (r.low != r.high)
            throw bad_usage(
                fmt::format("`--shape {}={}..{}` is a range, and one size is wanted", r.name, r.low, r.high),
                std::string(usage));
        input_shapes.symbols[r.name] = r.low;
    }
    return input_shapes;
}
symbol_sizes sizes_of(const given_shapes& input_shapes, const model& m) {
    symbol_sizes sizes = input_shapes.symbols;
    for (const auto& [name, dims] : input_shapes.inputs) {
        const port& p = *std::ranges::find(m.inputs(), name, &port::name);
        for (int i = 0; i < p.shape.rank && i < dims.rank; ++i) {
            const bool named = std::size_t(i) < p.dim_names.size() && !p.dim_names[std::size_t(i)].empty();
            if (p.shape[i] < 0) sizes[named ? p.dim_names[std::size_t(i)] : fmt::format("{}[{}]", name, i)] = dims[i];
        }
    }
    return sizes;
}
std::string text_of_sizes(const symbol_sizes& sizes) {
    std::string text;
    for (const auto& [name, size] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, size);
    return text;
}
std::vector<std::string> joined(std::vector<std::string> texts, const std::vector<std::string>& additions) {
    texts.insert(texts.end(), additions.begin(), additions.end());
    return texts;
}
}  // namespace inlay::tool
