// inlay size: which operator costs how many bytes of a program that embeds models.
#include "elf_file.hpp"
#include <set>

namespace inlay::tool {
namespace {
struct size_arguments {
    std::string file;
    bool as_json = false, quiet = false;
};

// Symbols are grouped by their names. `place`: the device of an operator's kernels, the level of a family's.
struct group {
    std::string kind, name, place;
    auto operator<=>(const group&) const = default;
    std::string label() const {
        return (kind == "weights" || kind == "model" ? kind + " of " : "") + name +
               (place.empty() ? "" : " (" + place + ")");
    }
};
struct sizes {
    std::uint64_t text = 0, data = 0, bss = 0;  // as `size` counts sections: not writable, writable, not in the file
    std::uint64_t total() const { return text + data + bss; }
    void add(const Elf64_Shdr& s, std::uint64_t bytes) {
        const bool constant = s.sh_flags & SHF_EXECINSTR || !(s.sh_flags & SHF_WRITE);
        (constant ? text : s.sh_type == SHT_NOBITS ? bss : data) += bytes;
    }
};

// Names are read as the compiler mangled them: a name's own scope comes first there, every word is spelled in full
// where it is first mentioned, and a hostile file cannot make them long, as it could by demangling: forty words, each
// naming the last one twice.
constexpr std::string_view scope = "5inlay2v1";

std::string_view word_at(std::string_view text,
                         std::size_t at) {  // a length, then as many characters; empty if there is none
    std::size_t n = 0, digits = 0;
    for (; at < text.size() && digits < 4 && text[at] >= '0' && text[at] <= '9'; ++at, ++digits)
        n = 10 * n + std::size_t(text[at] - '0');
    return digits && n <= text.size() - at ? text.substr(at, n) : std::string_view();
}
std::string_view word_after(std::string_view text, std::string_view prefix) {
    for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1))
        if (const std::string_view word = word_at(text, at + prefix.size()); !word.empty()) return word;
    return {};
}
std::string_view operator_in(std::string_view name) {
    if (const std::string_view op = word_after(name, "2op"); !op.empty()) return op;
    constexpr std::string_view kernel = "6kernelI";  // a user's operator lies in a namespace of the user's
    std::size_t at = name.find(kernel);
    if (at == name.npos) return {};
    at += kernel.size();
    std::string_view last_word;
    if (at < name.size() && name[at] == 'N') ++at;
    if (at < name.size() && name[at] == 'S')
        at = std::min(name.find('_', at), name.size() - 1) + 1;  // a namespace named before
    for (std::string_view word = word_at(name, at); !word.empty(); word = word_at(name, at)) {
        last_word = word;
        at = std::size_t(word.data() + word.size() - name.data());
    }
    return last_word;
}
// gemm_f32 of gemm_f32_table: the first word that holds an element type.
std::string_view family_in(std::string_view name) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::size_t start = name.find(scope);
    for (std::size_t at = start == name.npos ? 0 : start + scope.size(); at < name.size(); ++at) {
        if (!digit(name[at])) continue;
        const std::string_view word = word_at(name, at);
        if (word.empty() || std::ranges::any_of(word, [&](char c) {
                return !digit(c) && c != '_' && (c < 'a' || c > 'z');
            })) {  // no word of Inlay's, or a number
            while (at + 1 < name.size() && digit(name[at + 1])) ++at;
            continue;
        }
        for (std::size_t part = word.find('_'); part != word.npos; part = word.find('_', part + 1)) {
            const std::string_view type = word.substr(part + 1, word.find('_', part + 1) - part - 1);
            if (type.size() >= 2 && std::string_view("fbuis").find(type.front()) != type.npos && digit(type.back()))
                return word.substr(0, part + 1 + type.size());
        }
        at = std::size_t(word.data() + word.size() - name.data()) - 1;
    }
    return {};
}
std::string_view level_in(std::string_view name) {
    const std::string_view word = word_after(name, scope);
    const auto level = std::ranges::find(isa::linked, word, isa::name_of);
    return level == std::end(isa::linked) ? std::string_view() : isa::name_of(*level);
}

struct symbol {
    std::uint64_t section, first, end;  // bytes of the section
    std::string_view name;
    int file;  // local symbols: of which source file; else -1
};
class census {
  public:
    std::map<group, sizes> groups;
    sizes sum;
    struct section {
        std::string name;
        std::uint64_t bytes, outside;
    };
    std::vector<section> sections;

    explicit census(const elf_file& file) {
        collect(file);
        std::ranges::stable_sort(symbols_, [](const symbol& a, const symbol& b) {
            return std::tuple(a.section, a.first, b.end) < std::tuple(b.section, b.first, a.end);
        });
        auto next = symbols_.begin();
        for (std::uint64_t s = 0; s < file.sections.size(); ++s) {
            const Elf64_Shdr& header = file.sections[s];
            if (!(header.sh_flags & SHF_ALLOC)) continue;
            std::uint64_t end = 0, named = 0;  // names of the same bytes count once
            for (; next != symbols_.end() && next->section == s; ++next) {
                if (next->end <= end) continue;
                const std::uint64_t bytes = next->end - std::max(next->first, end);
                groups[group_of(*next)].add(header, bytes);
                named += bytes;
                end = next->end;
            }
            if (header.sh_size > named)
                groups[{"unnamed", "in no symbol: literals, padding, unwinding tables", ""}].add(
                    header, header.sh_size - named);
            sum.add(header, header.sh_size);
            sections.push_back(
                {std::string(file.text(file.section_names, header.sh_name)), header.sh_size, header.sh_size - named});
        }
    }

