// libFuzzer: a first byte, which selects the reader, and the bytes of a file of values: .npy, .npz, .pb.
#include "memory_file.hpp"
#include <inlay/tensor_file.hpp>

using namespace inlay;
namespace {
// What was read can be written and read again.
template <class Read, class Write> void there_and_back(const testing::memory_file& from, Read parse, Write write) {
    auto value = parse(from.path());
    if (!value) return;
    const testing::memory_file to({});
    if (!write(to.path(), *value)) return;  // NumPy has not every type
    if (!parse(to.path())) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    limits l;
    l.file_bytes = 1 << 20;
    l.total_bytes = l.copied_bytes = 16 << 20;
    l.elements_per_tensor = 1 << 22;
    const testing::memory_file file({data + 1, size - 1});
    const int kind = data[0] % 6;
    if (kind == 0)
        there_and_back(
            file, [&](const auto& p) { return read_npy(p, l); },
            [](const auto& p, const auto& v) { return write_npy(p, v); });
    else if (kind == 1)
        there_and_back(
            file, [&](const auto& p) { return read_npz(p, l); },
            [](const auto& p, const auto& v) { return write_npz(p, v); });
    else
        there_and_back(
            file, [&](const auto& p) { return read_pb(p, value_kind(kind - 2), l); },
            [](const auto& p, const auto& v) { return write_pb(p, v); });
    return 0;
}
