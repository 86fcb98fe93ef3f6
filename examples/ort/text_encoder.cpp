// Like TextEncoder.cpp of unpaint: a binding of a session's inputs and outputs; results stay where they are produced.
#include <inlay/ort.hpp>
#include <cstdio>
#include <numeric>

using namespace Ort;

class text_encoder {
    Env env_{ORT_LOGGING_LEVEL_WARNING, "text"};
    MemoryInfo memory_ = MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    Session session_{nullptr};

  public:
    text_encoder() {
        SessionOptions options;
        options.EnableMemPattern().EnableCpuMemArena().SetExecutionMode(ExecutionMode::ORT_SEQUENTIAL);
        session_ = {env_, ORT_TSTR(INLAY_EXAMPLE_DIR "/models/text_encoder.onnx"), options};
    }
    std::vector<float> encode(std::vector<std::int32_t> tokens) {
        const std::int64_t shape[] = {static_cast<std::int64_t>(tokens.size()) / 7, 7};
        Value input = Value::CreateTensor<std::int32_t>(memory_, tokens.data(), tokens.size(), shape, 2);
        IoBinding bindings{session_};
        bindings.BindInput("input_ids", input);
        bindings.BindOutput("pooler_output", memory_);
        bindings.BindOutput("last_hidden_state", memory_);
        session_.Run({}, bindings);
        if (bindings.GetOutputNames() != std::vector<std::string>{"pooler_output", "last_hidden_state"}) return {};
        auto values = bindings.GetOutputValues();
        const auto count = values[0].GetTensorTypeAndShapeInfo().GetElementCount();
        return {values[0].GetTensorData<float>(), values[0].GetTensorData<float>() + count};
    }
    // The same tokens again and again, in memory of the program.
    float repeat(int times) {
        std::vector<std::int32_t> tokens(7);
        std::vector<float> pooled(8);
        const std::int64_t shape[] = {1, 7}, pooled_shape[] = {1, 8};
        IoBinding bindings{session_};
        bindings.BindInput("input_ids", Value::CreateTensor<std::int32_t>(memory_, tokens.data(), 7, shape, 2));
        bindings.BindOutput("pooler_output", Value::CreateTensor<float>(memory_, pooled.data(), 8, pooled_shape, 2));
        float sum = 0;
        for (int i = 0; i < times; ++i) {
            std::fill(tokens.begin(), tokens.end(), i);
            bindings.SynchronizeInputs();
            session_.Run({}, bindings);
            bindings.SynchronizeOutputs();
            sum += pooled[0];
        }
        return sum;
    }
};

int main() {
    text_encoder encoder;
    std::vector<std::int32_t> tokens(14);
    std::iota(tokens.begin(), tokens.end(), 3);
    const std::vector<float> pooled = encoder.encode(tokens);
    const float sum = std::accumulate(pooled.begin(), pooled.end(), 0.f);  // of two rows, each of which sums to one
    std::printf("%zu numbers, the first of them %.4f, sum %.4f\n", pooled.size(), static_cast<double>(pooled.at(0)),
                static_cast<double>(sum));
    std::printf("over ten runs: %.4f\n", static_cast<double>(encoder.repeat(10)));
    return pooled.size() == 16 && sum > 1.999f && sum < 2.001f ? 0 : 1;
}
