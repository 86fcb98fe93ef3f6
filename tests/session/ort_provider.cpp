// Providers written as ONNX Runtime's documents have it: what they take, how it runs, and what becomes of failures.
#include "../models.hpp"
#include "custom_execution_provider.hpp"
#include <thread>
using namespace inlay;
using namespace inlay::testing;
using custom_ep::custom;

namespace {
using inlay::ort::ComputeCapability;
using inlay::ort::GraphViewer;
using inlay::ort::IndexedSubGraph;
using inlay::ort::KernelDefBuilder;
using inlay::ort::KernelRegistry;
using inlay::ort::Node;
using inlay::ort::NodeComputeInfo;
using inlay::ort::OpKernel;
using inlay::ort::OpKernelContext;
using inlay::ort::OpKernelInfo;
using inlay::ort::OrtDevice;
using inlay::ort::Status;
using inlay::ort::Tensor;
using capabilities = std::vector<std::unique_ptr<ComputeCapability>>;

constexpr std::string_view opset_14 = R"(<ir_version: 8, opset_import: ["" : 14]> )";
std::string in_opset(int opset, std::string_view graph) {
    return R"(<ir_version: 8, opset_import: ["" : )" + std::to_string(opset) + "]> " + std::string(graph);
}
std::string reason(const plan_report::line& l, std::string_view provider) {
    for (const auto& a : l.answers)
        if (a.provider == provider) return a.text;
    return "no answer";
}
std::unique_ptr<ComputeCapability> take(std::vector<inlay::ort::NodeIndex> nodes) {
    auto sub_graph = std::make_unique<IndexedSubGraph>();
    sub_graph->nodes = std::move(nodes);
    return std::make_unique<ComputeCapability>(std::move(sub_graph));
}
std::unique_ptr<ComputeCapability> take(std::vector<inlay::ort::NodeIndex> nodes, std::vector<std::string> inputs,
                                        std::vector<std::string> outputs) {
    auto c = take(std::move(nodes));
    auto meta = std::make_unique<IndexedSubGraph::MetaDef>();
    meta->name = "Fused";
    meta->inputs = std::move(inputs);
    meta->outputs = std::move(outputs);
    c->sub_graph->SetMetaDef(std::move(meta));
    return c;
}

// A provider whose functions a test gives.
struct behaviour {
    std::function<capabilities(const GraphViewer&)> capability;
    std::function<Status(const std::vector<inlay::ort::IExecutionProvider::FusedNodeAndGraph>&,
                         std::vector<NodeComputeInfo>&)>
        compile;
    std::shared_ptr<KernelRegistry> registry;
    bool concurrent = true;
    std::string type = "TestExecutionProvider";
};
class TestExecutionProvider final : public inlay::ort::IExecutionProvider {
    behaviour b_;

  public:
    explicit TestExecutionProvider(const behaviour& b) : IExecutionProvider(b.type), b_(b) {}
    capabilities GetCapability(const GraphViewer& graph, const IKernelLookup& lookup) const override {
        return b_.capability ? b_.capability(graph) : IExecutionProvider::GetCapability(graph, lookup);
    }
    std::shared_ptr<KernelRegistry> GetKernelRegistry() const override { return b_.registry; }
    Status Compile(const std::vector<FusedNodeAndGraph>& nodes, std::vector<NodeComputeInfo>& infos) override {
        return b_.compile ? b_.compile(nodes, infos) : IExecutionProvider::Compile(nodes, infos);
    }
    bool ConcurrentRunSupported() const override { return b_.concurrent; }
};
struct with_behaviour : behaviour {
    static constexpr std::string_view name = "TestExecutionProvider";
    result<std::shared_ptr<engine>> open() const {
        return inlay::ort::open_engine<memory::host>(name, 0,
                                                     [this] { return std::make_shared<TestExecutionProvider>(*this); });
    }
};
class FunctionKernel final : public OpKernel {
    std::function<Status(OpKernelContext*)> f_;

