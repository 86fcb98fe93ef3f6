// The digit classifier as a C++ type in a static program: no model file, no parser, no heap call in a run. The code
// between the marks is the second example of README.md.
#include "../digits/heldout.hpp"
#include <inlay/embedded.hpp>
#include <inlay/models/digits.hpp>
#include <algorithm>
#include <chrono>

int main(int count, char** words) {
    const auto examples = read_examples(count > 1 ? words[1] : HELDOUT_IMAGES);
    // >>>
    inlay::embedded<inlay::models::digits, inlay::cpu> net;  // a node that no provider runs does not compile
    std::span image = net.input<"image">();                  // std::span<float, 64>, filled in place
    std::span scores = net.output<"scores">();               // std::span<const float, 10>, not copied
    // <<<
    std::vector<answer> answers;
    int right = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const example& e : examples) {
        std::ranges::transform(e.pixels, image.begin(), [](unsigned char ink) { return float(ink) / 16; });
        if (net.run() != inlay::status::ok) {
            std::fprintf(stderr, "embedded_digits: %s\n", net.why().data());
            return 1;
        }
        const auto best = std::ranges::max_element(scores);
        answers.push_back({int(best - scores.begin()), *best, 0});
        right += answers.back().digit == e.label;
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    const double accuracy = 100. * right / double(examples.size());
    show(examples, answers, {9, 10, 12, 14});
    std::printf("held-out accuracy: %.1f %%\n", accuracy);
    std::printf("time per image: %.2f us\n", time.count() / double(examples.size()));
    std::printf("memory: %lld bytes of arena, %lld of packed weights\n", (long long)net.arena_bytes,
                (long long)net.weights().packed_bytes);
    return accuracy >= 97 ? 0 : 1;
}
