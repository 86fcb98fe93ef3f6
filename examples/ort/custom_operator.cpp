// Like the operators of onnx-extended's tutorial, and the example of onnxruntime-inference-examples: two that the
// program registers, with an attribute, in a domain of their own.
#include <inlay/ort.hpp>
#include <cmath>
#include <cstdio>

struct kernel_one {
    float gain;
    explicit kernel_one(const OrtKernelInfo* info) : gain(Ort::ConstKernelInfo{info}.GetAttribute<float>("gain")) {}
    void Compute(OrtKernelContext* context) {
        Ort::KernelContext arguments(context);
        const auto x = arguments.GetInput(0), y = arguments.GetInput(1);
        const auto info = x.GetTensorTypeAndShapeInfo();
        auto z = arguments.GetOutput(0, info.GetShape());
        for (std::size_t i = 0; i < info.GetElementCount(); ++i)
            z.GetTensorMutableData<float>()[i] = gain * x.GetTensorData<float>()[i] + y.GetTensorData<float>()[i];
    }
};
struct operator_one : Ort::CustomOpBase<operator_one, kernel_one> {
    void* CreateKernel(const OrtApi&, const OrtKernelInfo* info) const { return new kernel_one(info); }
    const char* GetName() const { return "CustomOpOne"; }
    std::size_t GetInputTypeCount() const { return 2; }
    ONNXTensorElementDataType GetInputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
    std::size_t GetOutputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetOutputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
};

struct kernel_two {
    void Compute(OrtKernelContext* context) {
        Ort::KernelContext arguments(context);
        const auto x = arguments.GetInput(0);
        const auto shape = x.GetTensorTypeAndShapeInfo().GetShape();
        auto z = arguments.GetOutput(0, shape.data(), shape.size());
        for (std::int64_t i = 0; i < shape[0]; ++i)
            z.GetTensorMutableData<std::int32_t>()[i] =
                static_cast<std::int32_t>(std::round(x.GetTensorData<float>()[i]));
    }
};
struct operator_two : Ort::CustomOpBase<operator_two, kernel_two> {
    void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new kernel_two; }
    const char* GetName() const { return "CustomOpTwo"; }
    const char* GetExecutionProviderType() const { return "CPUExecutionProvider"; }
    std::size_t GetInputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetInputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
    std::size_t GetOutputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetOutputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32; }
};

int main() {
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "custom");
    operator_one first_operator;
    operator_two second_operator;
    Ort::CustomOpDomain domain{"v1"};
    domain.Add(&first_operator);
    domain.Add(&second_operator);
    Ort::SessionOptions options;
    options.Add(domain);
    Ort::Session session(env, ORT_TSTR(INLAY_EXAMPLE_DIR "/models/custom_operator.onnx"), options);

    std::vector<float> x = {1.f, 2.f, 3.f}, y = {4.2f, 5.2f, 6.2f};
    const std::int64_t shape[] = {3};
    auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<Ort::Value> inputs;
    inputs.emplace_back(Ort::Value::CreateTensor<float>(memory, x.data(), x.size(), shape, 1));
    inputs.emplace_back(Ort::Value::CreateTensor<float>(memory, y.data(), y.size(), shape, 1));
    const char* input_names[] = {"X", "Y"};
    const char* output_names[] = {"Z"};
    auto outputs = session.Run(Ort::RunOptions{nullptr}, input_names, inputs.data(), inputs.size(), output_names, 1);
    const std::int32_t* z = outputs[0].GetTensorData<std::int32_t>();
    std::printf("%d %d %d\n", z[0], z[1], z[2]);
    return z[0] == -6 && z[1] == -9 && z[2] == -12 ? 0 : 1;
}