  public:
    FunctionKernel(const OpKernelInfo& info, std::function<Status(OpKernelContext*)> f)
        : OpKernel(info), f_(std::move(f)) {}
    Status Compute(OpKernelContext* context) const override { return f_(context); }
};
inlay::ort::KernelCreateFn creates(std::function<Status(OpKernelContext*)> f) {
    return [f = std::move(f)](inlay::ort::FuncManager&, const OpKernelInfo& info, std::unique_ptr<OpKernel>& kernel) {
        kernel = std::make_unique<FunctionKernel>(info, f);
        return Status::OK();
    };
}
// y = slope * x
std::function<Status(OpKernelContext*)> scales(float slope) {
    return [slope](OpKernelContext* c) {
        const auto& x = c->RequiredInput<Tensor>(0);
        auto& y = c->RequiredOutput(0, x.Shape());
        std::ranges::transform(x.DataAsSpan<float>(), y.MutableData<float>(), [=](float v) { return slope * v; });
        return Status::OK();
    };
}
template <class T> inlay::ort::MLDataType type() { return inlay::ort::DataTypeImpl::GetTensorType<T>(); }
void add(KernelRegistry& to, const char* op, int since, int through, std::vector<inlay::ort::MLDataType> types,
         std::function<Status(OpKernelContext*)> f) {
    KernelDefBuilder def;
    def.SetName(op).SetDomain("").SinceVersion(since, through).Provider("TestExecutionProvider");
    if (!types.empty()) def.TypeConstraint("T", std::move(types));
    ORT_THROW_IF_ERROR(to.Register(def, creates(std::move(f))));
}
constexpr int open_end = std::numeric_limits<int>::max();
const tensor x2({2}, {1.f, -2.f});
constexpr std::string_view relu_text = "g (float[2] x) => (float[2] y) { y = Relu(x) }";
constexpr std::string_view chain_text = "g (float[2] x) => (float[2] y) { a = Relu(x) b = Add(a, x) y = Relu(b) }";
error failure_of(const with_behaviour& b, std::string_view text) {
    return raised([&] { (void)inlay::session{model_of(text), b, cpu{}}.run({{"x", x2}}); });
}
with_behaviour with_kernel(std::function<Status(OpKernelContext*)> f) {
    with_behaviour b;
    b.registry = std::make_shared<KernelRegistry>();
    add(*b.registry, "Relu", 6, 14, {}, std::move(f));
    return b;
}
with_behaviour with_fused(std::function<Status(OpKernelContext*)> f) {
    with_behaviour b;
    b.capability = [](const GraphViewer&) {
        capabilities result;
        result.push_back(take({0}, {"x"}, {"y"}));
        return result;
    };
    b.compile = [f = std::move(f)](const auto&, std::vector<NodeComputeInfo>& infos) {
        infos.emplace_back().compute_func = [f](inlay::ort::FunctionState, const inlay::ort::OrtApi*,
                                                inlay::ort::OrtKernelContext* c) { return f(c); };
        return Status::OK();
    };
    return b;
}
struct absent {
    static constexpr std::string_view name = "AbsentExecutionProvider";
    static result<std::shared_ptr<engine>> open() {
        return inlay::ort::open_engine<memory::host>(
            name, 0, []() -> std::shared_ptr<inlay::ort::IExecutionProvider> { ORT_THROW("no driver"); });
    }
};
}  // namespace

TEST_CASE("A provider of the documents runs a fused sub-graph and single nodes by kernels", "[ort]") {
    const int before = custom_ep::states;
    {
        const inlay::session s{model_of(std::string(opset_14) +
                                        "g (float[1,1,3,3] x) => (float[1,1,2,2] y) <float[1,1,2,2] w = {1, 2, 3, -4}> "
                                        "{ a = Conv(x, w) b = Relu(a) c = Add(b, b) d = Mul(c, b) y = Abs(d) }"),
                               custom{}, cpu{}};
        const tensor x({1, 1, 3, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, -9.f});
        // 1+4+12-20 = -3, 2+6+15-24 = -1, 4+10+21-32 = 3, 5+12+24+36 = 77
        CHECK(floats(s.run({{"x", x}})[0]) == std::vector{0.f, 0.f, 18.f, 2 * 77.f * 77.f});
        const plan_report plan = s.plan();
        CHECK(plan.count(custom::name) == 4);
        CHECK(plan.steps == 4);  // the fused one, Add, Mul, and Abs of the CPU
        CHECK(line_of(plan, "Conv").kernel == "region");
        CHECK(reason(line_of(plan, "Abs"), custom::name) ==
              "GetCapability() leaves it: its registry has no kernel of Abs");
        CHECK(has_text(text_of(plan), custom::name));
        CHECK(custom_ep::states == before + 1);
    }
    CHECK(custom_ep::states == before);
}

