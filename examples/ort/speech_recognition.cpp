// Like sherpa-onnx's transducers: models from bytes in memory, sizes from the metadata, states passed from one run to
// the next, copies of values, a choice among the available providers.
#include <inlay/ort.hpp>
#include <inlay/ort.hpp>  // twice: sources include it several times
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

static std::vector<char> file_of(const std::string& name) {
    std::ifstream file(INLAY_EXAMPLE_DIR "/models/" + name + ".onnx", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
static Ort::SessionOptions options_for(const std::string& provider) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    options.SetInterOpNumThreads(1);
    const std::vector<std::string> available = Ort::GetAvailableProviders();
    if (std::find(available.begin(), available.end(), provider) == available.end())
        std::cout << provider << " is not available, so the CPU is used\n";
    else if (provider == "CUDAExecutionProvider") {
        OrtCUDAProviderOptions cuda;
        cuda.cudnn_conv_algo_search = OrtCudnnConvAlgoSearchHeuristic;
        options.AppendExecutionProvider_CUDA(cuda);
    }
    return options;
}
static Ort::Value clone(OrtAllocator* allocator, const Ort::Value* v) {
    auto info = v->GetTensorTypeAndShapeInfo();
    const std::vector<std::int64_t> shape = info.GetShape();
    if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64) {
        Ort::Value copy = Ort::Value::CreateTensor<std::int64_t>(allocator, shape.data(), shape.size());
        const std::int64_t* from = v->GetTensorData<std::int64_t>();
        std::copy(from, from + info.GetElementCount(), copy.GetTensorMutableData<std::int64_t>());
        return copy;
    }
    Ort::Value copy = Ort::Value::CreateTensor<float>(allocator, shape.data(), shape.size());
    const float* from = v->GetTensorData<float>();
    std::copy(from, from + info.GetElementCount(), copy.GetTensorMutableData<float>());
    return copy;
}

// One model with its names.
struct part {
    std::unique_ptr<Ort::Session> session;
    std::vector<std::string> inputs, outputs;
    std::vector<const char*> input_names, output_names;
    std::map<std::string, std::string> metadata;

    part(Ort::Env& env, const std::string& name, const Ort::SessionOptions& options) {
        const auto bytes = file_of(name);
        session = std::make_unique<Ort::Session>(env, bytes.data(), bytes.size(), options);
        Ort::AllocatorWithDefaultOptions allocator;
        for (std::size_t i = 0; i != session->GetInputCount(); ++i) {
            auto text = session->GetInputNameAllocated(i, allocator);
            inputs.push_back(text.get());
        }
        for (std::size_t i = 0; i != session->GetOutputCount(); ++i)
            outputs.push_back(session->GetOutputNameAllocated(i, allocator).get());
        for (const std::string& text : inputs) input_names.push_back(text.c_str());
        for (const std::string& text : outputs) output_names.push_back(text.c_str());
        Ort::ModelMetadata meta = session->GetModelMetadata();
        for (const Ort::AllocatedStringPtr& key : meta.GetCustomMetadataMapKeysAllocated(allocator))
            metadata[key.get()] = meta.LookupCustomMetadataMapAllocated(key.get(), allocator).get();
        if (meta.LookupCustomMetadataMapAllocated("no such key", allocator)) std::exit(1);
    }
    std::vector<Ort::Value> run(const std::vector<Ort::Value>& values) {
        return session->Run({}, input_names.data(), values.data(), values.size(), output_names.data(),
                            output_names.size());
    }
};

class recogniser {
    Ort::Env env_;
    Ort::SessionOptions options_;
    Ort::AllocatorWithDefaultOptions allocator_;
    part encoder_, decoder_, joiner_;
    std::vector<Ort::Value> states_;
    std::vector<std::int64_t> words_ = {0, 0};

  public:
    recogniser()
        : env_(ORT_LOGGING_LEVEL_ERROR),
          options_(options_for("CUDAExecutionProvider")),
          allocator_{},
          encoder_(env_, "encoder", options_),
          decoder_(env_, "decoder", options_),
          joiner_(env_, "joiner", options_) {
        const std::array<std::int64_t, 2> length{1, 1};
        const std::array<std::int64_t, 3> mean{1, 1, std::stoll(encoder_.metadata.at("encoder_dim"))};
        states_.push_back(Ort::Value::CreateTensor<std::int64_t>(allocator_, length.data(), length.size()));
        *states_[0].GetTensorMutableData<std::int64_t>() = 0;
        states_.push_back(Ort::Value::CreateTensor<float>(allocator_, mean.data(), mean.size()));
        std::fill_n(states_[1].GetTensorMutableData<float>(), 8, 0.f);
    }
    std::size_t frames() const { return std::stoul(encoder_.metadata.at("T")); }
    std::int64_t heard() const { return *states_[0].GetTensorData<std::int64_t>(); }
    const std::vector<std::int64_t>& words() const { return words_; }

    void accept(Ort::Value features) {
        std::vector<Ort::Value> inputs;
        inputs.push_back(std::move(features));
        for (Ort::Value& s : states_) inputs.push_back(std::move(s));
        auto out = encoder_.run(inputs);
        states_.clear();
        for (std::size_t i = 1; i != out.size(); ++i) states_.push_back(clone(allocator_, &out[i]));
        for (std::size_t t = 0; t != frames(); ++t) take_frame(out[0], t);
    }

  private:
    void take_frame(const Ort::Value& encoded, std::size_t t) {
        const std::array<std::int64_t, 2> pair{1, 2}, row{1, 8};
        std::vector<Ort::Value> context, joined;
        context.push_back(Ort::Value::CreateTensor<std::int64_t>(allocator_, pair.data(), pair.size()));
        std::copy(words_.end() - 2, words_.end(), context[0].GetTensorMutableData<std::int64_t>());
        auto decoded = decoder_.run(context);
        joined.push_back(Ort::Value::CreateTensor<float>(allocator_, row.data(), row.size()));
        const float* frame = encoded.GetTensorData<float>() + t * 8;
        std::copy(frame, frame + 8, joined[0].GetTensorMutableData<float>());
        joined.push_back(std::move(decoded[0]));
        auto logit = joiner_.run(joined);
        const float* p = logit[0].GetTensorData<float>();
        if (const auto best = std::max_element(p, p + 6) - p) words_.push_back(best);
    }
};

int main() {
    recogniser r;
    Ort::AllocatorWithDefaultOptions allocator;
    for (int chunk = 0; chunk < 3; ++chunk) {
        const std::array<std::int64_t, 3> shape{1, 4, 8};
        Ort::Value features = Ort::Value::CreateTensor<float>(allocator, shape.data(), shape.size());
        for (int i = 0; i < 32; ++i)
            features.GetTensorMutableData<float>()[i] = static_cast<float>((i * 7 + chunk * 5) % 11) / 5 - 1;
        r.accept(std::move(features));
    }
    std::cout << r.heard() << " frames, words:";
    for (std::size_t i = 2; i < r.words().size(); ++i) std::cout << ' ' << r.words()[i];
    std::cout << '\n';
    return r.heard() == 12 ? 0 : 1;
}
