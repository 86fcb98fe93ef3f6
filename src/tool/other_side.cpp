// The sides that a twin run can be compared with.
#include "twin.hpp"

namespace inlay::tool {
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
    std::map<int, any_value> fed_;         // a's inputs
    std::vector<int> to_b_, to_a_;         // -1: the other graph has none of that name
    std::vector<part> parts_;              // by step
    std::map<int, std::size_t> last_use_;  // of values of a that a step does not read itself, but its part of b
    std::map<int, std::string> why_;

    static std::vector<shape> shapes_of(const model& a, const model& b, const values& inputs) {
        std::vector<shape> all;
        for (const port& p : b.inputs()) {
            const auto k = std::size_t(std::ranges::find(a.inputs(), p.name, &port::name) - a.inputs().begin());
            const tensor* t = k < inputs.size() && inputs[k] ? inputs[k]->as_tensor() : nullptr;
            all.push_back(t ? t->shape() : shape::unknown());
        }
        return all;
    }
    void pair_values(const model& b) {
        const graph_view &ga = a_.view(), &gb = b.view();
        to_b_.assign(ga.values.size(), -1);
        to_a_.assign(gb.values.size(), -1);
        const bool same = &ga == &gb;
        std::map<std::string_view, int> named;
        for (std::size_t id = 0; id < gb.values.size() && !same; ++id)
            if (!gb.values[id].name.empty()) named.emplace(gb.values[id].name, int(id));
        for (std::size_t id = 0; id < ga.values.size(); ++id) {
            const auto there = named.find(ga.values[id].name);
            const int other = same ? int(id) : there == named.end() ? -1 : there->second;
            if (other < 0 || to_a_[std::size_t(other)] >= 0) continue;
            to_b_[id] = other;
            to_a_[std::size_t(other)] = int(id);
        }
    }
    bool is_constant(int b) const { return b_.graph().values[std::size_t(b)].is_constant(); }
    // What b computes of these outputs of a step.
    part part_of(const std::vector<int>& outputs, const std::vector<char>& known) {
        part p;
        std::vector<int> wanted;
        for (int id : outputs) {
            const int b = to_b_[std::size_t(id)];
            if (b < 0)
                why_[id] = "the other model has no value of that name";
            else if (is_constant(b))
                p.constants.push_back(id);
            else if (known[std::size_t(b)])
                why_[id] = "an earlier step made it";
            else if (!b_.find(std::span(&b, 1), known))
                why_[id] = "the other model computes it from inputs that this one has not";
            else {
                p.outputs[id] = wanted.size();
                wanted.push_back(b);
            }
        }
        if (!wanted.empty()) p.piece = *b_.find(wanted, known);
        return p;
    }

