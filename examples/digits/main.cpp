// Classifies the handwritten digits of heldout.bin, which the network has never seen.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <inlay/inlay.hpp>
#include <iostream>

struct example { std::array<unsigned char, 64> pixels; unsigned char label; };  // pixels: 0 is paper, 16 full ink; train.py writes them

static std::vector<example> read_examples(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<example> all;
    for (example e; in.read(reinterpret_cast<char*>(&e), sizeof(e));) all.push_back(e);
    return all;
}

struct answer { int digit; float certainty; double seconds; };
static answer classify(inlay::binding& network, const example& e) {
    const auto start = std::chrono::steady_clock::now();
    inlay::tensor image = network.input("image");
    std::transform(e.pixels.begin(), e.pixels.end(), image.as<float>().begin(), [](unsigned char ink) { return float(ink) / 16; });
    if (network.run() != inlay::status::ok) inlay::raise({inlay::error_code::provider_failed, std::string(network.why())});
    const inlay::tensor output = network.output("scores");
    const auto scores = output.as<float>();
    const auto best = std::ranges::max_element(scores);
    return {int(best - scores.begin()), *best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

// Four digits beside each other, two characters per pixel, with the answers below.
static void show(const std::vector<example>& examples, const std::vector<answer>& answers, const std::vector<std::size_t>& chosen) {
    static constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    for (int row = 0; row < 8; ++row) {
        for (std::size_t k : chosen) {
            std::fputs("   ", stdout);
            for (int column = 0; column < 8; ++column) std::fputs(shades[(examples[k].pixels[row * 8 + column] + 3) / 4], stdout);
        }
        std::puts("");
    }
    for (std::size_t k : chosen) std::printf("   %-16s", ("a " + std::to_string(answers[k].digit) + ", " + std::to_string(int(answers[k].certainty * 100)) + " % sure").c_str());
    std::puts("\n");
}

int main(int count, char** words) {
    const std::string folder = count > 1 ? words[1] : INLAY_EXAMPLE_DIR;
    const auto examples = read_examples(folder + "/heldout.bin");
    if (examples.size() < 100) { std::fprintf(stderr, "digits: %s/heldout.bin is missing or cut short\n", folder.c_str()); return 1; }

    inlay::session session{folder + "/digits.onnx", inlay::cpu{.threads = 1}, inlay::reference{}};  // fast kernels first, then plain loops
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
