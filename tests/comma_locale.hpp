// A locale with commas: what a program writes and reads must not depend on it.
#pragma once
#include "catch.hpp"
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>

namespace inlay::testing {
struct comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
};
// The C++ locale of the program has commas, and the C locale too where the machine can make such a one.
class comma_locale {
    const std::string before_ = std::setlocale(LC_ALL, nullptr);
    const std::locale cpp_ = std::locale::global(std::locale(std::locale::classic(), new comma));
    std::string folder_ = (std::filesystem::temp_directory_path() / "inlay-test-XXXXXX").string();

  public:
    comma_locale() {
        REQUIRE(::mkdtemp(folder_.data()));
        if (std::system(("localedef -i de_DE -f UTF-8 " + folder_ + "/de_DE.UTF-8 > /dev/null 2>&1").c_str()) != 0)
            return;
        ::setenv("LOCPATH", folder_.c_str(), 1);
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        ::unsetenv("LOCPATH");
    }
    bool is_c_locale_too() const { return *std::localeconv()->decimal_point == ','; }
    ~comma_locale() {
        std::locale::global(cpp_);
        std::setlocale(LC_ALL, before_.c_str());
        std::filesystem::remove_all(folder_);
    }
};
}  // namespace inlay::testing
