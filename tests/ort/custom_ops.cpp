// Operators that a program brings, by Ort::CustomOpBase.
#include "programs.hpp"
#include <thread>
using namespace inlay::testing;

namespace {
int alive = 0;
struct scaled_kernel {
    float factor;
    std::vector<std::int64_t> list;
    std::string word, node, first_input;
    bool constant_shift;
    float shift = 0;
    Ort::KernelInfo copy;
    explicit scaled_kernel(Ort::ConstKernelInfo info) : copy(info.Copy()) {
        ++alive;
        factor = info.GetAttribute<float>("factor");
        list = info.GetAttributes<std::int64_t>("list");
        word = info.GetAttribute<std::string>("word");
        node = info.GetNodeName();
        first_input = info.GetInputName(0);
        int constant = 0;
        const auto value = info.GetTensorConstantInput(1, &constant);
        constant_shift = constant != 0;
        if (constant) shift = value.GetTensorData<float>()[0];
    }
    ~scaled_kernel() { --alive; }
    void Compute(OrtKernelContext* raw) {
        Ort::KernelContext context(raw);
        if (context.GetInputCount() != 2 || context.GetOutputCount() != 1) ORT_CXX_API_THROW("counts", ORT_FAIL);
        const Ort::ConstValue x = context.GetInput(0);
        if (x.GetTensorData<float>()[0] == 13) ORT_CXX_API_THROW("thirteen is not scaled", ORT_FAIL);
        const auto shape = x.GetTensorTypeAndShapeInfo().GetShape();
        Ort::UnownedValue y = context.GetOutput(0, shape);
        struct work {
            const float* x;
            float *y, factor, shift;
        } all{x.GetTensorData<float>(), y.GetTensorMutableData<float>(), factor,
              context.GetInput(1).GetTensorData<float>()[0]};
        context.ParallelFor(
            [](void* data, std::size_t i) {
                auto& w = *static_cast<work*>(data);
                w.y[i] = w.factor * w.x[i] + w.shift;
            },
            std::size_t(shape[0]), 0, &all);
    }
};
struct scaled : Ort::CustomOpBase<scaled, scaled_kernel> {
    mutable std::vector<scaled_kernel*> kernels;
    void* CreateKernel(const OrtApi&, const OrtKernelInfo* info) const {
        kernels.push_back(new scaled_kernel(Ort::ConstKernelInfo{info}));
        return kernels.back();
    }
    const char* GetName() const { return "Scaled"; }
    std::size_t GetInputTypeCount() const { return 2; }
    ONNXTensorElementDataType GetInputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
    std::size_t GetOutputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetOutputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
};
// The positive elements: a data-dependent shape. Statuses instead of exceptions.
struct positive_kernel {
    OrtStatusPtr ComputeV2(OrtKernelContext* raw) {
        Ort::KernelContext context(raw);
        const auto x = context.GetInput(0);
        const auto n = std::int64_t(x.GetTensorTypeAndShapeInfo().GetElementCount());
        std::vector<float> positives;
        for (std::int64_t i = 0; i < n; ++i)
            if (x.GetTensorData<float>()[i] > 0) positives.push_back(x.GetTensorData<float>()[i]);
        if (positives.empty()) return Ort::Status("nothing is positive", ORT_INVALID_ARGUMENT).release();
        const std::int64_t dims[] = {std::int64_t(positives.size())};
        std::ranges::copy(positives, context.GetOutput(0, dims, 1).GetTensorMutableData<float>());
        return nullptr;
    }
};
struct positive : Ort::CustomOpBase<positive, positive_kernel, true> {
    bool fails = false;
    OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo*, void** kernel) const {
        if (fails) return Ort::Status("no kernel today", ORT_FAIL).release();
        *kernel = new positive_kernel;
        return nullptr;
    }
    const char* GetName() const { return "Positive"; }
    std::size_t GetInputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetInputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
    std::size_t GetOutputTypeCount() const { return 1; }
    ONNXTensorElementDataType GetOutputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
};

constexpr const char* head = "<ir_version: 10, opset_import: [\"\" : 21, \"mine\" : 1]> ";
const std::string scales =
    std::string(head) +
    "g (float[N] x) => (float[N] y) <float[1] c = {0.5}> { y = mine.Scaled <factor: float = 2.0, "
    "list: ints = [1, 2], word: string = \"w\"> (x, c) }";
const std::string filters = std::string(head) + "g (float[N] x) => (float[M] y) { y = mine.Positive(x) }";
std::vector<float> run(Ort::Session& session, std::vector<float> x) {
    const Ort::Value in = over(x, {std::int64_t(x.size())});
    const char *from = "x", *into = "y";
    return floats_of(session.Run({}, &from, &in, 1, &into, 1)[0]);
}
template <class... Op> Ort::SessionOptions options_with(const Op&... op) {
    Ort::CustomOpDomain domain("mine");
    (domain.Add(&op), ...);
    Ort::SessionOptions options;
    options.Add(domain);  // which may go
    return options;
}
const Ort::Env& environment() {
    static const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "test");
    return env;
}
}  // namespace

