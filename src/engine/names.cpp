// Providers and options by name.
#include <inlay/any_session.hpp>

namespace inlay {
inline namespace v1 {
namespace {
std::string folded(std::string_view s) {
    std::string t;
    for (char c : s)
        if (c != '_' && c != '-') t += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    constexpr std::string_view suffix = "executionprovider";
    if (t.size() > suffix.size() && t.ends_with(suffix)) t.resize(t.size() - suffix.size());
    return t;
}
int edit_distance(std::string_view a, std::string_view b) {  // Levenshtein, one row at a time
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = int(j);
    for (std::size_t i = 0; i < a.size(); ++i) {
        int diagonal = std::exchange(row[0], int(i) + 1);
        for (std::size_t j = 0; j < b.size(); ++j)
            diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])}));
    }
    return row.back();
}
}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
    int best = 4;  // more than three letters apart is no suggestion
    std::string nearest;
    for (const std::string& n : names)
        if (const int d = edit_distance(name, n); d < best && d < int(n.size())) {
            best = d;
            nearest = n;
        }
    return nearest;
}
std::vector<std::string> available_providers() {
    std::vector<std::string> names;
    for (const provider_factory& f : factories_of<cpu, reference>) names.emplace_back(f.name);
    return names;
}
std::string why_unusable(const provider_factory& f) {
    if (!f.plan_only.empty()) return std::string(f.plan_only);
    auto handle = f.make({});
    if (!handle) return handle.why().text;
    const auto problem = [&](auto open) {
        if (!open) return std::string();
        const auto outcome = open(handle->object.get());
        return outcome ? std::string() : outcome.why().text;
    };
    const std::string of_device = problem(handle->open_device);
    return of_device.empty() ? problem(handle->open_engine) : of_device;
}
bool names_provider(std::string_view text, std::string_view name) { return folded(text) == folded(name); }
const provider_factory* find_factory(std::span<const provider_factory> factories, std::string_view name) {
    for (const provider_factory& p : factories)
        if (names_provider(name, p.name) || (!p.short_name.empty() && names_provider(name, p.short_name))) return &p;
    return nullptr;
}

result<std::vector<provider_handle>> make_handles(std::span<const provider_factory> built_in,
                                                  std::span<const provider_choice> list) {
    std::vector<provider_handle> handles;
    for (const provider_choice& c : list) {
        const provider_factory* const f = c.factory ? c.factory.get() : find_factory(built_in, c.name);
        if (!f) {
            error e(error_code::unknown_provider,
                    "inlay: there is no provider `" + c.name + "` in this program; it has:");
            for (const provider_factory& p : built_in)
                e.text += " " + std::string(p.name) + (p.plan_only.empty() ? "" : " (plan only)");
            e.provider = c.name;
            std::vector<std::string> names;
            for (const provider_factory& p : built_in)
                for (const std::string_view name : {p.name, p.short_name})
                    if (!name.empty()) names.push_back(folded(name));
            if (const std::string near = nearest_name(folded(c.name), names); !near.empty())
                e.hint = "did you mean `" + std::string(find_factory(built_in, near)->name) + "`?";
            return e;
        }
        auto handle = f->make(c.options);
        if (!handle) return handle.why();
        handles.push_back(std::move(*handle));
    }
    return handles;
}

any_session::any_session(inlay::model m, std::vector<provider_choice> list, session_options o,
                         std::span<const provider_factory> available)
    : options_(std::move(o)), available_(available) {
    core_ =
        make(std::move(m), options_, [&] { return make_handles(available_, list).value_or_raise(); }).value_or_raise();
}
void any_session::set_providers(std::vector<provider_choice> list) {
    core_ = make(model(), options_, [&] { return make_handles(available_, list).value_or_raise(); }).value_or_raise();
}
}  // namespace v1
}  // namespace inlay
