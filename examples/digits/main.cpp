// Classifies the handwritten digits of heldout.bin, which the network has never seen.
#include "heldout.hpp"
#include <inlay/inlay.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>

static answer classify(inlay::binding& network, const example& e) {
    const auto start = std::chrono::steady_clock::now();
    inlay::tensor image = network.input("image");
    std::transform(e.pixels.begin(), e.pixels.end(), image.as<float>().begin(),
                   [](unsigned char ink) { return float(ink) / 16; });
    if (network.run() != inlay::status::ok)
        inlay::raise({inlay::error_code::provider_failed, std::string(network.why())});
    const inlay::tensor output = network.output("scores");
    const auto scores = output.as<float>();
    const auto best = std::ranges::max_element(scores);
    return {int(best - scores.begin()), *best,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

int main(int count, char** words) {
    const std::string folder = count > 1 ? words[1] : INLAY_EXAMPLE_DIR;
    const auto examples = read_examples(folder + "/heldout.bin");

    inlay::session session{folder + "/digits.onnx", inlay::cpu{.threads = 1},
                           inlay::reference{}};  // fast kernels first, then reference kernels
    inlay::binding network = session.bind({{"image", {1, 1, 8, 8}}});
    std::vector<answer> answers;
    for (const example& e : examples) answers.push_back(classify(network, e));

    int right = 0;
    std::vector<double> times;
    for (std::size_t k = 0; k < examples.size(); ++k) {
        right += answers[k].digit == examples[k].label;
        times.push_back(answers[k].seconds);
    }
    std::ranges::nth_element(times, times.begin() + times.size() / 2);
    const double accuracy = 100. * right / double(examples.size());

    show(examples, answers, {9, 10, 12, 14});
    std::printf("%d of %zu held-out images right\n", right, examples.size());
    std::printf("held-out accuracy: %.1f %%\n", accuracy);
    std::printf("time per image: %.1f us (median)\n\n", times[times.size() / 2] * 1e6);
    std::cout << session.plan();
    return accuracy >= 97 ? 0 : 1;
}
