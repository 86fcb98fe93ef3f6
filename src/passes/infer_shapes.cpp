#include "engine/facts.hpp"
#include "infer_shapes.hpp"
#include <inlay/support/movable.hpp>
#include <algorithm>
#include <set>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
using sizes = std::vector<std::int64_t>;

struct example {
    sizes input_sizes;  // by open dimension
    std::vector<shape> outputs;
};

// One node's rule, and the open dimensions of the values that it reads.
class rule_examples {
    static constexpr int largest_list = 8, ranks_tried = 6;
    static constexpr std::size_t most_open = 64, most_replaced = 12;
    struct place {
        int value, axis;
    };
    struct open_dimension {
        std::int64_t symbol;  // -1: it has no name
        std::vector<place> places;
    };
    graph_data& g_;
    const node& n_;
    const entry& e_;
    std::function<void(std::int64_t)> spend_;
    std::vector<int> unranked_{};
    std::vector<open_dimension> open_{};
    std::vector<std::int64_t> input_sizes_{};
    std::vector<example> examples_{};
    bool forced_ = false;  // sizes that contradict the known ones were replaced by these
    int lists_ = 0;        // of examples for the contents of inputs, that were accepted

    value& record(int v) const { return g_.values[std::size_t(v)]; }
    std::span<const int> inputs() const {
        return std::span(g_.edges).subspan(std::size_t(n_.inputs.first), std::size_t(n_.inputs.count));
    }
    void note(int v, int axis) {
        const std::int64_t d = record(v).dims[axis];
        const auto at = d == -1 ? open_.end() : std::ranges::find(open_, d, &open_dimension::symbol);
        if (at != open_.end())
            at->places.push_back({v, axis});
        else if (open_.size() <= most_open)
            open_.push_back({d, {{v, axis}}});
        else {  // too many to be distinguished
            open_.back().symbol = -1;
            open_.back().places.push_back({v, axis});
        }
    }
    void note_open() {
        open_.clear();
        input_sizes_.clear();
        std::set<int> once;
        for (const int v : inputs()) {
            if (v < 0 || record(v).type == element::object || !once.insert(v).second) continue;
            const shape& dims = record(v).dims;
            for (int i = 0; i < dims.rank; ++i)
                if (dims[i] < 0)
                    note(v, i);
                else if (std::ranges::find(input_sizes_, dims[i]) == input_sizes_.end() &&
                         input_sizes_.size() < most_replaced)
                    input_sizes_.push_back(dims[i]);
        }
    }

    graph_view view() const {  // without subgraphs, which no rule reads
        graph_view v;
        v.values = g_.values;
        v.attributes = g_.attributes;
        v.edges = g_.edges;
        v.integers = g_.integers;
        v.reals = g_.reals;
        v.texts = g_.texts;
        v.containers = g_.containers;
        return v;
    }
    // f(node, y) while the inputs have these sizes.
    template <class F> auto with_sizes(const sizes& input_sizes, F f) {
        spend_(n_.inputs.count + n_.outputs.count);
        std::vector<std::int64_t> original_sizes;
        for (std::size_t i = 0; i < open_.size(); ++i)
            for (const place& p : open_[i].places)
                original_sizes.push_back(std::exchange(record(p.value).dims[p.axis], input_sizes[i]));
        std::vector<shape> y(std::size_t(n_.outputs.count), shape::unknown());
        const graph_view v = view();
        const auto result = f(node_view{v, n_}, y);
        auto size = original_sizes.begin();
        for (const open_dimension& d : open_)
            for (const place& p : d.places) record(p.value).dims[p.axis] = *size++;
        return result;
    }
    std::optional<std::vector<shape>> answer(const sizes& input_sizes) {
        return with_sizes(input_sizes, [&](const node_view& n, std::vector<shape>& y) {
            const bool success = bool(e_.shapes(n, y));
            return success ? std::optional(std::move(y)) : std::nullopt;
        });
    }
    bool ask(sizes input_sizes) {
        auto y = answer(input_sizes);
        if (y) examples_.push_back({std::move(input_sizes), std::move(*y)});
        return bool(y);
    }

