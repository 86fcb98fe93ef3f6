// A package of Core ML's (.mlpackage): a folder with the model, which is a message of Protocol Buffers, the file of its
// weights, and a manifest that lists both.
#pragma once
#include <inlay/error.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace inlay {
inline namespace v1 {
namespace mil {
// Where a program's larger constants are: a header of 64 bytes, then for each constant a record of 64 bytes and its
// elements, which begin at a multiple of 64.
class weight_file {
  public:
    enum class kind : std::uint32_t { float16 = 1, float32 = 2 };

  private:
    std::string bytes_;
    std::uint32_t count_ = 0;
    std::map<std::uint64_t, std::uint64_t> places_{};  // by hash

    void align();
    void write_header();
    bool holds(std::uint64_t place, kind, std::span<const std::byte> elements) const;

  public:
    static constexpr std::string_view name = "@model_path/weights/weight.bin";  // as a program calls it
    // The place of the record, by which the program finds it: the same elements are there once.
    std::uint64_t add(kind, std::span<const std::byte> elements);
    const std::string& bytes() const { return bytes_; }  // empty: there are none
};

struct package {
    std::string model;
    weight_file weights{};

    // The folder's name, which follows from what is in it: the same package has the same name on every machine.
    std::string name() const;
    // Writes the folder into another one, which is made if it is not there. It appears whole, or not at all.
    result<void> write(const std::filesystem::path& folder) const;
};
}  // namespace mil
}  // namespace v1
}  // namespace inlay
