// heap_calls MODEL DATA_DIR [RUNS]: how many heap calls a bound run makes on one thread, once it is warm.
#include "tool/heap_counter.hpp"
#include <inlay/inlay.hpp>
#include <inlay/tensor_file.hpp>
#include <cstdio>

int main(int count, char** words) try {
    if (count < 3) {
        std::fprintf(stderr, "heap_calls MODEL DATA_DIR [RUNS]\n");
        return 2;
    }
    const int runs = count > 3 ? std::atoi(words[3]) : 3;
    const inlay::session session{words[1], inlay::cpu{.threads = 1}};
    std::vector<inlay::tensor> inputs;
    std::vector<std::pair<std::string_view, inlay::shape>> shapes;
    for (const inlay::port& p : session.inputs()) {
        inputs.push_back(*inlay::read_pb(std::string(words[2]) + "/input_" + std::to_string(inputs.size()) + ".pb")
                              .value_or_raise()
                              .as_tensor());
        shapes.emplace_back(p.name, inputs.back().shape());
    }
    inlay::binding bound = session.bind(shapes);
    for (std::size_t k = 0; k < inputs.size(); ++k) bound.set_input(session.inputs()[k].name, inputs[k]);
    inlay::status s = bound.run();
    inlay::tool::count_heap_calls(true);
    for (int i = 0; i < runs && s == inlay::status::ok; ++i) s = bound.run();
    const long calls = inlay::tool::heap_calls();
    inlay::tool::count_heap_calls(false);
    if (s != inlay::status::ok) {
        std::fprintf(stderr, "the run failed: %s\n", std::string(bound.why()).c_str());
        return 1;
    }
    std::printf("{\"heap_calls_per_run\": %g}\n", double(calls) / runs);
} catch (const inlay::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
