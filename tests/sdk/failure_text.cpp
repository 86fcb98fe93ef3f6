// Mirrors include/inlay/sdk/failure_text.hpp.
#include "../catch.hpp"
#include "../heap_calls.hpp"
#include <inlay/sdk/kernel.hpp>
#include <memory>
#include <string>
using namespace inlay;

namespace {
const std::string long_text = std::string(300, 'a') + " and an end";
}  // namespace

TEST_CASE("A failure's text outlives the one that it was given, however long") {
    for (const std::string& text : {std::string(), std::string("short"), std::string(120, 'x'), long_text}) {
        auto source = std::make_unique<std::string>(text);
        failure_text failure(*source);
        source->assign(text.size(), '-');
        source.reset();
        CHECK(failure.view() == text);
        CHECK(failure.empty() == text.empty());
        failure_text copy(failure), second("another");
        second = copy;
        failure = "";
        CHECK(failure.empty());
        CHECK(copy.view() == text);
        CHECK(second.view() == text);
    }
}
TEST_CASE("A failure's text may become part of itself") {
    failure_text text(long_text);
    text = text.view().substr(300);
    CHECK(text.view() == " and an end");
    text = text.view().substr(5);
    CHECK(text.view() == "an end");
    const failure_text& same = text;
    text = same;
    CHECK(text.view() == "an end");
}
TEST_CASE("What a kernel says of its failure is the context's own") {
    context c;
    CHECK(c.detail.empty());
    {
        const std::string reason = "the device is at " + std::to_string(90) + " degrees";
        CHECK(c.fail(reason, status::failed) == status::failed);
    }
    CHECK(c.detail.view() == "the device is at 90 degrees");
}
#ifdef COUNTED
TEST_CASE("Of a failure's long text the beginning is kept where there is no memory, with no character cut", "[heap]") {
    const std::string letters = "a" + [] {
        std::string umlauts;
        for (int i = 0; i < 200; ++i) umlauts += "\xc3\xa4";
        return umlauts;
    }();
    for (const std::string& text : {long_text, letters}) {
        failure_text failure;
        testing::heap::left = 1;
        failure = text;
        testing::heap::left = -1;
        CHECK(text.starts_with(failure.view()));
        CHECK(failure.view().size() >= 119);
        CHECK(failure.view().size() <= 120);
        CHECK((text == long_text || failure.view().size() % 2 == 1));
    }
}
TEST_CASE("A context without a failure calls no heap", "[heap]") {
    testing::heap::calls = 0;
    testing::heap::counting = true;
    {
        context c;
        context copy = c;
        copy.detail = "";
        (void)c.fail("a short reason");
        copy = c;
    }
    testing::heap::counting = false;
    CHECK(testing::heap::calls == 0);
}
#endif
