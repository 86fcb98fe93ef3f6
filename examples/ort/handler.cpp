// Like ort_handler.cpp of lite.ai.toolkit: a class that others derive from, a provider by the function of the C header,
// the session's own allocator.
#include <inlay/ort.hpp>
#include <cstdio>
#include <string>

class handler {
  public:
    explicit handler(const std::string& file, unsigned threads = 1) : log_id_(file), threads_(threads) {
        env_ = Ort::Env(ORT_LOGGING_LEVEL_ERROR, log_id_.data());
        Ort::SessionOptions options;
        options.SetIntraOpNumThreads(static_cast<int>(threads_));
        options.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_ALL);
        options.SetLogSeverityLevel(4);
        if (OrtStatus* status = OrtSessionOptionsAppendExecutionProvider_CUDA(options, 0)) {
            const Ort::Status owner(status);
            std::printf("no graphics card: code %d\n", owner.GetErrorCode());
        }
        session_ = new Ort::Session(env_, file.data(), options);
        Ort::Allocator allocator(*session_, memory_);
        input_names_.push_back(session_->GetInputNameAllocated(0, allocator).get());
        Ort::TypeInfo type = session_->GetInputTypeInfo(0);
        input_dims_ = type.GetTensorTypeAndShapeInfo().GetShape();
        for (std::size_t i = 0; i < session_->GetOutputCount(); ++i)
            output_names_.push_back(session_->GetOutputNameAllocated(i, allocator).get());
    }
    virtual ~handler() { delete session_; }
    handler(const handler&) = delete;

  protected:
    Ort::Env env_{nullptr};
    Ort::Session* session_ = nullptr;
    Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<std::string> input_names_, output_names_;
    std::vector<std::int64_t> input_dims_;
    const std::string log_id_;
    const unsigned threads_;
};

class brightness : public handler {
  public:
    using handler::handler;
    float of(float grey) {
        std::vector<float> image(3 * 32 * 32, grey);
        Ort::Value input = Ort::Value::CreateTensor<float>(memory_, image.data(), image.size(), input_dims_.data(),
                                                           input_dims_.size());
        const char* in = input_names_[0].c_str();
        const char* out = output_names_[0].c_str();
        std::vector<Ort::Value> outputs = session_->Run(Ort::RunOptions{nullptr}, &in, &input, 1, &out, 1);
        return outputs[0].At<float>({0, 5, 63});
    }
};

int main() {
    brightness b(INLAY_EXAMPLE_DIR "/models/detector.onnx");
    const float dark = b.of(0.f), light = b.of(1.f);
    std::printf("dark %.4f, light %.4f\n", static_cast<double>(dark), static_cast<double>(light));
    return dark != light ? 0 : 1;
}
