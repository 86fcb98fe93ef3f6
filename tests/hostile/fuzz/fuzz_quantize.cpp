// libFuzzer: bytes as a model file; quantized in the form that the last byte names. What comes out is loaded and run.
#include "../mutate.hpp"
#include "../trial.hpp"
#include "memory_file.hpp"
#include <inlay/quantize.hpp>

using namespace inlay;
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    std::mt19937 random(seed);
    onnx::ModelProto m;
    if (size < 2 || random() % 8 == 0 || !m.ParseFromArray(data, int(size) - 1) || !m.has_graph())
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned k = random() % 3 + 1; k; --k) testing::mutate(m, random);
    std::string bytes = m.SerializeAsString();
    bytes += char(random());
    if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(bytes.begin(), bytes.end(), data);
    return bytes.size();
}

namespace {
quantize_options options_of(unsigned byte, const model& m) {
    quantize_options o;
    o.kind = quantization(byte % 3);
    o.method = range_method(byte / 4 % 3);
    o.activations = byte & 16 ? element::i8 : element::u8;
    o.per_channel = byte & 32;
    o.bits = byte & 64 ? 8 : 4;
    o.matmul_nbits = byte & 128;
    if (o.kind == quantization::statically) {
        std::vector<std::pair<std::string, any_value>> values;
        for (const port& p : m.inputs()) values.emplace_back(p.name, testing::zeros_for(p));
        o.data.count = 1;
        o.data.sample = [values](std::size_t) {
            std::vector<feed> feeds;
            for (const auto& [name, value] : values) feeds.push_back({name, value});
            return feeds;
        };
    }
    return o;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 20000) return 0;
    try {
        const testing::memory_file file({data, size - 1});
        model_options o;
        o.limits.nodes = 200;
        o.limits.run_bytes = o.limits.copied_bytes = 16 << 20;
        const model m(file.path(), o);
        for (const node& n : m.graph().nodes)
            if (n.op == "Loop" || n.op == "Scan") return 0;  // calibration has no deadline
        const quantized_model q = quantize(file.path(), options_of(data[size - 1], m));
        testing::trial(std::as_bytes(std::span(q.file)), o, std::chrono::milliseconds(300));
    } catch (const error&) {
    }
    return 0;
}
