// program LEVEL: checks what the models compute, and that they do so with this instruction set; with "none" instead,
// that they refuse to. Exits with 77 where this machine lacks the instruction set.
#include "models.hpp"
#include "program.hpp"
#include <inlay/embedded.hpp>
#include <inlay/thread_pool.hpp>
#include <cstdio>
#include <cstring>

using namespace inlay;
namespace {
int failures = 0;
void check(bool good, const char* statement) {
    if (good) return;
    std::printf("not so: %s\n", statement);
    ++failures;
}
template <class Net> bool two_nodes_hold(Net& net) {
    for (float& x : net.template input<"image">()) x = 1;
    if (net.run() != status::ok) return false;
    const auto scores = net.template output<"scores">();
    return scores[0] == 23 && scores[1] == 27 && scores[2] == 0;
}
}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return std::puts("usage: program sse2|avx2|avx512|avx512bf16|amx|none"), 2;
    const char* const level = arguments[1];
    embedded<testing::two_nodes, cpu> net;
    if (std::strcmp(level, "none") == 0) {
        check(net.status() == status::no_such_level, "a level that the program lacks is refused");
        check(net.run() == status::no_such_level, "a run reports it");
        return failures != 0;
    }
    if (net.status() == status::no_such_level) {
        bool lacks = false;
        for (isa::level l : isa::linked) lacks = lacks || (isa::name_of(l) == level && !isa::available(l));
        check(lacks, "the level is refused only where the machine lacks it");
        std::printf("skipped: this machine lacks %s\n", level);
        return failures ? 1 : 77;
    }
    check(isa::name_of(net.level()) == level, "the level is the requested one");
    embedded<testing::two_nodes, cpu, threads<2>> threaded;
    embedded<testing::in_bfloat16, cpu> rounded;
    embedded<testing::one_node<"Sigmoid", 13, element::f32>, cpu> bend;
    for (float& x : bend.input<"x">()) x = 2;
    check(two_nodes_hold(net), "scores = Relu(image w + b)");
    check(two_nodes_hold(threaded), "the same with threads");
    check(two_nodes_hold(rounded), "the same in bfloat16, which has these numbers");
    check(bend.run() == status::ok && near(bend.output<"y">()[5], 0.88079708f), "Sigmoid(2)");
    check(windows_hold(), "shares = Softmax(Relu(Conv(image)))");
    embedded<testing::in_a_file, cpu> elsewhere;
    check(elsewhere.status() == status::failed && elsewhere.why() == "the weights file cannot be opened",
          "a weights file that is missing is reported");
    if (!failures) std::printf("%s: ok\n", level);
    return failures != 0;
}
