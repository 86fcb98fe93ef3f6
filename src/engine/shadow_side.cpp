#include "shadow_side.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
namespace {
// For each step of a, the part of b's graph between a's values and the step's outputs, found by the values' names.
class computed final : public other_side {
    struct part {
        graph_pieces::piece piece;
        std::map<int, std::size_t> outputs;  // of a: which of the piece's
        std::vector<int> constants;          // of a's outputs, those that b knows before it runs
    };
    const model a_;
    graph_pieces b_;
    std::vector<int> fed_inputs_;          // of a's inputs
    std::vector<int> to_b_, to_a_;         // -1: the other graph has none of that name
    std::vector<part> parts_;              // by step
    std::map<int, std::size_t> last_use_;  // of values of a that not the step itself but its part of b reads
    std::map<int, std::string> reasons_;

    void pair_values(const model& b) {
        const graph_view &ga = a_.view(), &gb = b.view();
        to_b_.assign(ga.values.size(), -1);
        to_a_.assign(gb.values.size(), -1);
        const bool same = &ga == &gb;
        std::map<std::string_view, int> named;
        for (std::size_t id = 0; id < gb.values.size() && !same; ++id)
            if (!gb.values[id].name.empty()) named.emplace(gb.values[id].name, int(id));
        for (std::size_t id = 0; id < ga.values.size(); ++id) {
            const auto it = named.find(ga.values[id].name);
            const int match = same ? int(id) : it == named.end() ? -1 : it->second;
            if (match < 0 || to_a_[std::size_t(match)] >= 0) continue;
            to_b_[id] = match;
            to_a_[std::size_t(match)] = int(id);
        }
    }
    static bool in(int id, const std::vector<int>& list) { return std::ranges::find(list, id) != list.end(); }
    bool is_constant(int b) const { return b_.graph().values[std::size_t(b)].is_constant(); }
    // The results of b for these outputs of a step.
    part part_of(const std::vector<int>& outputs, const std::vector<char>& is_known) {
        part p;
        std::vector<int> b_outputs;
        for (int id : outputs) {
            const int b = to_b_[std::size_t(id)];
            if (b < 0)
                reasons_[id] = "the other model has no value of that name";
            else if (is_constant(b))
                p.constants.push_back(id);
            else if (is_known[std::size_t(b)])
                reasons_[id] = "an earlier step made it";
            else if (!b_.find(std::span(&b, 1), is_known))
                reasons_[id] = "the other model computes it from inputs that this one has not";
            else {
                p.outputs[id] = b_outputs.size();
                b_outputs.push_back(b);
            }
        }
        if (!b_outputs.empty()) p.piece = *b_.find(b_outputs, is_known);
        return p;
    }

  public:
    computed(const model& a, const model& b, std::vector<provider_handle> list, const session_options& o,
             std::span<const shape> inputs, const std::vector<int>& fed_inputs)
        : a_(a), b_(b, std::move(list), o, inputs), fed_inputs_(fed_inputs) {
        pair_values(b);
    }
    void plan(std::span<const step_record> steps) override {
        std::vector<char> is_known(to_a_.size());
        const auto know = [&](const std::vector<int>& values) {
            for (int id : values)
                if (const int b = to_b_[std::size_t(id)]; b >= 0) is_known[std::size_t(b)] = 1;
        };
        know(fed_inputs_);
        for (std::size_t t = 0; t < steps.size(); ++t) {
            part& p = parts_.emplace_back();
            if (steps[t].nodes.empty()) continue;
            know(steps[t].inputs);
            p = part_of(steps[t].outputs, is_known);
            for (int b : p.piece.inputs)
                if (const int a = to_a_[std::size_t(b)]; !in(a, fed_inputs_) && !in(a, steps[t].inputs))
                    last_use_[a] = t;
            for (const auto& [id, k] : p.outputs) is_known[std::size_t(to_b_[std::size_t(id)])] = 1;
        }
    }
    bool needs_later(std::size_t t, int id) const override {
        const auto use = last_use_.find(id);
        return use != last_use_.end() && use->second >= t;
    }
    void run(std::size_t t, const step_values& values,
             const std::function<void(const std::map<int, any_value>&)>& use) override {
        const part& p = parts_[t];
        std::map<int, any_value> results;
        for (int id : p.constants) results.emplace(id, b_.constant(to_b_[std::size_t(id)]));
        if (p.outputs.empty()) return use(results);
        std::vector<shape> shapes;
        for (int b : p.piece.inputs) shapes.push_back(values.shape_of(to_a_[std::size_t(b)]));
        const auto input = [&](std::size_t k) {
            const int b = p.piece.inputs[k];
            return as_type(values.get(to_a_[std::size_t(b)]), b_.graph().values[std::size_t(b)].type);
        };
        bool ran = false;
        try {
            b_.run(p.piece, shapes, input, [&](std::span<const any_value> outputs) {
                ran = true;
                for (const auto& [id, k] : p.outputs) results.emplace(id, outputs[k]);
                use(results);
            });
        } catch (error& e) {
            if (!ran) e.text = "side b, step " + std::to_string(t + 1) + ": " + e.text;
            throw;
        }
    }
    std::string why_none(int value) const override {
        const auto it = reasons_.find(value);
        return it == reasons_.end() ? "side b has none" : it->second;
    }
};
}  // namespace

std::unique_ptr<other_side> computed_side(const model& a, const model& b, std::vector<provider_handle> list,
                                          const session_options& o, std::span<const shape> inputs,
                                          const std::vector<int>& fed_inputs) {
    return std::make_unique<computed>(a, b, std::move(list), o, inputs, fed_inputs);
}
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
