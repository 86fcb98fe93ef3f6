// Like main.cpp of yolov5-v6.1-opencv-onnxrun, for a version before 1.13: `using namespace Ort`, names as pointers that
// only the allocator frees, a session by new.
#include <inlay/ort.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

using namespace std;
using namespace Ort;

class yolo {
  public:
    explicit yolo(const string& file) {
        options.SetGraphOptimizationLevel(ORT_ENABLE_BASIC);
        session = new Session(env, file.c_str(), options);
        AllocatorWithDefaultOptions allocator;
        for (size_t i = 0; i < session->GetInputCount(); i++) {
            input_names.push_back(session->GetInputName(i, allocator));
            Ort::TypeInfo type = session->GetInputTypeInfo(i);
            auto info = type.GetTensorTypeAndShapeInfo();
            input_dims.push_back(info.GetShape());
        }
        for (size_t i = 0; i < session->GetOutputCount(); i++) {
            output_names.push_back(session->GetOutputName(i, allocator));
            Ort::TypeInfo type = session->GetOutputTypeInfo(i);
            auto info = type.GetTensorTypeAndShapeInfo();
            output_dims.push_back(info.GetShape());
        }
    }
    ~yolo() {
        AllocatorWithDefaultOptions allocator;
        for (char* name : input_names) allocator.Free(name);
        for (char* name : output_names) allocator.Free(name);
        delete session;
    }
    int detect() {
        vector<float> image(3 * 32 * 32);
        for (size_t i = 0; i < image.size(); i++) image[i] = static_cast<float>(i % 17) / 17;
        array<int64_t, 4> shape{1, 3, input_dims[0][2], input_dims[0][3]};
        auto memory = MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
        Value input = Value::CreateTensor<float>(memory, image.data(), image.size(), shape.data(), shape.size());
        vector<Value> outputs =
            session->Run(RunOptions{nullptr}, &input_names[0], &input, 1, output_names.data(), output_names.size());
        const float* data = outputs[0].GetTensorMutableData<float>();
        const int64_t cells = output_dims[0][2];
        return static_cast<int>(count_if(data + 4 * cells, data + 5 * cells, [](float p) { return p > 0.5f; }));
    }

  private:
    Env env = Env(ORT_LOGGING_LEVEL_ERROR, "yolo");
    Ort::Session* session = nullptr;
    SessionOptions options = SessionOptions();
    vector<char*> input_names, output_names;
    vector<vector<int64_t>> input_dims, output_dims;
};

int main() {
    yolo net(INLAY_EXAMPLE_DIR "/models/detector.onnx");
    const int objects = net.detect();
    cout << objects << " of 64 cells hold an object\n";
    return objects >= 0 && objects <= 64 ? 0 : 1;
}
