// libFuzzer: bytes as a model file with what an engine compiled in it. One change in two is to a field of the message,
// else to the notes or the bytes of a compiled region. Loaded and run with the engine's provider, under both policies.
#include "../mutate.hpp"
#include "../trial.hpp"
#include "session/test_providers.hpp"

using namespace inlay;
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t);
namespace {
void change_context(onnx::NodeProto& n, std::mt19937& random) {
    if (n.attribute_size() == 0) return;
    auto& a = *n.mutable_attribute(int(random() % unsigned(n.attribute_size())));
    std::string text = a.s();
    const std::size_t size = text.size();
    text.resize(size + 8);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
    a.set_s(text);
}
}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    std::mt19937 random(seed);
    onnx::ModelProto m;
    if (random() % 8 == 0 || !m.ParseFromArray(data, int(size)) || !m.has_graph())
        return LLVMFuzzerMutate(data, size, most);
    for (auto& n : *m.mutable_graph()->mutable_node())
        if (n.op_type() == "EPContext" && random() % 2) change_context(n, random);
    if (random() % 2) testing::mutate(m, random);
    const std::string bytes = m.SerializeAsString();
    if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(bytes.begin(), bytes.end(), data);
    return bytes.size();
}
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    model_options o;
    o.limits.nodes = 200;
    o.limits.copied_bytes = o.limits.run_bytes = 16 << 20;
    try {
        const model m = model::from_memory(std::as_bytes(std::span(data, size)), o);
        for (const auto policy : {context_policy::recompile, context_policy::refuse}) {
            session_options of_session;
            of_session.contexts = policy;
            of_session.intra_op_num_threads = 1;
            of_session.log = [](severity, std::string_view) {};
            try {
                const session s{m, of_session, testing::loom{}, cpu{}};
                std::vector<feed> feeds;
                for (const port& in : s.inputs()) feeds.push_back({in.name, testing::zeros_for(in)});
                run_options r;
                r.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
                (void)s.run(feeds, {}, r);
            } catch (const error&) {
            }
        }
    } catch (const error&) {
    }
    return 0;
}
