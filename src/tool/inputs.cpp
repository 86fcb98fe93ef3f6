// Where the inputs of a run come from: a folder, single files, random numbers.
#include "data.hpp"

namespace inlay::tool {
void add_input_arguments(command& c, input_arguments& a, bool ranges) {
    c.add_option("DIR", a.folder,
                 "Holds the inputs: input_0.pb, input_1.pb, ..., as .pb or .npy, or NAME.npy; or an .npz file with "
                 "arrays of their names");
    c.add_option("--in", a.in, "An input from a file, .npy or .pb").type_name("NAME=FILE").one_value_each();
    c.add_flag("--random", a.random, "Make up the inputs that no file gives");
    c.add_option("--seed", a.seed, "Of random inputs").capture_default_str().type_name("N");
    add_shape_option(c, a.shapes, true, ranges);
    add_old_set_option(c, a.set);
}

namespace {
void read_named(const std::vector<std::string>& texts, std::span<const port> ports, values& items) {
    for (const std::string& text : texts) {
        std::size_t k = 0;
        while (k < ports.size() &&
               !(text.starts_with(ports[k].name) && text.substr(ports[k].name.size()).starts_with('=')))
            ++k;
        if (k == ports.size())
            throw bad_usage("`--in " + text + "` names no input of the model",
                            "write --in NAME=FILE; inlay inspect shows the names");
        items[k] = read_value(text.substr(ports[k].name.size() + 1), ports[k]);
    }
}
void add_random(const input_arguments& a, given_shapes input_shapes, const model& m, bool quiet, values& items) {
    for (std::size_t k = 0; k < items.size(); ++k)
        if (const tensor* t = items[k] ? items[k]->as_tensor() : nullptr)
            input_shapes.inputs.emplace_back(m.inputs()[k].name, t->shape());
    const std::vector<shape> shapes = complete_shapes(m, input_shapes);
    std::mt19937_64 bits(a.seed);
    bool any = false;
    for (std::size_t k = 0; k < items.size(); ++k) {
        const port& p = m.inputs()[k];
        if (items[k] || p.kind == value_kind::optional) continue;
        if (p.kind != value_kind::tensor)
            throw bad_usage(
                "input `" + p.name + "` is a " + std::string(name_of(p.kind)) + ", and only tensors can be random",
                "give it with --in " + p.name + "=FILE.pb");
        if (!shapes[k].known())
            throw bad_usage("input `" + p.name + "` has no shape in the model",
                            "give it with --shape " + p.name + "=...");
        items[k] = random_tensor(p.type, shapes[k], bits);
        any = true;
    }
    if (any && !quiet) fmt::print("random inputs: seed {}\n", a.seed);
}
void require_values(const model& m, const values& items) {
    std::string missing;
    std::size_t first = items.size();
    for (std::size_t k = 0; k < items.size(); ++k) {
        const port& p = m.inputs()[k];
        if (items[k] || p.kind == value_kind::optional) continue;
        first = std::min(first, k);
        missing += fmt::format("{}`{}`: {}{}", missing.empty() ? "" : ", ", p.name, p.type_text,
                               p.kind == value_kind::tensor ? " " + shape_text(p) : "");
    }
    if (missing.empty()) return;
    throw bad_usage("there is no value for " + missing,
                    fmt::format("give a folder with input_{}.npy or .pb, an .npz file, --in {}=FILE, or --random",
                                first, m.inputs()[first].name));
}
}  // namespace
values gather_inputs(const input_arguments& a, const model& m, bool quiet) {
    return gather_inputs(a, shapes_from(joined(a.shapes, a.set), m), m, quiet);
}
values gather_inputs(const input_arguments& a, const given_shapes& input_shapes, const model& m, bool quiet) {
    values items(m.inputs().size());
    if (!a.folder.empty())
        items = fs::path(a.folder).extension() == ".npz" ? read_arrays(a.folder, m.inputs())
                                                         : read_folder(a.folder, "input", m.inputs());
    read_named(a.in, m.inputs(), items);
    if (!a.random && !input_shapes.empty())
        throw bad_usage("`--shape` gives sizes to inputs that are made up", "add --random, or leave it out");
    if (a.random) add_random(a, input_shapes, m, quiet, items);
    require_values(m, items);
    return items;
}
}  // namespace inlay::tool
