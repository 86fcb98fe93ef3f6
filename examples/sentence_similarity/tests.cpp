// The tokenizer against the reference of tokens.txt.
#include "catch.hpp"
#include "wordpiece.hpp"
#include <sstream>

static std::string pieces(std::string_view text) {
    static const wordpiece tokenize{VOCABULARY};
    std::ostringstream ids;
    for (std::int64_t id : tokenize(text)) ids << (ids.tellp() > 0 ? " " : "") << id;
    return ids.str();
}

TEST_CASE("The tokenizer gives the ids that Python's tokenizers package gives") {
    std::ifstream reference(TOKENS);
    int sentences = 0;
    for (std::string line; std::getline(reference, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t tab = line.find('\t');
        REQUIRE(tab != std::string::npos);
        CAPTURE(line.substr(tab + 1));
        CHECK(pieces(line.substr(tab + 1)) == line.substr(0, tab));
        ++sentences;
    }
    CHECK(sentences == 14);
}

TEST_CASE("A text without words is two special pieces") {
    CHECK(pieces("") == "101 102");
    CHECK(pieces(" \t\r\n") == "101 102");
}

TEST_CASE("Bytes that are no UTF-8 are skipped") {
    CHECK(pieces("ol\xFF"
                 "d\xC3") == pieces("old"));
    CHECK(pieces("old\xC0\x80") == pieces("old"));          // more bytes than the character needs
    CHECK(pieces("old\xED\xA0\x80") == pieces("old"));      // half of a surrogate pair
    CHECK(pieces("old\xF4\x90\x80\x80") == pieces("old"));  // past the last character
}

TEST_CASE("A word of more than 100 characters is unknown") {
    CHECK(pieces(std::string(101, 'a')) == "101 100 102");
    CHECK(pieces(std::string(100, 'a')) != "101 100 102");
}

TEST_CASE("A vocabulary that is not there is refused by name") {
    CHECK_THROWS_WITH(wordpiece("nowhere/vocab.txt"), Catch::Contains("nowhere/vocab.txt"));
}
