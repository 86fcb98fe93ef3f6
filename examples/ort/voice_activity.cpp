// Like silero-vad-onnx.cpp of silero-vad: a recurrent network in windows, whose states go from one run to the next.
#include <inlay/ort.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

class voice_activity {
  public:
    explicit voice_activity(const std::basic_string<ORTCHAR_T>& file) {
        options_.SetIntraOpNumThreads(1);
        options_.SetInterOpNumThreads(1);
        options_.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_ALL);
        session_ = std::make_shared<Ort::Session>(env_, file.c_str(), options_);
    }
    float probability(std::vector<float> window) {
        const std::int64_t window_dims[] = {1, static_cast<std::int64_t>(window.size())};
        std::vector<Ort::Value> inputs;
        inputs.emplace_back(Ort::Value::CreateTensor<float>(memory_, window.data(), window.size(), window_dims, 2));
        inputs.emplace_back(Ort::Value::CreateTensor<std::int64_t>(memory_, rate_.data(), rate_.size(), rate_dims_, 1));
        inputs.emplace_back(Ort::Value::CreateTensor<float>(memory_, h_.data(), h_.size(), state_dims_, 3));
        inputs.emplace_back(Ort::Value::CreateTensor<float>(memory_, c_.data(), c_.size(), state_dims_, 3));
        outputs_ = session_->Run(Ort::RunOptions{nullptr}, input_names_.data(), inputs.data(), inputs.size(),
                                 output_names_.data(), output_names_.size());
        std::memcpy(h_.data(), outputs_[1].GetTensorMutableData<float>(), h_.size() * sizeof(float));
        std::memcpy(c_.data(), outputs_[2].GetTensorMutableData<float>(), c_.size() * sizeof(float));
        return outputs_[0].GetTensorMutableData<float>()[0];
    }

  private:
    Ort::Env env_;
    Ort::SessionOptions options_;
    std::shared_ptr<Ort::Session> session_ = nullptr;
    Ort::AllocatorWithDefaultOptions allocator_;
    Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeCPU);
    std::vector<const char*> input_names_ = {"input", "sr", "h", "c"}, output_names_ = {"output", "hn", "cn"};
    std::vector<std::int64_t> rate_ = {16000};
    std::vector<float> h_ = std::vector<float>(16), c_ = std::vector<float>(16);
    const std::int64_t rate_dims_[1] = {1}, state_dims_[3] = {2, 1, 8};
    std::vector<Ort::Value> outputs_;
};

int main() {
    voice_activity detector(ORT_TSTR(INLAY_EXAMPLE_DIR "/models/voice_activity.onnx"));
    float first = 0, latest = 0;
    for (int window = 0; window < 6; ++window) {
        std::vector<float> sound(512);
        const float loudness = window < 2 ? 0.01f : 0.8f;
        for (std::size_t i = 0; i < sound.size(); ++i) sound[i] = loudness * std::sin(0.05f * static_cast<float>(i));
        latest = detector.probability(sound);
        if (window == 0) first = latest;
        std::printf("%4d ms: %.4f\n", window * 32, static_cast<double>(latest));
    }
    return first != latest && latest > 0 && latest < 1 ? 0 : 1;
}
