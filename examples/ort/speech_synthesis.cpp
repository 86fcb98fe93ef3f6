// Like piper.cpp of piper: an environment that is assigned later, options that switch things off, a result of
// data-dependent length, values that are released by hand.
#include <inlay/ort.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

struct voice {
    Ort::Session onnx{nullptr};
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::SessionOptions options;
    Ort::Env env{nullptr};
};
static void load(const std::string& file, voice& v) {
    v.env = Ort::Env(OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR, "speech");
    v.env.DisableTelemetryEvents();
    v.options.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_DISABLE_ALL);
    v.options.DisableCpuMemArena();
    v.options.DisableMemPattern();
    v.options.DisableProfiling();
    v.onnx = Ort::Session(v.env, file.c_str(), v.options);
}
static std::vector<std::int16_t> synthesize(std::vector<std::int64_t>& phonemes, voice& v) {
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtAllocatorType::OrtArenaAllocator, OrtMemType::OrtMemTypeDefault);
    std::vector<std::int64_t> length{static_cast<std::int64_t>(phonemes.size())};
    std::vector<float> scales{0.667f, 1.5f, 0.8f};
    std::vector<std::int64_t> phonemes_shape{1, length[0]}, length_shape{1}, scales_shape{3};
    std::vector<Ort::Value> inputs;
    inputs.push_back(Ort::Value::CreateTensor<std::int64_t>(memory, phonemes.data(), phonemes.size(),
                                                            phonemes_shape.data(), phonemes_shape.size()));
    inputs.push_back(Ort::Value::CreateTensor<std::int64_t>(memory, length.data(), length.size(), length_shape.data(),
                                                            length_shape.size()));
    inputs.push_back(Ort::Value::CreateTensor<float>(memory, scales.data(), scales.size(), scales_shape.data(),
                                                     scales_shape.size()));
    std::array<const char*, 4> input_names = {"input", "input_lengths", "scales", "sid"};
    std::array<const char*, 1> output_names = {"output"};
    auto outputs = v.onnx.Run(Ort::RunOptions{nullptr}, input_names.data(), inputs.data(), inputs.size(),
                              output_names.data(), output_names.size());
    if (outputs.size() != 1 || !outputs.front().IsTensor()) throw std::runtime_error("no sound");

    const float* audio = outputs.front().GetTensorData<float>();
    const auto shape = outputs.front().GetTensorTypeAndShapeInfo().GetShape();
    const std::int64_t samples = shape[shape.size() - 1];
    float loudest = 0.01f;
    for (std::int64_t i = 0; i < samples; ++i) loudest = std::max(loudest, std::abs(audio[i]));
    std::vector<std::int16_t> sound;
    for (std::int64_t i = 0; i < samples; ++i) sound.push_back(static_cast<std::int16_t>(audio[i] * 32767 / loudest));

    for (Ort::Value& output : outputs) Ort::detail::OrtRelease(output.release());
    for (Ort::Value& input : inputs) Ort::detail::OrtRelease(input.release());
    return sound;
}

int main() {
    voice v;
    load(INLAY_EXAMPLE_DIR "/models/speech_synthesis.onnx", v);
    for (std::vector<std::int64_t> phonemes : {std::vector<std::int64_t>{1, 5, 9}, {2, 3, 5, 7, 11, 13}}) {
        const auto sound = synthesize(phonemes, v);
        std::printf("%zu phonemes: %zu samples, the first of them %d\n", phonemes.size(), sound.size(), sound[0]);
        if (sound.size() != phonemes.size() * 8) return 1;
    }
    return 0;
}
