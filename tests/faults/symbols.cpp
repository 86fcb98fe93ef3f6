#include "symbols.hpp"
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

namespace inlay::testing {
namespace {
using table = std::map<std::uintptr_t, std::pair<std::uintptr_t, std::string>>;  // a function's start; its end and name
template <class T> std::vector<T> list_at(const std::string& bytes, std::size_t at, std::size_t count) {
    std::vector<T> list(count);
    std::memcpy(list.data(), bytes.data() + at, count * sizeof(T));
    return list;
}
table read_table(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    table functions;
    if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return functions;
    const auto header = list_at<Elf64_Ehdr>(bytes, 0, 1)[0];
    const auto sections = list_at<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum);
    for (const Elf64_Shdr& s : sections)
        if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM)
            for (const Elf64_Sym& f : list_at<Elf64_Sym>(bytes, s.sh_offset, s.sh_size / sizeof(Elf64_Sym)))
                if (ELF64_ST_TYPE(f.st_info) == STT_FUNC && f.st_value)
                    functions[f.st_value] = {f.st_value + f.st_size,
                                             bytes.data() + sections[s.sh_link].sh_offset + f.st_name};
    return functions;
}
}  // namespace

std::string function_at(const void* address) {
    static std::map<std::string, table> tables;
    Dl_info info{};
    if (!dladdr(address, &info) || !info.dli_fname) return "?";
    const std::string path = info.dli_fname;
    auto entry = tables.find(path);
    if (entry == tables.end()) entry = tables.emplace(path, read_table(path)).first;
    const auto offset = std::uintptr_t(address) - std::uintptr_t(info.dli_fbase);
    auto f = entry->second.upper_bound(offset);
    if (f == entry->second.begin() || offset >= (--f)->second.first)
        return path.substr(path.rfind('/') + 1) + (info.dli_sname ? std::string(": ") + info.dli_sname : "");
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(f->second.second.c_str(), nullptr, nullptr, &status), std::free);
    return name ? name.get() : f->second.second;
}
}  // namespace inlay::testing
