// second_protobuf MODEL LIBRARY FUNCTION: runs the model before and after the library is loaded, whose function must
// return no null; the program has a protobuf message of its own besides. Exits with 77 where the library is not
// installed.
#include "note.pb.h"
#include <inlay/inlay.hpp>
#include <cstdio>
#include <dlfcn.h>

static std::vector<float> scores_of(inlay::session<inlay::cpu>& session) {
    inlay::binding network = session.bind({{"image", {1, 1, 8, 8}}});
    int ink = 0;
    for (float& x : network.input("image").as<float>()) x = float(ink++ % 5) / 4;
    if (network.run() != inlay::status::ok) return {};
    const inlay::tensor output = network.output("scores");
    const auto scores = output.as<float>();
    return {scores.begin(), scores.end()};
}
static bool note_holds() {
    program::Note written, parsed;
    written.set_text("next to ONNX's");
    written.add_numbers(7);
    return parsed.ParseFromString(written.SerializeAsString()) && parsed.text() == "next to ONNX's" &&
           parsed.numbers(0) == 7;
}
static bool check(bool good, const char* statement) {
    if (!good) std::printf("not so: %s\n", statement);
    return good;
}

int main(int count, char** arguments) {
    if (count != 4) return std::puts("usage: second_protobuf MODEL LIBRARY FUNCTION"), 2;
    if (!*arguments[2])
        return std::puts("skipped: the library is not installed; scripts/setup --python installs ONNX Runtime"), 77;
    inlay::session before{arguments[1], inlay::cpu{.threads = 1}};
    const auto expected = scores_of(before);
    bool good = check(expected.size() == 10, "the model runs") &&
                check(note_holds(), "the program's message survives serialisation");
    void* const library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::printf("%s\n", dlerror()), 1;
    void* const function = dlsym(library, arguments[3]);
    good = good && check(function, "the library has the function") &&
           check(reinterpret_cast<const void* (*)()>(function)(), "the library's function works");
    inlay::session after{arguments[1], inlay::cpu{.threads = 1}};
    good = good && check(scores_of(before) == expected, "a session from before runs as before") &&
           check(scores_of(after) == expected, "a session from after runs as before") &&
           check(note_holds(), "the program's message survives next to the library");
    if (good) std::puts("ok");
    return !good;
}
