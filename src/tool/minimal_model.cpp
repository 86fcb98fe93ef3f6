#include "minimal_model.hpp"
#include "onnx/extract.hpp"
#include "platform/output_file.hpp"
#include <inlay/tensor_file.hpp>
#include <set>

namespace inlay::tool {
namespace {
class finder {
    const graph_view& g_;
    const std::set<std::string_view> available_;
    const std::map<std::string, tensor>& known_values_;
    std::vector<int> makers_;
    std::vector<char> fed_, inside_;  // by value: it depends on the model's inputs; by node
    minimal_model model_;

    std::string name(int v) const { return std::string(g_.values[std::size_t(v)].name); }
    void visit(int v, std::vector<int>& open) {
        const int maker = makers_[std::size_t(v)];
        if (available_.contains(g_.values[std::size_t(v)].name)) {
            if (std::ranges::find(model_.inputs, name(v)) == model_.inputs.end()) model_.inputs.push_back(name(v));
        } else if (const auto c = known_values_.find(name(v));
                   maker >= 0 && fed_[std::size_t(v)] && c != known_values_.end())
            model_.constants.insert(*c);
        else if (maker >= 0 && !std::exchange(inside_[std::size_t(maker)], 1))
            open.push_back(maker);
    }

  public:
    finder(const graph_view& g, const std::vector<std::string>& available,
           const std::map<std::string, tensor>& known_values)
        : g_(g),
          available_(available.begin(), available.end()),
          known_values_(known_values),
          makers_(g.values.size(), -1),
          fed_(g.values.size()),
          inside_(g.nodes.size()) {
        for (int v : g.inputs) fed_[std::size_t(v)] = 1;
        for (std::size_t k = 0; k < g.nodes.size(); ++k) {
            bool fed = false;
            for_each_read(g, g.nodes[k], [&](int v) { fed |= fed_[std::size_t(v)] != 0; });
            for (int v : g.list(g.nodes[k].outputs))
                if (v >= 0) {
                    makers_[std::size_t(v)] = int(k);
                    fed_[std::size_t(v)] = fed;
                }
        }
    }
    minimal_model run(const std::string& target) {
        const auto at = std::ranges::find(g_.values, target, &value::name);
        const int maker = at == g_.values.end() ? -1 : makers_[std::size_t(at - g_.values.begin())];
        if (maker < 0)
            raise({error_code::not_found, "no node of the file makes `" + target + "`: a pass or a function did"});
        inside_[std::size_t(maker)] = 1;
        for (std::vector<int> open{maker}; !open.empty();) {
            const node& n = g_.nodes[std::size_t(open.back())];
            open.pop_back();
            for_each_read(g_, n, [&](int v) { visit(v, open); });
        }
        for (std::size_t k = 0; k < inside_.size(); ++k)
            if (inside_[k] && g_.nodes[k].op != "Constant") model_.nodes.push_back(source_of(g_, g_.nodes[k]));
        return std::move(model_);
    }
};
}  // namespace

minimal_model find_minimal(const model& as_it_is, const std::string& value, const std::vector<std::string>& available,
                           const std::map<std::string, tensor>& known_values) {
    return finder(as_it_is.view(), available, known_values).run(value);
}
void write_minimal(const fs::path& folder, const std::string& file, const minimal_model& m, const divergence& d) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) raise({error_code::invalid_argument, "cannot make the folder: " + problem.message()});
    const std::vector<std::string> outputs{d.name};
    const extracted part = extract_model(file, m.inputs, outputs, fs::absolute(folder), m.constants);
    update_file(folder / "model.onnx", part.file);
    model(folder / "model.onnx");  // what was written is a model
    for (std::size_t k = 0; k < m.inputs.size(); ++k)
        write_pb(folder / fmt::format("input_{}.pb", k), d.inputs.at(m.inputs[k]), m.inputs[k]).value_or_raise();
    write_pb(folder / "output_0.pb", d.expected, d.name).value_or_raise();
    write_pb(folder / "a_output_0.pb", d.actual, d.name).value_or_raise();
    double largest = 0;
    if (const tensor* t = d.expected.as_tensor(); t && d.allowed.of_largest > 0)
        with_type(t->type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (floating<T>)
                for (std::int64_t i = 0; i < t->elements(); ++i)
                    if (const double x = std::abs(double(widened(load<T>(t->data(), i)))); std::isfinite(x))
                        largest = std::max(largest, x);
        });
    update_file(
        folder / "tolerance.json",
        json{{"rtol", d.allowed.relative}, {"atol", d.allowed.absolute + d.allowed.of_largest * largest}}.dump() +
            "\n");
}
}  // namespace inlay::tool