TEST_CASE("A custom operator runs with its attributes, constants and threads, and its kernel goes with the session",
          "[ort]") {
    const scaled op;
    {
        Ort::Session session = session_of(environment(), scales, options_with(op));
        CHECK(run(session, {1, 2}) == std::vector<float>{2.5f, 4.5f});
        CHECK(run(session, std::vector<float>(1000, 3.f)) == std::vector<float>(1000, 6.5f));
        REQUIRE(op.kernels.size() == 1);  // once, whatever the shapes
        const scaled_kernel& kernel = *op.kernels[0];
        CHECK(kernel.list == std::vector<std::int64_t>{1, 2});
        CHECK(kernel.word == "w");
        CHECK(kernel.first_input == "x");
        CHECK(kernel.constant_shift);
        CHECK(kernel.shift == 0.5f);
        CHECK(kernel.copy.GetInputCount() == 2);
        CHECK(kernel.copy.GetOutputName(0) == "y");
        CHECK(kernel.copy.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetElementType() ==
              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
        CHECK(thrown_by([&] { kernel.copy.GetAttribute<float>("word"); }).code == ORT_INVALID_ARGUMENT);
        CHECK(thrown_by([&] { kernel.copy.GetAttribute<float>("missing"); }).code == ORT_INVALID_ARGUMENT);
        CHECK(thrown_by([&] { kernel.copy.GetInputName(2); }).code == ORT_INVALID_ARGUMENT);
        CHECK(alive == 1);
        const auto refusal = thrown_by([&] { run(session, {13}); });
        CHECK(has_text(refusal.text, "thirteen is not scaled"));
        CHECK(has_text(refusal.text, "Scaled"));
        CHECK(run(session, {1}) == std::vector<float>{2.5f});
    }
    CHECK(alive == 0);
}

TEST_CASE("Nodes of one name in two bodies have kernels of their own", "[ort]") {
    const scaled op;
    Ort::Session session = session_of(
        environment(),
        head + std::string("g (float[1] x, bool b) => (float[1] y) { y = If(b) <"
                           "then_branch = t () => (float[1] z) <float[1] c = {0.5}> { z = mine.Scaled <factor: "
                           "float = 2.0, list: ints = [1], word: string = \"\"> (x, c) }, "
                           "else_branch = e () => (float[1] z) <float[1] c = {100}> { z = mine.Scaled <factor: "
                           "float = 2.0, list: ints = [1], word: string = \"\"> (x, c) }> }"),
        options_with(op));
    std::vector<float> x = {1};
    for (const bool then : {true, false, true}) {
        std::vector<Ort::Value> in;
        bool flag[] = {then};
        in.push_back(over(x, {1}));
        in.push_back(Ort::Value::CreateTensor<bool>(host(), flag, 1, nullptr, 0));
        const char *names[] = {"x", "b"}, *into = "y";
        CHECK(floats_of(session.Run({}, names, in.data(), 2, &into, 1)[0]) == std::vector<float>{then ? 2.5f : 102.f});
    }
    CHECK(op.kernels.size() == 2);
}

TEST_CASE("A custom operator reports the shape of its output while it runs, and fails by a status", "[ort]") {
    positive op;
    Ort::Session session = session_of(environment(), filters, options_with(op));
    CHECK(run(session, {1, -2, 3}) == std::vector<float>{1, 3});
    CHECK(run(session, {4}) == std::vector<float>{4});
    CHECK(has_text(thrown_by([&] { run(session, {-1}); }).text, "nothing is positive"));
    op.fails = true;
    CHECK(has_text(thrown_by([&] {
                       Ort::Session session = session_of(environment(), filters, options_with(op));
                       run(session, {1});
                   }).text,
                   "no kernel today"));
}

TEST_CASE("Nodes that custom operators do not fit are refused with the reason", "[ort]") {
    const scaled op;
    const positive filter;
    const auto refusal = [&](const std::string& text, const Ort::SessionOptions& options) {
        return thrown_by([&] {
            Ort::Session session = session_of(environment(), head + text, options);
            run(session, {1});
        });
    };
    CHECK(has_text(refusal("g (float[N] x) => (float[M] y) { y = mine.Positive(x, x) }", options_with(filter)).text,
                   "more inputs"));
    CHECK(has_text(refusal("g (float[N] x) => (float[N] y) { d = Cast<to: int = 11>(x) e = mine.Positive(d) y = "
                           "Cast<to: int = 1>(e) }",
                           options_with(filter))
                       .text,
                   "element type"));
    CHECK(refusal("g (float[N] x) => (float[N] y) { y = mine.Unknown(x) }", options_with(op, filter)).code ==
          ORT_NOT_IMPLEMENTED);
    Ort::CustomOpDomain domain("mine");
    CHECK(thrown_by([&] { domain.Add(nullptr); }).code == ORT_INVALID_ARGUMENT);
    const OrtCustomOp empty{};
    CHECK(has_text(thrown_by([&] { session_of(environment(), filters, options_with(empty)); }).text, "CustomOpBase"));
    struct elsewhere : positive {
    } wrong;
    wrong.OrtCustomOp::GetExecutionProviderType = [](const OrtCustomOp*) { return "ImaginaryExecutionProvider"; };
    CHECK(thrown_by([&] { session_of(environment(), filters, options_with(wrong)); }).code == ORT_NOT_IMPLEMENTED);
}

TEST_CASE("Sessions with custom operators run at once, and there may be a limited number of operators",
          "[ort][threads]") {
    const positive op;
    std::vector<Ort::Session> sessions;
    for (int k = 0; k < 3; ++k) sessions.push_back(session_of(environment(), filters, options_with(op)));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (int k = 1; k < 20; ++k)
                if (run(sessions[std::size_t(t % 3)], {float(k), -1, float(t + 1)}) !=
                    std::vector<float>{float(k), float(t + 1)})
                    ++wrong;
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    std::vector<Ort::Session> many;
    const auto refusal = thrown_by([&] {
        for (int k = 0; k < 100; ++k) many.push_back(session_of(environment(), filters, options_with(op)));
    });
    CHECK(has_text(refusal.text, "more than 64 custom operators"));
    many.clear();
    CHECK(thrown_by([&] { session_of(environment(), filters, options_with(op)); }).code == ORT_OK);
}
