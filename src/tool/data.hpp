// Values in files, in the formats of ONNX's test data and NumPy, and random ones.
#pragma once
#include "symbols.hpp"
#include <random>

namespace inlay::tool {
namespace fs = std::filesystem;
using values = std::vector<std::optional<any_value>>;  // one per input or output of a model

any_value read_value(const fs::path&, const port&);  // .npy, or else the protobuf message for the port's kind
void write_value(const fs::path&, const any_value&, const port&);
// The files STEM_I.pb or STEM_I.npy of a folder, I counting the ports, or NAME.npy. Raises an error where there are
// more files than ports.
values read_folder(const fs::path& folder, std::string_view stem, std::span<const port> ports);
// An .npz file's arrays, by name; one that no port has is an error.
values read_arrays(const fs::path& file, std::span<const port> ports);
void write_arrays(const fs::path& file, std::span<const port> ports, const values&);
std::vector<feed> feeds_of(std::span<const port> ports, const values&);

struct input_arguments {
    std::string folder;
    std::vector<std::string> in, shapes, set;
    bool random = false;
    std::uint64_t seed = 0;
};
void add_input_arguments(command&, input_arguments&, bool ranges = false);  // ranges: --shape may have some
// A value for every input that is not optional; else bad usage. Unless `quiet`, the seed of random ones is printed.
values gather_inputs(const input_arguments&, const model&, bool quiet);
values gather_inputs(const input_arguments&, const given_shapes&, const model&, bool quiet);  // whatever --shape says

// Float32 in [-1, 1), integers of a byte or less from their whole range, wider ones 0 or 1: valid as an index, a token,
// a mask or a length.
tensor random_tensor(element, const shape&, std::mt19937_64&);
std::string describe(const any_value&);  // type, shape, range and first elements on one line
json to_json(const any_value&);          // type, shape and range; the values themselves are for files
}  // namespace inlay::tool
