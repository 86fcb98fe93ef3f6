// Reads handwritten digits row by row, as a scanner delivers them. What the network remembers of the rows before stays
// inside it between runs.
#include "../digits/heldout.hpp"
#include <inlay/embedded.hpp>
#include <inlay/models/rows.hpp>
#include <algorithm>
#include <chrono>
#include <span>

using reader = inlay::embedded<inlay::models::rows, inlay::cpu, inlay::state<"hidden_out", "hidden">>;

struct guess {
    int digit;
    float certainty;
};

// Shows the network one more row and returns its current guess of the digit.
static guess read_row(reader& net, std::span<const unsigned char, 8> row) {
    std::ranges::transform(row, net.input<"row">().begin(), [](unsigned char ink) { return float(ink) / 16; });
    if (net.run() != inlay::status::ok) {
        std::fprintf(stderr, "streaming_gru: %s\n", std::string(net.why()).c_str());
        std::exit(1);
    }
    const std::span scores = net.output<"scores">();
    const auto best = std::ranges::max_element(scores);
    return {int(best - scores.begin()), *best};
}

static std::span<const unsigned char, 8> row_of(const example& e, std::size_t row) {
    return std::span(e.pixels).subspan(row * 8).first<8>();
}

// Images next to each other, each with a reader of its own; two characters per pixel, and the guess so far after each
// row.
static void show_growing(std::span<const example* const, 3> images) {
    std::array<reader, 3> readers;
    for (std::size_t row = 0; row < 8; ++row) {
        for (std::size_t k = 0; k < images.size(); ++k) {
            const guess now = read_row(readers[k], row_of(*images[k], row));
            std::fputs("  ", stdout);
            show_row(*images[k], row);
            std::printf(" %d, %3.0f %%", now.digit, now.certainty * 100.);
        }
        std::puts("");
    }
    for (const example* image : images) std::printf("  %16s %d       ", "in truth", image->label);
    std::puts("\n");
}

int main(int count, char** words) {
    const std::string file = count > 1 ? words[1] : HELDOUT_IMAGES;
    const auto examples = read_examples(file);
    show_growing(std::array{&examples[9], &examples[12], &examples[14]});

    reader net;
    int right = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const example& e : examples) {
        net.reset();  // a new image: forget the last one
        guess result{};
        for (std::size_t row = 0; row < 8; ++row) result = read_row(net, row_of(e, row));
        right += result.digit == e.label;
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    const double accuracy = 100. * right / double(examples.size());
    std::printf("%d of %zu held-out images right after their last row\n", right, examples.size());
    std::printf("held-out accuracy: %.1f %%\n", accuracy);
    std::printf("time per row: %.2f us\n", time.count() / double(examples.size() * 8));
    return accuracy >= 93 ? 0 : 1;
}
