// Like programs over scikit-learn's models, which are derived from ONNX Runtime's CXX_Api_Sample.cpp: labels and, as a
// sequence of maps, probabilities; threads that sessions share.
// >>> ort
#include <inlay/ort.hpp>
// <<<
#include <cstdio>

static void tell_type(const char* name, const Ort::TypeInfo& type) {
    switch (type.GetONNXType()) {
        case ONNX_TYPE_TENSOR:
            std::printf("%s: tensor of type %d\n", name, type.GetTensorTypeAndShapeInfo().GetElementType());
            break;
        case ONNX_TYPE_SEQUENCE: {
            const Ort::TypeInfo element = type.GetSequenceTypeInfo().GetSequenceElementType();
            const auto map = element.GetMapTypeInfo();
            std::printf("%s: sequence of maps from type %d to type %d\n", name, map.GetMapKeyType(),
                        map.GetMapValueType().GetTensorTypeAndShapeInfo().GetElementType());
            break;
        }
        default: std::printf("%s: something else\n", name);
    }
}

int main() {
    OrtThreadingOptions* threads = nullptr;
    Ort::ThrowOnError(Ort::GetApi().CreateThreadingOptions(&threads));
    Ort::ThrowOnError(Ort::GetApi().SetGlobalIntraOpNumThreads(threads, 2));
    Ort::ThrowOnError(Ort::GetApi().SetGlobalInterOpNumThreads(threads, 1));
    Ort::ThrowOnError(Ort::GetApi().SetGlobalSpinControl(threads, 0));
    Ort::Env env(threads, ORT_LOGGING_LEVEL_ERROR, "classifier");
    Ort::GetApi().ReleaseThreadingOptions(threads);

    Ort::SessionOptions options;
    options.DisablePerSessionThreads();
    options.AddConfigEntry("session.use_env_allocators", "1");
    options.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_EXTENDED);
    Ort::Session session(env, ORT_TSTR(INLAY_EXAMPLE_DIR "/models/classifier.onnx"), options);

    Ort::AllocatorWithDefaultOptions allocator;
    std::vector<Ort::AllocatedStringPtr> texts;
    std::vector<const char*> input_names, output_names;
    for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
        texts.push_back(session.GetInputNameAllocated(i, allocator));
        input_names.push_back(texts.back().get());
    }
    for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
        texts.push_back(session.GetOutputNameAllocated(i, allocator));
        output_names.push_back(texts.back().get());
        tell_type(output_names.back(), session.GetOutputTypeInfo(i));
    }

    // >>> ort
    auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<float> rows = {0.5f, 1.f, -1.f, 2.f, 0.f, 0.25f};
    const std::int64_t shape[] = {2, 3};
    Ort::Value input = Ort::Value::CreateTensor<float>(memory, rows.data(), rows.size(), shape, 2);
    auto outputs =
        session.Run(Ort::RunOptions{nullptr}, input_names.data(), &input, 1, output_names.data(), output_names.size());
    // <<<
    const std::int64_t* labels = outputs[0].GetTensorData<std::int64_t>();
    double sum = 0;
    for (std::size_t j = 0; j < outputs[1].GetCount(); ++j) {
        Ort::Value map = outputs[1].GetValue(static_cast<int>(j), allocator);
        Ort::Value keys = map.GetValue(0, allocator), values = map.GetValue(1, allocator);
        const std::size_t entries = keys.GetTensorTypeAndShapeInfo().GetElementCount();
        std::printf("row %zu is %lld:", j, static_cast<long long>(labels[j]));
        for (std::size_t k = 0; k < entries; ++k) {
            const double p = static_cast<double>(values.GetTensorData<float>()[k]);
            std::printf(" %lld->%.4f", static_cast<long long>(keys.GetTensorData<std::int64_t>()[k]), p);
            sum += p;
        }
        std::printf("\n");
    }
    return sum > 1.999 && sum < 2.001 ? 0 : 1;
}