  public:
    computed(const model& a, const model& b, std::vector<provider_handle> list, const session_options& o,
             const values& inputs)
        : a_(a), b_(b, std::move(list), o, shapes_of(a, b, inputs)) {
        pair_values(b);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k]) fed_.emplace(a.view().inputs[k], *inputs[k]);
    }
    void plan(std::span<const step_record> steps) override {
        std::vector<char> known(to_a_.size());
        for (const auto& [id, v] : fed_)
            if (const int b = to_b_[std::size_t(id)]; b >= 0) known[std::size_t(b)] = 1;
        for (std::size_t t = 0; t < steps.size(); ++t) {
            part& p = parts_.emplace_back();
            if (steps[t].nodes.empty()) continue;
            p = part_of(steps[t].outputs, known);
            for (int b : p.piece.inputs)
                if (const int a = to_a_[std::size_t(b)];
                    !fed_.contains(a) && std::ranges::find(steps[t].inputs, a) == steps[t].inputs.end())
                    last_use_[a] = t;
            for (const auto& [id, k] : p.outputs) known[std::size_t(to_b_[std::size_t(id)])] = 1;
        }
    }
    bool needs_later(std::size_t t, int id) const override {
        const auto use = last_use_.find(id);
        return use != last_use_.end() && use->second >= t;
    }
    void run(std::size_t t, const value_store& store,
             const std::function<void(const std::map<int, any_value>&)>& use) override {
        const part& p = parts_[t];
        std::map<int, any_value> known;
        for (int id : p.constants) known.emplace(id, b_.constant(to_b_[std::size_t(id)]));
        if (p.outputs.empty()) return use(known);
        std::vector<shape> shapes;
        const auto given = [&](std::size_t k) {  // an input of the model that the step does not read itself; else null
            const int a = to_a_[std::size_t(p.piece.inputs[k])];
            const auto fed = fed_.find(a);
            return store.has(a) || fed == fed_.end() ? nullptr : &fed->second;
        };
        for (std::size_t k = 0; k < p.piece.inputs.size(); ++k)
            shapes.push_back(!given(k)               ? store.shape_of(to_a_[std::size_t(p.piece.inputs[k])])
                             : given(k)->as_tensor() ? given(k)->as_tensor()->shape()
                                                     : shape::unknown());
        const auto input = [&](std::size_t k) {
            const int b = p.piece.inputs[k];
            return as_type(given(k) ? *given(k) : store.get(to_a_[std::size_t(b)]),
                           b_.graph().values[std::size_t(b)].type);
        };
        bool ran = false;
        try {
            b_.run(p.piece, shapes, input, [&](std::span<const any_value> made) {
                ran = true;
                for (const auto& [id, k] : p.outputs) known.emplace(id, made[k]);
                use(known);
            });
        } catch (error& e) {
            if (!ran) e.text = "side b, step " + std::to_string(t + 1) + ": " + e.text;
            throw;
        }
    }
    std::string why_none(int value) const override {
        const auto why = why_.find(value);
        return why == why_.end() ? "side b has none" : why->second;
    }
};

class in_folder final : public other_side {
    const model a_;
    fs::path folder_;
    std::vector<step_record> steps_{};

    static fs::path file_of(const fs::path& folder, std::string name) {
        std::ranges::replace(name, '/', '_');
        for (const char* extension : {".npy", ".pb"})
            if (fs::path file = folder / (name + extension); fs::is_regular_file(file)) return file;
        return {};
    }
    std::optional<any_value> read(int id) const {
        port p;
        p.name = a_.view().values[std::size_t(id)].name;
        fs::path file = p.name.empty() ? fs::path{} : file_of(folder_, p.name);
        const auto outputs = a_.outputs();
        if (const auto out = std::ranges::find(outputs, p.name, &port::name); out != outputs.end()) {
            p = *out;
            if (file.empty()) file = file_of(folder_, fmt::format("output_{}", out - outputs.begin()));
        }
        if (file.empty()) return std::nullopt;
        return or_exit(exit_status::bad_input, [&] { return read_value(file, p); });
    }

  public:
    in_folder(const model& a, fs::path folder) : a_(a), folder_(std::move(folder)) {}
    void plan(std::span<const step_record> steps) override { steps_.assign(steps.begin(), steps.end()); }
    void run(std::size_t t, const value_store&,
             const std::function<void(const std::map<int, any_value>&)>& use) override {
        std::map<int, any_value> all;
        for (int id : steps_[t].outputs)
            if (auto v = read(id)) all.emplace(id, std::move(*v));
        use(all);
    }
    std::string why_none(int) const override { return "the folder has no file of it"; }
};
}  // namespace

std::unique_ptr<other_side> computed_side(const model& a, const model& b, std::vector<provider_handle> list,
                                          const session_options& o, const values& inputs) {
    return std::make_unique<computed>(a, b, std::move(list), o, inputs);
}
std::unique_ptr<other_side> folder_side(const model& a, const fs::path& folder) {
    return std::make_unique<in_folder>(a, folder);
}
}  // namespace inlay::tool
