// Reports which sentences mean much the same. A network places each on a sphere of 384 dimensions, the nearer to each
// other the more alike they are.
//   sentence_similarity                            five sentences of its own
//   sentence_similarity "One." "Another." ...      yours
//   sentence_similarity --vectors "One." ...       where they lie: a line of 384 numbers for each
#include "wordpiece.hpp"
#include <inlay/embedded.hpp>
#include <inlay/models/minilm.hpp>
#include <cstdio>
#include <numeric>

using network = inlay::embedded<inlay::models::minilm, inlay::cpu>;
using vector = std::vector<float>;

static vector embed(network& net, const wordpiece& tokenize, const std::string& sentence) {
    const std::span ids = net.input<"input_ids">(), mask = net.input<"attention_mask">();
    std::vector<std::int64_t> tokens = tokenize(sentence);
    if (tokens.size() > ids.size()) {
        std::fprintf(stderr, "sentence_similarity: only the first %zu of %zu tokens are read of: %s\n", ids.size(),
                     tokens.size(), sentence.c_str());
        tokens[ids.size() - 1] = tokens.back();  // [SEP]
        tokens.resize(ids.size());
    }
    for (std::size_t k = 0; k < ids.size(); ++k) {
        mask[k] = k < tokens.size();
        ids[k] = mask[k] ? tokens[k] : 0;  // 0: [PAD]
    }
    if (net.run() != inlay::status::ok) throw std::runtime_error(std::string(net.why()));
    const std::span place = net.output<"embedding">();
    return {place.begin(), place.end()};
}

static void print_vectors(const std::vector<vector>& vectors) {
    for (const vector& v : vectors) {
        for (float x : v) std::printf("%.9g ", x);
        std::puts("");
    }
}

// Every length is 1, so that the dot product is the cosine: 1 for the same meaning, about 0 for unrelated ones.
static void print_matrix(const std::vector<std::string>& sentences, const std::vector<vector>& vectors) {
    const auto similarity = [&](std::size_t a, std::size_t b) {
        return std::inner_product(vectors[a].begin(), vectors[a].end(), vectors[b].begin(), 0.f);
    };
    std::size_t first = 0, second = 1;
    for (std::size_t a = 0; a < sentences.size(); ++a)
        for (std::size_t b = a + 1; b < sentences.size(); ++b)
            if (similarity(a, b) > similarity(first, second)) first = a, second = b;

    for (std::size_t a = 0; a < sentences.size(); ++a) {
        std::printf("%3zu ", a + 1);
        for (std::size_t b = 0; b < sentences.size(); ++b)
            std::printf(" %6.3f%c", similarity(a, b), std::minmax(a, b) == std::minmax(first, second) ? '*' : ' ');
        std::printf("  %s\n", sentences[a].c_str());
    }
    std::printf("\n* closest pair: %zu and %zu, cosine %.3f\n", first + 1, second + 1, similarity(first, second));
}

int main(int count, char** words) try {
    std::vector<std::string> sentences(words + 1, words + count);
    const bool vectors_only = !sentences.empty() && sentences[0] == "--vectors";
    if (vectors_only)
        sentences.erase(sentences.begin());
    else if (sentences.empty())
        sentences = {"A man is playing the guitar.", "Share prices have never been this high.",
                     "The café serves crème brûlée.", "Someone makes music on a string instrument.",
                     "The stock market broke records today."};
    if (sentences.size() < (vectors_only ? 1 : 2)) {
        std::fputs("usage: sentence_similarity [--vectors] [SENTENCE SENTENCE ...]\n", stderr);
        return 2;
    }

    const wordpiece tokenize{VOCABULARY};
    network net;
    if (net.status() != inlay::status::ok)
        throw std::runtime_error(std::string(net.why()));  // its weights are a file next to the program
    std::vector<vector> vectors;
    for (const std::string& sentence : sentences) vectors.push_back(embed(net, tokenize, sentence));
    if (vectors_only)
        print_vectors(vectors);
    else
        print_matrix(sentences, vectors);
} catch (const std::exception& e) {
    std::fprintf(stderr, "sentence_similarity: %s\n", e.what());
    return 1;
}