TEST_CASE("The documents' graph view has nodes, edges, attributes, initialisers and shapes", "[ort]") {
    with_behaviour b;
    int queries = 0;
    b.capability = [&](const GraphViewer& g) {
        ++queries;
        REQUIRE(g.NumberOfNodes() == 3);
        const Node& conv = *g.GetNode(g.GetNodesInTopologicalOrder()[0]);
        CHECK(conv.OpType() == "Conv");
        CHECK(conv.Domain().empty());
        CHECK(conv.SinceVersion() == 11);
        CHECK(conv.GetAttributes().at("strides").ints() == std::vector<std::int64_t>{2, 1});
        CHECK(conv.GetAttributes().at("auto_pad").s() == "VALID");
        CHECK(conv.InputDefs()[0]->Name() == "x");
        CHECK(*conv.InputDefs()[0]->Type() == "tensor(float)");
        CHECK(conv.InputDefs()[0]->TypeAsProto()->tensor_type().elem_type() == onnxruntime::TensorProto_DataType_FLOAT);
        CHECK(conv.InputDefs()[0]->Shape()->dim_size() == 4);
        CHECK(conv.InputDefs()[0]->Shape()->dim(2).dim_value() == 5);
        CHECK(conv.GetInputEdgesCount() == 0);
        REQUIRE(conv.GetOutputEdgesCount() == 1);
        const Node& clip = conv.OutputEdgesBegin()->GetNode();
        CHECK(clip.OpType() == "Clip");
        CHECK_FALSE(clip.InputDefs()[1]->Exists());
        CHECK(clip.InputDefs()[2]->Exists());
        CHECK(clip.InputNodesBegin()->Index() == conv.Index());
        const Node& sub = *clip.OutputNodesBegin();
        CHECK(sub.InputEdgesBegin()->GetSrcArgIndex() == 0);
        CHECK(sub.InputEdgesBegin()->GetDstArgIndex() == 1);
        CHECK(g.GetProducerNode(clip.OutputDefs()[0]->Name()) == &clip);
        CHECK(g.GetConsumerNodes(conv.OutputDefs()[0]->Name()) == std::vector<const Node*>{&clip});
        const onnxruntime::TensorProto* w = nullptr;
        REQUIRE(g.GetInitializedTensor(conv.InputDefs()[1]->Name(), w));
        CHECK(w->dims() == std::vector<std::int64_t>{1, 1, 1, 2});
        float elements[2];
        REQUIRE(w->raw_data().size() == sizeof elements);
        std::memcpy(elements, w->raw_data().data(), sizeof elements);
        CHECK(elements[1] == 7.f);
        CHECK_FALSE(g.IsConstantInitializer("x"));
        CHECK(g.GetInputs().size() == 2);
        CHECK(g.GetOutputs()[0]->Name() == "y");
        return capabilities();
    };
    const inlay::session s{
        model_of(
            std::string(opset_14) +
            "g (float[1,1,5,4] x, float[1,1,3,3] z) => (float[1,1,3,3] y) <float[1,1,1,2] w = {6, 7}, float m = {9}> "
            "{ a = Conv <strides = [2, 1], auto_pad = \"VALID\"> (x, w) b = Clip(a, , m) y = Sub(z, b) }"),
        b, cpu{}};
    CHECK(queries > 0);
}

