// Hostile files, each tried in a process of its own, which has little time and memory.
#pragma once
#include "../models.hpp"
#include <filesystem>
#include <onnx/onnx_pb.h>

namespace inlay::testing {
// Of a graph with so many that whatever looks at all of them for each shows; fewer under a sanitizer, which is slow.
#if defined(__has_feature)  // clang
#define INLAY_HAS_FEATURE(x) __has_feature(x)
#else
#define INLAY_HAS_FEATURE(x) false
#endif
#if defined(__SANITIZE_ADDRESS__) || INLAY_HAS_FEATURE(address_sanitizer)
inline constexpr int fewer = 10;  // times: what only takes time need not be so much
#else
inline constexpr int fewer = 1;
#endif
constexpr int many(int count) { return count / fewer; }
inline constexpr int many_inputs = many(20'000);
struct attempt {
    std::string answer{};  // of trial()
    std::string end{};     // of the process: "ended", or what killed it
    double seconds = 0;    // of the processor: the machine may be busy
    long megabytes = 0;    // at its peak
};
// A folder for one file and what lies next to it. With INLAY_HOSTILE_FILES=FOLDER the files stay there, with our
// answers in answers.tsv: tests/hostile/peers.py reads them.
class hostile_folder {
  public:
    hostile_folder();
    ~hostile_folder();
    std::filesystem::path path;
    void write(const std::string& name, std::string_view bytes) const;
    attempt load(const std::string& sentence) const;  // of model.onnx
  private:
    bool is_kept_ = false;
};
// Tries the file: it must end by itself within 10 s and 2 GB, and `expected`, or one of several between `|`, must be in
// the answer. Empty: any clean answer will do.
void check_hostile(const std::string& sentence, std::string_view file, std::string_view expected = {});
void check_attempt(const attempt&, std::string_view expected);

std::string text_model(std::string_view text);  // a model's bytes
onnx::ModelProto message(std::string_view text);
inline void check_hostile_text(const std::string& sentence, std::string_view text, std::string_view expected = {}) {
    check_hostile(sentence, text_model(text), expected);
}
inline void check_hostile_message(const std::string& sentence, const onnx::ModelProto& m,
                                  std::string_view expected = {}) {
    check_hostile(sentence, m.SerializeAsString(), expected);
}
}  // namespace inlay::testing
