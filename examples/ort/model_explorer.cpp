// Like model-explorer.cpp of onnxruntime-inference-examples: a model's inputs and outputs, then a run on random data.
#include <inlay/ort.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

static std::string text_of(const std::vector<std::int64_t>& shape) {
    std::stringstream text;
    for (std::size_t k = 0; k < shape.size(); ++k) text << (k ? "x" : "") << shape[k];
    return text.str();
}
template <typename T> static Ort::Value tensor_over(std::vector<T>& data, const std::vector<std::int64_t>& shape) {
    Ort::MemoryInfo memory =
        Ort::MemoryInfo::CreateCpu(OrtAllocatorType::OrtArenaAllocator, OrtMemType::OrtMemTypeDefault);
    return Ort::Value::CreateTensor<T>(memory, data.data(), data.size(), shape.data(), shape.size());
}

int main(int count, ORTCHAR_T** words) {
    const std::basic_string<ORTCHAR_T> file =
        count > 1 ? words[1] : ORT_TSTR(INLAY_EXAMPLE_DIR "/../digits/digits.onnx");
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "model-explorer");
    Ort::SessionOptions options;
    Ort::Session session = Ort::Session(env, file.c_str(), options);

    Ort::AllocatorWithDefaultOptions allocator;
    std::vector<std::string> input_names, output_names;
    std::vector<std::int64_t> shape;
    for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
        input_names.emplace_back(session.GetInputNameAllocated(i, allocator).get());
        shape = session.GetInputTypeInfo(i).GetTensorTypeAndShapeInfo().GetShape();
        std::cout << "input " << input_names.back() << ": " << text_of(shape) << '\n';
    }
    for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
        output_names.emplace_back(session.GetOutputNameAllocated(i, allocator).get());
        const auto dims = session.GetOutputTypeInfo(i).GetTensorTypeAndShapeInfo().GetShape();
        std::cout << "output " << output_names.back() << ": " << text_of(dims) << '\n';
    }
    std::int64_t elements = 1;
    for (std::int64_t& d : shape) {
        d = std::max<std::int64_t>(d, 1);
        elements *= d;
    }
    std::vector<float> values(static_cast<std::size_t>(elements));
    std::generate(values.begin(), values.end(), [k = 0]() mutable { return static_cast<float>(k++ % 7) / 7; });
    std::vector<Ort::Value> inputs;
    inputs.emplace_back(tensor_over<float>(values, shape));
    if (!inputs[0].IsTensor() || inputs[0].GetTensorTypeAndShapeInfo().GetShape() != shape) return 1;

    std::vector<const char*> in, out;
    for (const std::string& name : input_names) in.push_back(name.c_str());
    for (const std::string& name : output_names) out.push_back(name.c_str());
    try {
        const auto results =
            session.Run(Ort::RunOptions{nullptr}, in.data(), inputs.data(), in.size(), out.data(), out.size());
        std::cout << "ran: " << results.size() << " result of shape "
                  << text_of(results[0].GetTensorTypeAndShapeInfo().GetShape()) << ", the first element is "
                  << results[0].GetTensorData<float>()[0] << '\n';
    } catch (const Ort::Exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    return 0;
}
