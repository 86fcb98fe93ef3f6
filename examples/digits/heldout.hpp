// The handwritten digits of heldout.bin, which no network here was trained on, and how they are shown in a terminal.
#pragma once
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct example {  // pixels: 0 is paper, 16 full ink; train.py writes them
    std::array<unsigned char, 64> pixels;
    unsigned char label;
};

inline std::vector<example> read_examples(const std::string& file) {
    std::vector<example> examples;
    if (std::FILE* in = std::fopen(file.c_str(), "rb")) {
        for (example e; std::fread(&e, sizeof e, 1, in) == 1;) examples.push_back(e);
        std::fclose(in);
    }
    if (examples.size() < 100) {
        std::fprintf(stderr, "%s is missing or cut short\n", file.c_str());
        std::exit(1);
    }
    return examples;
}
inline void show_row(const example& e, std::size_t row) {  // two characters per pixel
    static constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    for (std::size_t column = 0; column < 8; ++column) std::fputs(shades[(e.pixels[row * 8 + column] + 3) / 4], stdout);
}

struct answer {
    int digit;
    float certainty;
    double seconds;
};
// Some digits next to each other, with the answers below.
inline void show(const std::vector<example>& examples, const std::vector<answer>& answers,
                 const std::vector<std::size_t>& indices) {
    for (std::size_t row = 0; row < 8; ++row) {
        for (std::size_t k : indices) {
            std::fputs("   ", stdout);
            show_row(examples[k], row);
        }
        std::puts("");
    }
    for (std::size_t k : indices)
        std::printf("   a %d, %3.0f %% sure   ", answers[k].digit, answers[k].certainty * 100.);
    std::puts("\n");
}
