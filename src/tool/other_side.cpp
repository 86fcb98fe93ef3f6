// The sides that a shadow run can be compared with.
#include "shadow.hpp"

namespace inlay::tool {
namespace {
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
    void run(std::size_t t, const shadows::step_values&,
             const std::function<void(const std::map<int, any_value>&)>& use) override {
        std::map<int, any_value> results;
        for (int id : steps_[t].outputs)
            if (auto v = read(id)) results.emplace(id, std::move(*v));
        use(results);
    }
    std::string why_none(int) const override { return "the folder has no file of it"; }
};
}  // namespace

std::unique_ptr<other_side> computed_side(const model& a, const model& b, std::vector<provider_handle> list,
                                          const session_options& o, const values& inputs) {
    std::vector<shape> shapes;
    for (const port& p : b.inputs()) {
        const auto k = std::size_t(std::ranges::find(a.inputs(), p.name, &port::name) - a.inputs().begin());
        const tensor* t = k < inputs.size() && inputs[k] ? inputs[k]->as_tensor() : nullptr;
        shapes.push_back(t ? t->shape() : shape::unknown());
    }
    std::vector<int> fed_ids;
    for (const auto& [id, v] : fed_values(a, inputs)) fed_ids.push_back(id);
    return shadows::computed_side(a, b, std::move(list), o, shapes, fed_ids);
}
std::map<int, any_value> fed_values(const model& a, const values& inputs) {
    std::map<int, any_value> feeds;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        if (inputs[k]) feeds.emplace(a.view().inputs[k], *inputs[k]);
    return feeds;
}
std::unique_ptr<other_side> folder_side(const model& a, const fs::path& folder) {
    return std::make_unique<in_folder>(a, folder);
}
}  // namespace inlay::tool
