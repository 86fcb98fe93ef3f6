// libFuzzer: bytes as a model file; loaded, planned and run with zeros. One change in two is to a field of the message.
#include "../mutate.hpp"
#include "../trial.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    std::mt19937 random(seed);
    onnx::ModelProto m;
    if (random() % 8 == 0 || !m.ParseFromArray(data, int(size)) || !m.has_graph())
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned k = random() % 3 + 1; k; --k) inlay::testing::mutate(m, random);
    const std::string bytes = m.SerializeAsString();
    if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(bytes.begin(), bytes.end(), data);
    return bytes.size();
}
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    inlay::model_options o;
    o.limits.nodes = 1000;
    o.limits.copied_bytes = o.limits.run_bytes = 64 << 20;
    o.limits.inference = 1'000'000;
    inlay::testing::trial(std::as_bytes(std::span(data, size)), o, std::chrono::milliseconds(300));
    return 0;
}
