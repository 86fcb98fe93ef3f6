// Every fast kernel with each layout that its values may come in.
#include "operator_rows.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Every fast kernel reads plain values", "[layouts]") {
    for (const operator_row& r : operator_rows())
        for (const isa::level level : some_levels()) (void)check_row(r, origin::given, level);
}
TEST_CASE("Every fast kernel reads values that lie channels last", "[layouts]") {
    for (const operator_row& r : operator_rows())
        if (can_be_pooled(r))
            for (const isa::level level : some_levels()) (void)check_row(r, origin::pooled, level);
}
TEST_CASE("The rows of an operator have one that its fast kernel runs", "[layouts]") {
    std::map<std::string, bool> runs;
    for (const operator_row& r : operator_rows()) {
        const inlay::session s{model_of(text_of(r, origin::given), {.optimize = false}), cpu{.threads = 1}};
        for (const auto& l : s.plan().nodes)
            if (l.op == r.op) runs[r.op] |= l.kernel == "cpu";
    }
    for (const entry& e : kernels_of<cpu>().entries)
        if (e.device_name == device::cpu::name && e.domain.empty()) {
            CAPTURE(e.name);
            CHECK(runs[std::string(e.name)]);
        }
}
TEST_CASE("Weights of a run are read plain, and the fast kernel packs them", "[layouts]") {
    for (const operator_row& r : operator_rows()) {
        if (r.nodes.find("(v, w") == std::string::npos || r.constants.find(" w = ") != std::string::npos) continue;
        for (const origin from : {origin::given, origin::pooled, origin::late, origin::late_pooled})
            if (can_be_pooled(r))
                for (const auto& l : check_row(r, from, some_levels().back()).nodes)
                    if (l.op == r.op && (from == origin::given || from == origin::pooled)) CHECK(l.kernel == "cpu");
    }
}