    // Sizes with many divisors, so that their products can be counted.
    std::int64_t unit() const {
        std::size_t most = 0;
        for (const int v : inputs())
            if (v >= 0)
                most = std::max(most, std::size_t(std::ranges::count_if(record(v).dims, [](auto d) { return d < 0; })));
        return most <= 2 ? 6720 : most <= 3 ? 960 : most <= 4 ? 192 : 24;
    }
    sizes distinct(bool variant) const {
        sizes result;
        for (std::size_t i = 0; i < open_.size(); ++i)
            result.push_back(unit() * std::int64_t(variant ? 3 + (7 * i + 5) % 67 : 2 + i));
        return result;
    }
    // Equal where they are at the same axis, counted from the left or from the right; as large as a known size of an
    // input there.
    sizes aligned(bool from_right, bool variant) {
        const auto position = [&](int v, int axis) { return from_right ? record(v).dims.rank - axis : axis; };
        sizes result;
        for (const open_dimension& d : open_) {
            const int at = position(d.places[0].value, d.places[0].axis);
            std::int64_t size = unit() * (variant ? 23 - 2 * at : 2 + at);
            for (const int v : inputs())
                for (int i = 0; v >= 0 && i < record(v).dims.rank; ++i)
                    if (position(v, i) == at && record(v).dims[i] > 1) size = record(v).dims[i];
            result.push_back(size);
        }
        return result;
    }
    sizes equal(std::int64_t size) const { return sizes(open_.size(), size); }
    // The sizes that an open dimension may have: 1, that of a known one, or that of another open one.
    void replace_each() {
        const auto with = [&](std::size_t i, auto size_of) {
            sizes first = distinct(false), second = distinct(true);
            first[i] = size_of(first);
            second[i] = size_of(second);
            const std::size_t before = examples_.size();
            if (ask(first)) ask(second);
            forced_ |= examples_.size() > before;
        };
        for (std::size_t i = 0; i < open_.size(); ++i) {
            with(i, [](const sizes&) { return std::int64_t(1); });
            for (const std::int64_t k : input_sizes_)
                if (k != 1) with(i, [&](const sizes&) { return k; });
            for (std::size_t j = 0; j < open_.size(); ++j)
                if (j != i) with(i, [&](const sizes& s) { return s[j]; });
        }
    }
    void ask_sizes() {
        if (open_.empty()) {
            ask({});
            return;
        }
        const bool any = open_.size() <= most_open && ask(distinct(false)) && ask(distinct(true));
        for (const std::int64_t size : {0, 1}) ask(equal(size));
        if (any) return;
        ask(equal(unit()));
        if (open_.size() > most_open || n_.inputs.count > int(most_open)) return;
        for (const bool from_right : {true, false})
            for (const bool variant : {false, true}) ask(aligned(from_right, variant));
        if (open_.size() <= most_replaced) replace_each();
    }
    void ask_ranks() {
        for (int rank = 0; rank < ranks_tried; ++rank) {
            for (const int v : unranked_) record(v).dims = shape::of_rank(rank, -1);
            note_open();
            ask_sizes();
        }
    }

    // Examples for the contents of inputs that are short lists and no constants.
    void ask_lists() {
        std::vector<int> unread;
        for (const int v : inputs()) {
            if (v < 0 || std::ranges::find(unread, v) != unread.end()) continue;
            const value& x = record(v);
            const bool number = x.type == element::i64 || x.type == element::i32 || x.type == element::f32;
            if (!x.is_constant() && x.kind == contents::none && number && x.dims.known() && x.dims.rank < 2 &&
                x.dims.elements() <= largest_list)
                unread.push_back(v);
        }
        if (unread.empty()) return;
        examples_.clear();
        constexpr std::int64_t pairs[][2] = {
            {0, 1}, {1, 3}, {0, 5}, {1, 1}, {2, 2}};  // of the first, and of the others
        const std::size_t integers = g_.integers.size(), reals = g_.reals.size();
        for (int form = 0; form < int(std::size(pairs)) + 2; ++form) {
            for (std::size_t k = 0; k < unread.size(); ++k) {
                value& x = record(unread[k]);
                const int count = int(x.dims.elements());
                const bool real = x.type == element::f32;
                x.kind = real ? contents::reals : contents::integers;
                x.list = {int(real ? g_.reals.size() : g_.integers.size()), count};
                for (int i = 0; i < count; ++i) {
                    const std::int64_t number = form < int(std::size(pairs))    ? pairs[form][k > 0]
                                                : form == int(std::size(pairs)) ? (i == 0 ? -1 : 1)
                                                                                : i;
                    if (real)
                        g_.reals.push_back(double(number));
                    else
                        g_.integers.push_back(number);
                }
            }
            const std::size_t before = examples_.size();
            ask_sizes();
            lists_ += examples_.size() > before;
            g_.integers.resize(integers);
            g_.reals.resize(reals);
        }
        for (const int v : unread) record(v).kind = contents::none;
    }