TEST_CASE("A registry finds the kernel of the node's version, on both sides of a boundary", "[ort]") {
    with_behaviour b;
    b.registry = std::make_shared<KernelRegistry>();
    add(*b.registry, "Relu", 6, 13, {type<float>()}, scales(6));
    add(*b.registry, "Relu", 14, 14, {type<float>()}, scales(14));
    for (const auto& [opset, factor] : {std::pair(13, 6.f), {14, 14.f}, {21, 14.f}}) {
        CAPTURE(opset);
        const inlay::session s{model_of(in_opset(opset, relu_text)), b, cpu{}};
        CHECK(floats(s.run({{"x", x2}})[0]) == std::vector{factor, -2 * factor});
    }
    const inlay::session old{model_of(in_opset(5, relu_text)), b, cpu{}};
    CHECK(reason(line_of(old.plan(), "Relu"), b.name) ==
          "GetCapability() leaves it: its kernels of Relu are for versions 6 to 13, 14, not 1");
}
TEST_CASE("A kernel without a last version is for its first one only", "[ort]") {
    with_behaviour b;
    b.registry = std::make_shared<KernelRegistry>();
    add(*b.registry, "Relu", 13, open_end, {}, scales(13));
    const inlay::session same{model_of(in_opset(13, relu_text)), b, cpu{}},
        later{model_of(in_opset(14, relu_text)), b, cpu{}};
    CHECK(line_of(same.plan(), "Relu").provider == b.name);
    CHECK(reason(line_of(later.plan(), "Relu"), b.name) ==
          "GetCapability() leaves it: its kernels of Relu are for versions 13, not 14");
}
TEST_CASE("A registry finds the kernel of the node's types, by the names of the schema", "[ort]") {
    with_behaviour b;
    b.registry = std::make_shared<KernelRegistry>();
    add(*b.registry, "Relu", 14, 14, {type<float>(), type<double>()}, scales(1));
    KernelDefBuilder cast_def, where_def;  // of two types, and by the name of an input
    cast_def.SetName("Cast").SinceVersion(13, 21).Provider("TestExecutionProvider");
    cast_def.TypeConstraint("T1", type<float>()).TypeConstraint("T2", type<std::int64_t>());
    where_def.SetName("Where").SinceVersion(9, 16).Provider("TestExecutionProvider").TypeConstraint("X", type<float>());
    REQUIRE(b.registry->Register(cast_def, creates(scales(1))).IsOK());
    REQUIRE(b.registry->Register(where_def, creates(scales(1))).IsOK());
    const inlay::session s{model_of("g (float[2] x, float16[2] h, bool[2] c, int32[2] k) => "
                                    "(float[2] a, float16[2] b, int64[2] d, double[2] e, float[2] f, int32[2] g) "
                                    "{ a = Relu(x) b = Relu(h) d = Cast<to = 7>(x) e = Cast<to = 11>(x) f = Where(c, "
                                    "x, x) g = Where(c, k, k) }"),
                           b, cpu{}};
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu", 0).provider == b.name);
    CHECK(reason(line_of(plan, "Relu", 1), b.name) ==
          "GetCapability() leaves it: its kernels of Relu do not take the types: T is tensor(float16)");
    CHECK(line_of(plan, "Cast", 0).provider == b.name);
    CHECK(has_text(reason(line_of(plan, "Cast", 1), b.name), "T2 is tensor(double)"));
    CHECK(line_of(plan, "Where", 0).provider == b.name);
    CHECK(has_text(reason(line_of(plan, "Where", 1), b.name), "X is tensor(int32)"));
}
TEST_CASE("A registry looks up by domain, operator, version and types without a node too", "[ort]") {
    KernelRegistry r;
    const std::string provider_name = "TestExecutionProvider";
    add(r, "Relu", 6, 13, {type<float>()}, scales(1));
    add(r, "Relu", 14, open_end, {type<float>()}, scales(2));
    const inlay::ort::KernelCreateInfo *low = nullptr, *high = nullptr, *absent = nullptr;
    REQUIRE(r.TryFindKernel(provider_name, "Relu", "", 13, {{"T", type<float>()}}, &low).IsOK());
    REQUIRE(r.TryFindKernel(provider_name, "Relu", "", 14, {{"T", type<float>()}}, &high).IsOK());
    CHECK(low->kernel_def->SinceVersion() == std::pair(6, 13));
    CHECK(high->kernel_def->SinceVersion().first == 14);
    CHECK_FALSE(r.TryFindKernel(provider_name, "Relu", "", 14, {{"T", type<double>()}}, &absent).IsOK());
    CHECK_FALSE(r.TryFindKernel(provider_name, "Relu", "com.microsoft", 14, {{"T", type<float>()}}, &absent).IsOK());
    CHECK_FALSE(r.TryFindKernel("OtherExecutionProvider", "Relu", "", 14, {{"T", type<float>()}}, &absent).IsOK());
    CHECK_FALSE(r.TryFindKernel(provider_name, "Relu", "", 5, {{"T", type<float>()}}, &absent).IsOK());
    CHECK(absent == nullptr);
}
TEST_CASE("Two kernels of a registry for the same node are an error", "[ort]") {
    KernelRegistry r;
    add(r, "Relu", 6, 13, {type<float>()}, scales(1));
    add(r, "Relu", 6, 13, {type<double>()}, scales(1));
    const error e = raised([&] {
        try {
            add(r, "Relu", 13, 14, {type<float>(), type<std::int8_t>()}, scales(1));
        } catch (const std::exception& thrown) {
            raise({error_code::invalid_argument, thrown.what()});
        }
    });
    CHECK(e.text == "two kernels of Relu for the same nodes: versions 6 to 13 and 13 to 14");
}
TEST_CASE("A kernel reads attributes and constant inputs of its node", "[ort]") {
    with_behaviour b;
    b.registry = std::make_shared<KernelRegistry>();
    float alpha = 0, beta = 0, element = 0;
    std::vector<std::int64_t> missing{1};
    bool first_is_constant = true;
    KernelDefBuilder def;
    def.SetName("Gemm").SinceVersion(13, 13).Provider("TestExecutionProvider");
    REQUIRE(b.registry
                ->Register(def,
                           [&](inlay::ort::FuncManager&, const OpKernelInfo& info, std::unique_ptr<OpKernel>& kernel) {
                               ORT_RETURN_IF_ERROR(info.GetAttr<float>("alpha", &alpha));
                               beta = info.GetAttrOrDefault<float>("beta", 1.f);
                               missing = info.GetAttrsOrDefault<std::int64_t>("none");
                               const Tensor* constant = nullptr;
                               first_is_constant = info.TryGetConstantInput(0, &constant);
                               ORT_RETURN_IF_NOT(info.TryGetConstantInput(1, &constant), "no constant");
                               element = constant->Data<float>()[1];
                               kernel = std::make_unique<FunctionKernel>(info, scales(1));
                               return Status::OK();
                           })
                .IsOK());
    const inlay::session s{model_of("g (float[1,2] x) => (float[1,1] y) <float[2,1] w = {3, 4}> "
                                    "{ y = Gemm <alpha = 0.5> (x, w) }"),
                           b, cpu{}};
    CHECK(line_of(s.plan(), "Gemm").provider == b.name);
    CHECK(alpha == 0.5f);
    CHECK(beta == 1.f);
    CHECK(missing.empty());
    CHECK_FALSE(first_is_constant);
    CHECK(element == 4.f);
}

