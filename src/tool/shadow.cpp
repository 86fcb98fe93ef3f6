#include "shadow.hpp"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace inlay::tool {
namespace {
// glibc keeps what is freed for later, large blocks too, since it allocates them on its heap once one was freed.
void keep_large_blocks_apart() {
#if defined(__GLIBC__)
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
void give_memory_back() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}
// Captures what the steps of a window read and produce.
class recorder final : public step_watcher {
    const std::size_t first_;
    const std::int64_t room_;
    const std::function<void()> planned_;  // called once the records exist
    const other_side* const& b_;
    std::size_t at_ = 0;

  public:
    std::vector<step_record> records;
    std::map<std::string, tensor> from_shapes;
    value_store store;
    std::size_t end;                 // of the window
    std::optional<int> moved_wrong;  // a value: the step at the window's end moved it, and changed it

    recorder(std::size_t first, std::int64_t room, const std::map<int, any_value>& fed, const other_side* const& b,
             std::function<void()> planned)
        : first_(first), room_(room), planned_(std::move(planned)), b_(b), store(fed), end(first) {}
    void begin(std::span<const watched_step> steps) override {
        for (const watched_step& s : steps) records.push_back(record_of(s));
        if (!steps.empty()) from_shapes = steps.front().follow_from_shapes();
        planned_();
    }
    bool before(const watched_step& s) override {
        if (at_ >= first_ && !records[at_].nodes.empty())
            for (int id : records[at_].inputs) store.put(id, s.input(id));
        return true;
    }
    bool after(const watched_step& s) override {
        const step_record& r = records[at_];
        const bool inside = at_ >= first_;
        for (int id : r.outputs) {
            if (!r.nodes.empty() && (inside || b_->needs_later(first_, id))) store.put(id, s.output(id));
            if (inside && r.nodes.empty() && !moved_right(s, r, id)) {
                moved_wrong = id;
                store.put(id, s.input(id));
                end = at_ + 1;
                return false;
            }
        }
        ++at_;
        if (!inside) return true;
        end = at_;
        return store.bytes() < room_;
    }

  private:
    static bool moved_right(const watched_step& s, const step_record& r, int id) {
        if (r.inputs != std::vector{id}) return true;
        return content_of(s.input(id)) == content_of(s.output(id));
    }
};

class shadow_run {
    const shadow_options& o_;
    const values& inputs_;
    std::vector<std::string> names_, output_names_;
    std::map<int, any_value> fed_;
    std::unique_ptr<other_side> b_;
    const other_side* planned_side_ = nullptr;
    shadow_result result_;

    void diverge(const recorder& a, const step_record& r, int id, const any_value& actual, const any_value& expected,
                 const comparison& c) {
        divergence d;
        d.step = r;
        d.name = names_[std::size_t(id)];
        d.words = c.difference;
        d.numbers = c.first;
        d.actual = copy_of(actual);
        d.expected = copy_of(expected);
        d.allowed = c.allowed;
        for (int in : r.inputs)
            if (a.store.has(in) && !r.nodes.empty()) d.inputs.emplace(names_[std::size_t(in)], a.store.get(in));
        d.from_shapes = a.from_shapes;
        result_.difference = std::move(d);
    }
    void compare(const recorder& a, const step_record& r, int id, const any_value& expected) {
        const any_value actual = a.store.get(id);
        const std::string& name = names_[std::size_t(id)];
        const comparison c = compared(actual, expected, name, o_.relative, o_.absolute);
        if (r.random && !c.difference.empty()) {
            result_.left_out.push_back("`" + name + "`: its node makes other results from run to run");
            return;
        }
        ++result_.compared;
        if (c.largest_absolute > result_.largest.absolute) result_.worst = name;
        result_.largest.absolute = std::max(result_.largest.absolute, c.largest_absolute);
        result_.largest.relative = std::max(result_.largest.relative, c.largest_relative);
        if (std::ranges::find(output_names_, name) != output_names_.end())
            result_.outputs.emplace_back(name, value_error{c.largest_absolute, c.largest_relative});
        if (!c.difference.empty() && !result_.difference)
            diverge(a, r, id, actual, actual.as_tensor() ? as_type(expected, actual.as_tensor()->type()) : expected, c);
    }
    void check_step(const recorder& a, std::size_t t) {
        const step_record& r = a.records[t];
        if (r.nodes.empty()) return;
        std::vector<char> is_compared(r.outputs.size());
        b_->run(t, a.store, [&](const std::map<int, any_value>& values) {
            for (std::size_t k = 0; k < r.outputs.size(); ++k)
                if (const auto entry = values.find(r.outputs[k]); entry != values.end()) {
                    is_compared[k] = 1;
                    compare(a, r, r.outputs[k], entry->second);
                }
        });
        give_memory_back();
        ++result_.reached;
        for (std::size_t k = 0; k < is_compared.size(); ++k)
            if (!is_compared[k])
                result_.left_out.push_back("`" + names_[std::size_t(r.outputs[k])] +
                                           "`: " + b_->why_none(r.outputs[k]));
    }
    void check_move(const recorder& a) {
        const int id = *a.moved_wrong;
        const step_record& r = a.records[a.end - 1];
        comparison c{{}, 0, 0, "`" + names_[std::size_t(id)] + "` is changed"};
        diverge(a, r, id, {}, a.store.get(id), c);
    }

  public:
    shadow_run(const shadow_options& o, const values& inputs) : o_(o), inputs_(inputs) {}
    shadow_result run(const std::function<watched_session()>& open_a,
                      const std::function<std::unique_ptr<other_side>(const model& a)>& make_b) {
        keep_large_blocks_apart();
        for (std::size_t first = 0;;) {
            std::optional<recorder> a;
            {
                const watched_session session = open_a();
                if (!b_) {
                    b_ = make_b(session.model());
                    fed_ = fed_values(session.model(), inputs_);
                    planned_side_ = b_.get();
                    for (const value& v : session.model().view().values) names_.emplace_back(v.name);
                    for (const port& p : session.outputs()) output_names_.push_back(p.name);
                }
                a.emplace(first, o_.window, fed_, planned_side_, [&] {
                    if (first == 0) b_->plan(a->records);
                });
                session.watch(feeds_of(session.inputs(), inputs_), *a);
            }
            give_memory_back();
            if (first == 0)
                result_.steps =
                    std::ranges::count_if(a->records, [](const step_record& r) { return !r.nodes.empty(); });
            for (std::size_t t = first; t < a->end && !result_.difference; ++t)
                if (!a->moved_wrong || t + 1 < a->end) check_step(*a, t);
            if (!result_.difference && a->moved_wrong) check_move(*a);
            first = a->end;
            if (result_.difference || first >= a->records.size()) return std::move(result_);
        }
    }
};
}  // namespace

shadow_result run_shadow(const std::function<watched_session()>& open_a,
                         const std::function<std::unique_ptr<other_side>(const model& a)>& make_b, const values& inputs,
                         const shadow_options& o) {
    return shadow_run(o, inputs).run(open_a, make_b);
}
}  // namespace inlay::tool
