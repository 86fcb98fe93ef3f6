// Options by name: every misspelling of every option of every provider is refused, with the right name as a suggestion.
#include "../models.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Every option name with one letter changed, missing or added is refused with a suggestion", "[options]") {
    int mutants = 0;
    for (const provider_factory& f : factories_of<cpu, reference>) {
        const option_list defaults = f.defaults();
        std::vector<std::string> names;
        for (const auto& [name, value] : defaults) names.push_back(name);
        for (const auto& [name, value] : defaults) {
            const auto outcome = f.make({{name, value}});
            REQUIRE(bool(outcome));
            std::vector<std::string> misspellings;
            for (std::size_t i = 0; i < name.size(); ++i) {
                for (char c = 'a'; c <= 'z'; ++c)
                    if (c != name[i]) {
                        misspellings.push_back(name);
                        misspellings.back()[i] = c;
                    }
                misspellings.push_back(name);
                misspellings.back().erase(i, 1);
                misspellings.push_back(name);
                misspellings.back().insert(i, 1, 'x');
                misspellings.push_back(name);
                misspellings.back()[i] = char(misspellings.back()[i] - 'a' + 'A');
                if (i > 0 && name[i] != name[i - 1]) {
                    misspellings.push_back(name);
                    std::swap(misspellings.back()[i], misspellings.back()[i - 1]);
                }
            }
            for (const std::string& mutant : misspellings) {
                if (std::find(names.begin(), names.end(), mutant) != names.end()) continue;
                CAPTURE(f.name, name, mutant);
                const auto failure = f.make({{mutant, value}});
                REQUIRE_FALSE(bool(failure));
                REQUIRE(failure.why().code == error_code::unknown_option);
                REQUIRE(failure.why().provider == f.name);
                REQUIRE(failure.why().hint == "did you mean `" + name + "`?");
                ++mutants;
            }
        }
    }
    CHECK(mutants > 600);
}

TEST_CASE("Values are read as they are written, and nothing else is", "[options]") {
    const auto reads = [](std::string_view text, auto value) { return from_text(text, value); };
    for (const std::int64_t x : {std::int64_t(0), std::int64_t(-7), std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()}) {
        std::int64_t y = 1;
        CHECK(from_text(to_text(x), y));
        CHECK(x == y);
    }
    for (const char* wrong : {"", " 1", "1 ", "+1", "0x10", "1e3", "one", "9223372036854775808"}) {
        CAPTURE(wrong);
        CHECK_FALSE(reads(wrong, std::int64_t(0)));
    }
    CHECK_FALSE(reads("256", std::uint8_t(0)));
    CHECK_FALSE(reads("-1", 0u));
    for (const bool b : {true, false}) {
        bool value = !b;
        CHECK(from_text(to_text(b), value));
        CHECK(value == b);
    }
    bool yes = false, zero = true;
    CHECK((from_text("True", yes) && yes));
    CHECK((from_text("0", zero) && !zero));
    for (const char* wrong : {"", "yes", "TRUE", "2", "truth"}) CHECK_FALSE(reads(wrong, false));
    for (const isa::level l : isa::linked) {
        std::optional<isa::level> value;
        CHECK(from_text(to_text(std::optional(l)), value));
        CHECK(value == l);
    }
    std::optional<isa::level> level = isa::level::avx2;
    CHECK((from_text("", level) && !level));
    CHECK_FALSE(reads("avx1024", level));
    for (const precision p : {precision::standard, precision::strict, precision::bfloat16}) {
        precision value = p == precision::standard ? precision::strict : precision::standard;
        CHECK(from_text(to_text(p), value));
        CHECK(value == p);
    }
    for (const char* wrong : {"", "float", "BFLOAT16"}) CHECK_FALSE(reads(wrong, precision::standard));
}

TEST_CASE("Names far from all others get no suggestion", "[options]") {
    const std::vector<std::string> names{"threads", "isa", "flush_denormals"};
    CHECK(nearest_name("thread", names) == "threads");
    CHECK(nearest_name("Threads", names) == "threads");
    CHECK(nearest_name("flush_denormal", names) == "flush_denormals");
    CHECK(nearest_name("device_id", names).empty());
    CHECK(nearest_name("", names).empty());
    CHECK(nearest_name("x", {}).empty());
}
