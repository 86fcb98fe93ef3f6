#include "data.hpp"
#include <inlay/tensor_file.hpp>

namespace inlay::tool {
any_value read_value(const fs::path& file, const port& p) {
    if (file.extension() == ".npy") return read_npy(file).value_or_raise();
    return read_pb(file, p.kind).value_or_raise();
}
void write_value(const fs::path& file, const any_value& v, const port& p) {
    if (file.extension() != ".npy") return write_pb(file, v, p.name).value_or_raise();
    const tensor* t = v.as_tensor();
    if (!t)
        throw bad_usage("`" + p.name + "` is a " + std::string(name_of(p.kind)) + ", which an .npy file cannot hold",
                        "use --format pb");
    write_npy(file, *t).value_or_raise();
}

static std::optional<fs::path> find_file(const fs::path& folder, std::string_view stem, std::size_t i, const port* p) {
    const std::string numbered = fmt::format("{}_{}", stem, i);
    std::vector<std::string> names{numbered + ".pb", numbered + ".npy"};
    if (p && p->name.find('/') == p->name.npos) names.push_back(p->name + ".npy");
    for (const std::string& name : names)
        if (fs::exists(folder / name)) return folder / name;
    return std::nullopt;
}
values read_folder(const fs::path& folder, std::string_view stem, std::span<const port> ports) {
    if (!fs::is_directory(folder)) raise({error_code::not_found, "there is no folder `" + folder.string() + "`"});
    values items;
    for (const port& p : ports) {
        const auto file = find_file(folder, stem, items.size(), &p);
        items.push_back(file ? std::optional(read_value(*file, p)) : std::nullopt);
    }
    if (const auto extra = find_file(folder, stem, ports.size(), nullptr))
        raise({error_code::invalid_argument, "`" + extra->string() + "` is one file too many: the model has " +
                                                 plural(std::int64_t(ports.size()), stem)});
    return items;
}
values read_arrays(const fs::path& file, std::span<const port> ports) {
    values items(ports.size());
    for (auto& [name, t] : read_npz(file).value_or_raise()) {
        std::size_t k = 0;
        while (k < ports.size() && ports[k].name != name && fmt::format("arr_{}", k) != name) ++k;
        if (k == ports.size())
            raise({error_code::not_found,
                   "`" + file.string() + "` has an array `" + name + "`, and the model no input of that name"});
        items[k] = std::move(t);
    }
    return items;
}
void write_arrays(const fs::path& file, std::span<const port> ports, const values& items) {
    std::map<std::string, tensor> arrays;
    for (std::size_t k = 0; k < ports.size(); ++k) {
        if (!items[k]) continue;
        const tensor* t = items[k]->as_tensor();
        if (!t)
            throw bad_usage("`" + ports[k].name + "` is a " + std::string(name_of(ports[k].kind)) +
                                ", which an .npz file cannot hold",
                            "use --format pb");
        arrays.emplace(ports[k].name, *t);
    }
    write_npz(file, arrays).value_or_raise();
}
std::vector<feed> feeds_of(std::span<const port> ports, const values& v) {
    std::vector<feed> feeds;
    for (std::size_t k = 0; k < ports.size(); ++k)
        if (v[k]) feeds.push_back({ports[k].name, *v[k]});
    return feeds;
}

namespace {
double fraction(std::mt19937_64& bits) {
    return double(bits() >> 11) * 0x1p-53;
}  // the same with every standard library
template <class T> T random_element(std::mt19937_64& bits) {
    if constexpr (std::is_same_v<T, std::string>)
        return std::string(1 + bits() % 8, char('a' + bits() % 26));
    else if constexpr (std::is_same_v<T, float8e8m0>)
        return {std::uint8_t(120 + bits() % 16)};
    else if constexpr (floating<T>)
        return T(float(2 * fraction(bits) - 1));
    else if constexpr (requires(T x) { x.imag(); })
        return {typename T::value_type(2 * fraction(bits) - 1), typename T::value_type(2 * fraction(bits) - 1)};
    else if constexpr (packed_bits<T> > 0)
        return load<T>(std::array{std::uint8_t(bits())}.data(), 0);
    else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
        return T(bits());
    else
        return T(bits() >> 63);
}
}  // namespace
tensor random_tensor(element type, const shape& dims, std::mt19937_64& bits) {
    tensor t(type, dims);
    with_type(type, [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < t.elements(); ++i) store<T>(t.data(), i, random_element<T>(bits));
    });
    return t;
}
}  // namespace inlay::tool
