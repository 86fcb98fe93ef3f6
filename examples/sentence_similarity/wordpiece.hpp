// BERT's uncased tokenizer: words and signs of a text, each as the fewest, longest pieces that the vocabulary holds.
// unicode.hpp lists the scripts that it knows. [SEP] and its like in the text are not special: they are brackets and a
// word.
#pragma once
#include "unicode.hpp"
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <unordered_map>
#include <vector>

class wordpiece {
  public:
    // The file has one piece per line; its line number is its id. ## marks pieces that continue a word.
    explicit wordpiece(const std::string& vocabulary_file) {
        std::ifstream in(vocabulary_file);
        for (std::string piece; std::getline(in, piece);) ids_.emplace(piece, static_cast<std::int64_t>(ids_.size()));
        const auto special = [&](const char* piece) {
            const auto entry = ids_.find(piece);
            if (entry == ids_.end())
                throw std::runtime_error(vocabulary_file + " is missing, or no vocabulary: it does not hold " + piece);
            return entry->second;
        };
        unknown_ = special("[UNK]"), start_ = special("[CLS]"), end_ = special("[SEP]");
    }

    // [CLS], the pieces, [SEP]
    std::vector<std::int64_t> operator()(std::string_view text) const {
        std::vector<std::int64_t> result{start_};
        for (const std::string& word : words(text)) add_pieces(word, result);
        result.push_back(end_);
        return result;
    }

  private:
    std::unordered_map<std::string, std::int64_t> ids_;
    std::int64_t unknown_, start_, end_;

    // Signs and Chinese characters are words of their own.
    static std::vector<std::string> words(std::string_view text) {
        std::vector<std::string> result;
        bool inside = false;
        while (!text.empty()) {
            const char32_t c = unicode::plain(unicode::take(text));
            if (unicode::is_skipped(c)) continue;
            const bool alone = unicode::is_punctuation(c) || unicode::is_ideograph(c), space = unicode::is_space(c);
            if (!space && (alone || !inside)) result.emplace_back();
            if (!space) unicode::append(result.back(), c);
            inside = !space && !alone;
        }
        return result;
    }

    void add_pieces(const std::string& word, std::vector<std::int64_t>& result) const {
        const auto characters = std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; });
        const std::size_t before = result.size();
        for (std::size_t begin = 0, end; begin < word.size(); begin = end) {
            auto entry = ids_.end();
            for (end = word.size(); end > begin && characters <= 100;
                 --end) {  // an end within a character matches no piece
                entry = ids_.find((begin ? "##" : "") + word.substr(begin, end - begin));
                if (entry != ids_.end()) break;
            }
            if (entry == ids_.end()) {  // one piece missing, or a very long word: all of it is unknown
                result.resize(before);
                result.push_back(unknown_);
                return;
            }
            result.push_back(entry->second);
        }
    }
};
