// ort MODEL: what session.cpp does, by ONNX Runtime's interface.
#include <inlay/ort.hpp>
#include <array>
#include <cstdio>

int main(int, char** words) {
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "digits");
    Ort::Session session(env, words[1], Ort::SessionOptions());
    std::array<float, 64> image{};
    for (std::size_t row = 0; row < 8; ++row) image[row * 8 + 3] = image[row * 8 + 4] = 1;
    const std::array<std::int64_t, 4> dims{1, 1, 8, 8};
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    Ort::Value input = Ort::Value::CreateTensor<float>(memory, image.data(), image.size(), dims.data(), dims.size());
    const char *const input_name = "image", *const output_name = "scores";
    const auto results = session.Run(Ort::RunOptions{nullptr}, &input_name, &input, 1, &output_name, 1);
    const float* const scores = results[0].GetTensorData<float>();
    for (int digit = 0; digit < 10; ++digit) std::printf("%d: %.3f\n", digit, double(scores[digit]));
}
