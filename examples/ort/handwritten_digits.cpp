// Like MNIST.cpp of onnxruntime-inference-examples: input and output are arrays of the program, a wide path, defaults.
#include <inlay/ort.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>

class digits {
  public:
    static constexpr std::size_t side = 8;
    std::array<float, side * side> image{};
    std::array<float, 10> scores{};

    digits() {
        const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
        input_ = Ort::Value::CreateTensor<float>(memory, image.data(), image.size(), image_shape_.data(),
                                                 image_shape_.size());
        output_ = Ort::Value::CreateTensor<float>(memory, scores.data(), scores.size(), scores_shape_.data(),
                                                  scores_shape_.size());
    }
    std::ptrdiff_t recognise() {
        const char* inputs[] = {"image"};
        const char* outputs[] = {"scores"};
        Ort::RunOptions options;
        session_.Run(options, inputs, &input_, 1, outputs, &output_, 1);
        return std::distance(scores.begin(), std::max_element(scores.begin(), scores.end()));
    }

  private:
    Ort::Env env_;
    Ort::Session session_{env_, ORT_TSTR(INLAY_EXAMPLE_DIR "/../digits/digits.onnx"), Ort::SessionOptions{nullptr}};
    std::array<std::int64_t, 4> image_shape_{1, 1, side, side};
    std::array<std::int64_t, 2> scores_shape_{1, 10};
    Ort::Value input_{nullptr}, output_{nullptr};
};

int main() try {
    digits net;
    for (std::size_t y = 1; y < digits::side - 1; ++y)
        net.image[y * digits::side + 4] = 1;  // a stroke from top to bottom
    const auto digit = net.recognise();
    const float sum = std::accumulate(net.scores.begin(), net.scores.end(), 0.f);
    std::cout << "a vertical stroke is a " << digit << "; the scores sum to " << sum << '\n';
    for (std::size_t x = 1; x < digits::side - 1; ++x)
        for (std::size_t y : {1, 6}) net.image[y * digits::side + x] = net.image[x * digits::side + y] = 1;
    std::cout << "with a frame around it a " << net.recognise() << '\n';
    return sum > 0.99f && sum < 1.01f ? 0 : 1;
} catch (const Ort::Exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
