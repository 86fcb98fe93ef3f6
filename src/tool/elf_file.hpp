// The sections and symbols of a 64-bit ELF file. Its own claims are checked before they are used.
#pragma once
#include "common.hpp"
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>

namespace inlay::tool {
class elf_file {
    std::string name_;
    std::ifstream in_;
    std::uint64_t bytes_ = 0;

  public:
    std::vector<Elf64_Shdr> sections;
    std::vector<Elf64_Sym> symbols;
    std::vector<char> section_names, symbol_names;

    explicit elf_file(const std::string& name) : name_(name), in_(name, std::ios::binary) {
        std::error_code failed;
        bytes_ = std::filesystem::file_size(name, failed);  // fails for anything but a regular file
        if (failed || !in_) fail(failed ? failed.message() : "it cannot be read");
        if (bytes_ < sizeof(Elf64_Ehdr)) fail("it is no ELF file");
        const auto header = table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)).front();
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) fail("it is no ELF file");
        if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
            fail("it is no 64-bit little-endian ELF file");
        if (header.e_type != ET_EXEC && header.e_type != ET_DYN && header.e_type != ET_REL)
            fail("it is no program, shared library or object file");
        if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr))
            fail("it has no section headers", "give the program as it was linked");
        sections = table<Elf64_Shdr>(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
        for (const Elf64_Shdr& s : sections) {
            if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL) check_range(s.sh_offset, s.sh_size);
            if (s.sh_size > std::uint64_t(1) << 47)
                fail("a section is larger than the address space");  // so no sum over sections overflows
        }
        section_names = strings(header.e_shstrndx);
        const auto section = std::ranges::find(sections, Elf64_Word(SHT_SYMTAB), &Elf64_Shdr::sh_type);
        if (section == sections.end())
            fail("it is stripped: it has no symbol table", "give the program as it was linked, before `strip` or `-s`");
        if (section->sh_entsize != sizeof(Elf64_Sym)) fail("its symbol table has entries of an unknown size");
        symbols = table<Elf64_Sym>(section->sh_offset, section->sh_size);
        symbol_names = strings(section->sh_link);
    }
    std::string_view text(const std::vector<char>& strings, std::uint64_t offset) const {
        const char* end =
            offset < strings.size()
                ? static_cast<const char*>(std::memchr(strings.data() + offset, 0, strings.size() - offset))
                : nullptr;
        if (!end) fail("a name lies outside of its string table");
        return {strings.data() + offset, end};
    }
    [[noreturn]] void fail(std::string_view reason, std::string hint = {}) const {
        throw bad_usage(fmt::format("`{}`: {}", name_, reason), std::move(hint));
    }

  private:
    void check_range(std::uint64_t offset, std::uint64_t bytes) const {
        if (offset > bytes_ || bytes > bytes_ - offset)
            fail("it is cut short, or damaged: a table or section ends behind the file");
    }
    template <class T> std::vector<T> table(std::uint64_t offset, std::uint64_t bytes) {
        check_range(offset, bytes);
        std::vector<T> entries(bytes / sizeof(T));
        in_.seekg(std::streamoff(offset));
        if (!in_.read(reinterpret_cast<char*>(entries.data()), std::streamsize(entries.size() * sizeof(T))))
            fail("it cannot be read");
        return entries;
    }
    std::vector<char> strings(std::uint64_t section) {
        if (section >= sections.size() || sections[section].sh_type != SHT_STRTAB)
            fail("it is damaged: a string table is missing");
        return table<char>(sections[section].sh_offset, sections[section].sh_size);
    }
};
}  // namespace inlay::tool