TEST_CASE("Failures of Compute() reach the caller with their text", "[ort]") {
    const auto fails = [](OpKernelContext*) {
        return ORT_MAKE_STATUS(ONNXRUNTIME, FAIL, "the belt of number ", 3, " is torn");
    };
    const auto throws = [](OpKernelContext* c) -> Status {
        ORT_ENFORCE(c->InputCount() == 7, "inputs: ", c->InputCount());
        return Status::OK();
    };
    const auto throws_other = [](OpKernelContext*) -> Status { throw 5; };
    const auto wrong_shape = [](OpKernelContext* c) {
        (void)c->Output(0, {3});
        return Status::OK();
    };
    for (const bool fused : {false, true}) {
        CAPTURE(fused);
        const auto failure = [&](std::function<Status(OpKernelContext*)> f) {
            return failure_of(fused ? with_fused(std::move(f)) : with_kernel(std::move(f)), relu_text);
        };
        const error e = failure(fails);
        CHECK(e.code == error_code::provider_failed);
        CHECK(e.provider == "TestExecutionProvider");
        CHECK(has_text(e.text, "the belt of number 3 is torn"));
        CHECK(has_text(failure(throws).text, "Compute() threw: c->InputCount() == 7 was false. inputs: 1"));
        CHECK(has_text(failure(throws_other).text, "Compute() threw: something that is no std::exception"));
        CHECK(has_text(failure(wrong_shape).text, "output 0 has the shape {2}, and {3} is requested"));
        CHECK(failure([](OpKernelContext*) {
                  return ORT_MAKE_STATUS(ONNXRUNTIME, INVALID_ARGUMENT, "an index of 9");
              }).code == error_code::invalid_value);
    }
}
TEST_CASE("Failures of Compile() are the session's, or refuse the sub-graph where it is not implemented", "[ort]") {
    with_behaviour b = with_fused(scales(1));
    b.compile = [](const auto&, auto&) { return ORT_MAKE_STATUS(ONNXRUNTIME, EP_FAIL, "the compiler is on strike"); };
    CHECK(has_text(failure_of(b, relu_text).text, "the compiler is on strike"));
    b.compile = [](const auto&, auto&) -> Status { ORT_THROW("the compiler left"); };
    CHECK(has_text(failure_of(b, relu_text).text, "Compile() threw: the compiler left"));
    b.compile = [](const auto&, auto&) { return Status::OK(); };
    CHECK(has_text(failure_of(b, relu_text).text, "Compile() gave no function for the sub-graph"));
    b.compile = [](const auto&, std::vector<NodeComputeInfo>& infos) {
        NodeComputeInfo& info = infos.emplace_back();
        info.create_state_func = [](inlay::ort::ComputeContext*, inlay::ort::FunctionState*) { return 7; };
        info.compute_func = [](auto...) { return Status::OK(); };
        return Status::OK();
    };
    CHECK(has_text(failure_of(b, relu_text).text, "create_state_func gave 7"));
    b.compile = nullptr;  // the base class's
    const inlay::session s{model_of(relu_text), b, cpu{}};
    CHECK(floats(s.run({{"x", x2}})[0]) == std::vector{1.f, 0.f});
    CHECK(has_text(reason(line_of(s.plan(), "Relu"), b.name), "does not compile sub-graphs"));
}
TEST_CASE("What GetCapability() throws, and what it takes wrongly, the plan shows", "[ort]") {
    const auto plan_of = [](std::function<capabilities()> f, std::shared_ptr<KernelRegistry> registry = nullptr) {
        with_behaviour b = with_fused(scales(1));
        b.capability = [f = std::move(f)](const GraphViewer&) { return f(); };
        b.registry = std::move(registry);
        const inlay::session s{model_of(chain_text), b, cpu{}};
        CHECK(floats(s.run({{"x", x2}})[0]) == std::vector{2.f, 0.f});
        return s.plan();
    };
    const auto list = [](auto... c) {
        capabilities result;
        (result.push_back(std::move(c)), ...);
        return result;
    };
    const std::string_view name = with_behaviour::name;
    CHECK(reason(line_of(plan_of([]() -> capabilities { ORT_THROW("out of ideas"); }), "Add"), name) ==
          "GetCapability() threw: out of ideas");
    CHECK(reason(line_of(plan_of([&] { return list(take({1})); }), "Add"), name) == "it has no kernel registry");
    CHECK(reason(line_of(plan_of([&] {
                             return list(take({0, 1}));
                         }),
                         "Add"),
                 name) == "GetCapability() has it in a sub-graph of several nodes without a MetaDef");
    CHECK(has_text(reason(line_of(plan_of([&] {
                                      return list(take({1, 9}, {}, {}));
                                  }),
                                  "Add"),
                          name),
                   "a sub-graph with the node 9, which is in another one or was not free"));
    CHECK(has_text(reason(line_of(plan_of([&] {
                                      return list(take({0, 1}, {"x"}, {"no"}));
                                  }),
                                  "Add"),
                          name),
                   "its MetaDef names `no`"));
    CHECK(has_text(reason(line_of(plan_of([&] {
                                      return list(take({0, 1}, {}, {"b"}));
                                  }),
                                  "Add"),
                          name),
                   "its MetaDef lacks the input `x`"));
    CHECK(has_text(reason(line_of(plan_of([&] {
                                      return list(take({0, 1}, {"x"}, {}));
                                  }),
                                  "Add"),
                          name),
                   "its MetaDef lacks the output `b`"));
    CHECK(has_text(reason(line_of(plan_of([&] {
                                      return list(take({0, 1}, {"x", "a"}, {"b"}));
                                  }),
                                  "Add"),
                          name),
                   "`a` is made inside the sub-graph"));
    auto empty = std::make_shared<KernelRegistry>();
    CHECK(reason(line_of(plan_of([&] { return list(take({1})); }, empty), "Add"), name) ==
          "its registry has no kernel of Add");
}
TEST_CASE("Of sub-graphs that overlap the first is taken", "[ort]") {
    with_behaviour b = with_fused([](OpKernelContext* c) {  // y = 2 * max(x, 0) of both outputs
        const auto x = c->RequiredInput<Tensor>(0).DataAsSpan<float>();
        for (int k = 0; k < c->OutputCount(); ++k)
            for (size_t i = 0; i < x.size(); ++i)
                c->Output(k, {2})->MutableData<float>()[i] = float(k + 1) * std::max(x[i], 0.f);
        return Status::OK();
    });
    b.capability = [](const GraphViewer&) {
        capabilities result;
        result.push_back(take({0, 1}, {"x"}, {"a", "b"}));  // no other node reads a
        result.push_back(take({1, 2}, {"a", "x"}, {"y"}));
        return result;
    };
    const inlay::session s{model_of(chain_text), b, cpu{}};
    CHECK(floats(s.run({{"x", x2}})[0]) == std::vector{2.f, 0.f});
    CHECK(s.plan().count(b.name) == 2);
    CHECK(has_text(reason(line_of(s.plan(), "Relu", 1), b.name), "in a sub-graph with the node 1"));
}
TEST_CASE("A provider that is not what the list says cannot be opened, and says why", "[ort]") {
    with_behaviour b;
    b.type = "ElseExecutionProvider";
    const error e = failure_of(b, relu_text);
    CHECK(e.code == error_code::provider_unavailable);
    CHECK(e.text == "TestExecutionProvider: its type is `ElseExecutionProvider`");
    CHECK(raised([] {
              inlay::session{model_of(relu_text), absent{}, cpu{}};
          }).text == "AbsentExecutionProvider: its constructor threw: no driver");
}
namespace {
// As the documents write the constructor of a provider.
struct NamedExecutionProvider final : inlay::ort::IExecutionProvider {
    NamedExecutionProvider(const std::string& type, OrtDevice device) : IExecutionProvider(type, device) {}
    std::shared_ptr<KernelRegistry> GetKernelRegistry() const override {
        auto registry = std::make_shared<KernelRegistry>();
        KernelDefBuilder def;
        def.SetName("Relu").SinceVersion(14, open_end).Provider(Type());
        ORT_THROW_IF_ERROR(registry->Register(def, creates(scales(float(GetDeviceId())))));
        return registry;
    }
};
}  // namespace
TEST_CASE("A provider is made from its name and an OrtDevice, as the documents have it", "[ort]") {
    using named = inlay::ort::provider_of<NamedExecutionProvider, "NamedExecutionProvider">;
    const session s{model_of(relu_text), named{.device_id = 3}, cpu{}};
    CHECK(line_of(s.plan(), "Relu").provider == "NamedExecutionProvider");
    CHECK(floats(s.run({{"x", x2}})[0]) == std::vector{3.f, -6.f});
}
TEST_CASE("Runs at the same time call a provider's functions one at a time where it requires that", "[ort][threads]") {
    std::atomic<int> inside{0}, most{0}, runs{0};
    with_behaviour b = with_kernel([&](OpKernelContext* c) {
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
        ++runs;
        return scales(1)(c);
    });
    b.concurrent = false;
    const inlay::session s{model_of(relu_text), b, cpu{.threads = 1}};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 10; ++k) (void)s.run({{"x", x2}});
        });
    for (std::thread& t : threads) t.join();
    CHECK(most == 1);
    CHECK(runs == 40);
}
