// Like inference.cpp of ultralytics' YOLOv8-ONNXRuntime-CPP: float32 or fp16 by one template, with an fp16 type of the
// program's own; a graphics card where there is one; a session behind a pointer; names that are copied.
#include <inlay/ort.hpp>
#include <cstdio>
#include <cstring>
#include <iostream>

struct half {  // of a vendor's header, in the original
    std::uint16_t bits;
};
namespace Ort {
template <> struct TypeToTensorType<half> {
    static constexpr ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
};
}  // namespace Ort
static void put(float x, float& to) { to = x; }
static void put(float x, half& to) { to.bits = Ort::Float16_t(x).val; }
static float get(float x) { return x; }
static float get(half x) { return Ort::Float16_t::FromBits(x.bits).ToFloat(); }

class detector {
  public:
    ~detector() {
        delete session_;
        for (char* name : input_names_) delete[] name;
        for (char* name : output_names_) delete[] name;
    }
    bool create(const std::basic_string<ORTCHAR_T>& file, bool graphics) try {
        env_ = Ort::Env(ORT_LOGGING_LEVEL_WARNING, "Yolo");
        Ort::SessionOptions options;
        if (graphics) {
            OrtCUDAProviderOptions cuda;
            cuda.device_id = 0;
            options.AppendExecutionProvider_CUDA(cuda);
        }
        options.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_ALL);
        options.SetIntraOpNumThreads(1);
        options.SetLogSeverityLevel(3);
        session_ = new Ort::Session(env_, file.c_str(), options);
        Ort::AllocatorWithDefaultOptions allocator;
        for (std::size_t i = 0; i < session_->GetInputCount(); ++i)
            input_names_.push_back(copy_of(session_->GetInputNameAllocated(i, allocator)));
        for (std::size_t i = 0; i < session_->GetOutputCount(); ++i)
            output_names_.push_back(copy_of(session_->GetOutputNameAllocated(i, allocator)));
        run_options_ = Ort::RunOptions{nullptr};
        return true;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return false;
    }
    template <typename T> float best_score() {
        std::vector<T> blob(3 * 32 * 32);
        for (std::size_t i = 0; i < blob.size(); ++i) put(static_cast<float>(i % 13) / 13, blob[i]);
        std::vector<std::int64_t> dims = {1, 3, 32, 32};
        Ort::Value input = Ort::Value::CreateTensor<T>(Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU),
                                                       blob.data(), blob.size(), dims.data(), dims.size());
        auto outputs =
            session_->Run(run_options_, input_names_.data(), &input, 1, output_names_.data(), output_names_.size());
        Ort::TypeInfo type = outputs.front().GetTypeInfo();
        auto info = type.GetTensorTypeAndShapeInfo();
        const std::vector<std::int64_t> shape = info.GetShape();
        const T* output = outputs.front().GetTensorMutableData<T>();
        float best = 0;
        for (std::int64_t i = 4 * shape[2]; i < shape[1] * shape[2]; ++i) best = std::max(best, get(output[i]));
        return best;
    }

  private:
    static char* copy_of(const Ort::AllocatedStringPtr& name) {
        char* const copy = new char[std::strlen(name.get()) + 1];
        return std::strcpy(copy, name.get());
    }
    Ort::Env env_{nullptr};
    Ort::Session* session_ = nullptr;
    Ort::RunOptions run_options_{nullptr};
    std::vector<char*> input_names_, output_names_;
};

int main() {
    detector floats, halves;
    if (!floats.create(ORT_TSTR(INLAY_EXAMPLE_DIR "/models/detector.onnx"), false)) return 1;
    if (!halves.create(ORT_TSTR(INLAY_EXAMPLE_DIR "/models/detector_half.onnx"), false)) return 1;
    const float a = floats.best_score<float>(), b = halves.best_score<half>();
    std::printf("best score: %.2f, in halves %.2f\n", static_cast<double>(a), static_cast<double>(b));
    detector somewhere_else;
    const bool is_loaded = somewhere_else.create(ORT_TSTR(INLAY_EXAMPLE_DIR "/models/nothing.onnx"), false);
    return a - b < 0.01f && b - a < 0.01f && !is_loaded ? 0 : 1;
}