  private:
    struct source {  // the level whose symbols it has, if any
        std::string stem;
        std::string_view level;
    };
    std::vector<symbol> symbols_;
    std::vector<source> sources_;
    std::set<std::string_view> families_;  // by their tables, which every level has

    void collect(const elf_file& file) {
        std::uint64_t tls = ~std::uint64_t(0), characters = 0;
        for (const Elf64_Shdr& s : file.sections)
            if (s.sh_flags & SHF_TLS) tls = std::min(tls, s.sh_addr);
        for (const Elf64_Sym& s : file.symbols) {
            const std::string_view name = file.text(file.symbol_names, s.st_name);
            if ((characters += name.size()) / 64 > file.symbol_names.size())
                file.fail("it is damaged: its symbols have the same long names");
            const int type = ELF64_ST_TYPE(s.st_info);
            if (type == STT_FILE) {
                sources_.push_back({std::filesystem::path(name).stem().string(), {}});
                continue;
            }
            if (s.st_size == 0 || s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE) continue;
            if (s.st_shndx >= file.sections.size()) file.fail("it is damaged: a symbol lies in no section");
            const Elf64_Shdr& section = file.sections[s.st_shndx];
            if (!(section.sh_flags & SHF_ALLOC)) continue;
            const std::uint64_t first =
                s.st_value - (type == STT_TLS ? section.sh_addr - tls
                                              : section.sh_addr);  // below the section, it wraps to a large number
            if (first > section.sh_size || s.st_size > section.sh_size - first)
                file.fail("it is damaged: a symbol lies outside of its section");
            const bool local = ELF64_ST_BIND(s.st_info) == STB_LOCAL && !sources_.empty();
            symbols_.push_back({s.st_shndx, first, first + s.st_size, name, local ? int(sources_.size()) - 1 : -1});
            const std::string_view level = level_in(name);
            if (level.empty()) continue;
            if (local) sources_.back().level = level;
            if (type == STT_OBJECT)
                if (const std::string_view table = word_after(name, level); !table.empty()) families_.insert(table);
        }
    }
    group group_of(const symbol& s) const {
        const auto in = [](std::string_view kind, std::string_view name, std::string_view place = {}) {
            return group{std::string(kind), std::string(name), std::string(place)};
        };
        constexpr std::string_view weights = "inlay_weights_", records = "_records";
        if (s.name.starts_with(weights)) return in("weights", s.name.substr(weights.size()));
        // Static functions of a level carry no family's name; their source file does.
        if (s.file >= 0)
            if (const source& from = sources_[std::size_t(s.file)];
                !from.level.empty() && families_.contains(from.stem))
                return in("kernels", from.stem, from.level);
        if (const std::string_view level = level_in(s.name); !level.empty()) {
            const std::string_view family = family_in(s.name);
            return in("kernels", family.empty() ? "other kernels" : family, level);
        }
        if (s.name.find("5inlay") == s.name.npos)
            return in("other", "everything else: the program's own, C and C++ libraries");
        if (std::string_view model = word_after(s.name, "6models"); !model.empty()) {
            if (model.ends_with(records)) model.remove_suffix(records.size());
            return in("model", model);
        }
        if (const std::string_view op = operator_in(s.name); !op.empty())
            return in("operator", op, word_after(s.name, "6device"));
        if (const std::string_view family = family_in(s.name); !family.empty()) return in("kernels", family);
        return in("inlay", "the rest of Inlay");
    }
};

json to_json(const sizes& s) { return {{"text", s.text}, {"data", s.data}, {"bss", s.bss}, {"total", s.total()}}; }
json to_json(const size_arguments& a, const census& c, const std::vector<std::pair<group, sizes>>& rows) {
    json j{{"schema", "inlay.size"},  {"version", 1},
           {"file", a.file},          {"bytes", to_json(c.sum)},
           {"groups", json::array()}, {"sections", json::array()}};
    for (const auto& [g, s] : rows)
        j["groups"].push_back({{"kind", g.kind}, {"name", g.name}, {"place", g.place}, {"bytes", to_json(s)}});
    for (const census::section& s : c.sections)
        j["sections"].push_back({{"name", s.name}, {"bytes", s.bytes}, {"in_no_symbol", s.outside}});
    return j;
}
int size(const size_arguments& a) {
    const elf_file file(a.file);
    const census c(file);
    std::vector<std::pair<group, sizes>> rows(c.groups.begin(), c.groups.end());
    std::ranges::stable_sort(rows, std::greater{}, [](const auto& row) { return row.second.total(); });
    if (a.as_json) print(to_json(a, c, rows));
    if (a.as_json || a.quiet) return exit_status::done;
    const auto line = [](const sizes& s, std::string_view name) {
        fmt::print("{:11} {:11} {:9} {:9}  {}\n", s.total(), s.text, s.data, s.bss, printable(name));
    };
    fmt::print("{:>11} {:>11} {:>9} {:>9}\n", "bytes", "text", "data", "bss");
    for (const auto& [g, s] : rows) line(s, g.label());
    line(c.sum, "total");
    return exit_status::done;
}
}  // namespace

void add_size(command& app, action& task) {
    auto a = std::make_shared<size_arguments>();
    command c = app.add_command("size", "Show which operator costs how many bytes of a program that embeds models");
    c.add_option("BINARY", a->file, "The program, linked and not stripped; or a shared library or object file")
        .required();
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    choose(c, task, size, a);
}
}  // namespace inlay::tool