    std::size_t samples() const {
        std::set<sizes> unique_sizes;
        for (const example& x : examples_) unique_sizes.insert(x.input_sizes);
        return unique_sizes.size();
    }
    // One dimension of an output: a size, the name of a dimension of the inputs, or -1.
    std::int64_t common(std::size_t k, int axis) const {
        const auto of = [&](const example& x) { return x.outputs[k][axis]; };
        const std::int64_t first = of(examples_.front());
        if (std::ranges::all_of(examples_, [&](const example& x) { return of(x) == first; })) return first;
        if (!unranked_.empty()) return -1;
        for (std::size_t i = 0; i < open_.size(); ++i)
            if (open_[i].symbol < -1 &&
                std::ranges::all_of(examples_, [&](const example& x) { return of(x) == x.input_sizes[i]; }))
                return open_[i].symbol;
        return -1;
    }

    // Where the shape is data-dependent: with the rank of its upper bound.
    shape bounded(std::size_t k) {
        if (!e_.data_dependent || !e_.about->bounds || !unranked_.empty() || !accepted()) return shape::unknown();
        const std::vector<shape> most =
            with_sizes(examples_.front().input_sizes, [&](const node_view& n, std::vector<shape>& y) {
                e_.about->bounds(n, y);
                return y;
            });
        return most[k].rank < 0 ? shape::unknown() : shape::of_rank(most[k].rank, -1);
    }

  public:
    rule_examples(graph_data& g, const node& n, const entry& e, std::function<void(std::int64_t)> spend)
        : g_(g), n_(n), e_(e), spend_(std::move(spend)) {
        for (const int v : inputs())
            if (v >= 0 && record(v).type != element::object && record(v).dims.rank < 0 &&
                std::ranges::find(unranked_, v) == unranked_.end())
                unranked_.push_back(v);
        note_open();
    }
    bool askable() {
        if (e_.required_inputs > n_.inputs.count || n_.outputs.count == 0) return false;
        for (int k = 0; k < e_.required_inputs; ++k)
            if (inputs()[std::size_t(k)] < 0) return false;
        return true;
    }
    void ask() {
        if (unranked_.empty()) {
            ask_sizes();
            if (std::ranges::any_of(examples_, [](const example& x) { return x.outputs[0].rank < 0; })) ask_lists();
            return;
        }
        ask_ranks();
        for (const int v : unranked_) record(v).dims = shape::unknown();
    }
    bool accepted() const { return !examples_.empty(); }
    shape inferred(std::size_t k) {
        const int rank = accepted() ? examples_.front().outputs[k].rank : -1;
        for (const example& x : examples_)
            if (x.outputs[k].rank != rank) return shape::unknown();
        if (rank < 0) return bounded(k);
        shape y = shape::of_rank(rank, -1);
        const bool varied = (open_.empty() && unranked_.empty()) || forced_ || samples() > 1;
        if (!varied || (lists_ > 0 && lists_ < 3)) return y;
        for (int i = 0; i < rank; ++i) y[i] = common(k, i);
        return countable(y) ? y : shape::unknown();
    }
};
}  // namespace

void shape_inference::spend(std::int64_t values) {
    if ((left_ -= values) >= 0) return;
    error e(error_code::limit_exceeded,
            "shape inference would look at more than " + std::to_string(limit_) + " values");
    e.hint = "raise limits::inference";
    raise(std::move(e));
}
void shape_inference::set(graph_data& g, int v, shape dims) const {
    if (v < 0 || g.values[std::size_t(v)].is_constant() || g.values[std::size_t(v)].type == element::object) return;
    for (int i = 0; i < dims.rank; ++i)
        if (dims[i] == -1) dims[i] = name_(v, i);
    g.values[std::size_t(v)].dims = dims;
}
void shape_inference::infer(graph_data& g, const node& n) {
    spend(n.inputs.count + n.outputs.count);
    const entry* e = find_entry(reference_kernels(), n);
    if (!e) return;
    rule_examples examples(g, n, *e, [&](std::int64_t values) { spend(values); });
    if (!examples.askable()) return;
    examples.ask();
    for (int k = 0; k < n.outputs.count && examples.accepted(); ++k) {
        const int v = g.edges[std::size_t(n.outputs.first + k)];
        if (v < 0) continue;
        shape dims = examples.inferred(std::size_t(k));
        const shape& declared = g.values[std::size_t(v)].dims;
        for (int i = 0; i < dims.rank && dims.rank == declared.rank; ++i)  // which only operators unknown to ONNX have
            if (dims[i] == -1 && declared[i] < -1) dims[i] = declared[i];
        if (dims.rank >= 0) set(g, v, dims);
    }
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
