// Providers of the documents with memory of their own: where blocks are, and what is copied.
#include "../models.hpp"
#include <inlay/inlay.hpp>
#include <inlay/ort_provider.hpp>
#include <map>
using namespace inlay;
using namespace inlay::testing;

namespace {
namespace ort = inlay::ort;
using ort::OrtDevice;
using ort::Status;
using ort::Tensor;

// Host memory that plays the memory of two devices.
struct bench_log {
    std::map<const std::byte*, size_t> blocks;
    int in = 0, out = 0, constructed = 0, alive = 0;
    bool has(const void* p) const {
        auto at = blocks.upper_bound(static_cast<const std::byte*>(p));
        return at != blocks.begin() && (--at, static_cast<const std::byte*>(p) < at->first + at->second);
    }
};
bench_log logs[2];
struct faults {
    bool allocators = true, transfer = true, can_copy = true, memory = true, copies = true;
};
faults works;

class BenchAllocator final : public ort::IAllocator {
    bench_log& log_;

  public:
    explicit BenchAllocator(OrtDevice device)
        : IAllocator(ort::OrtMemoryInfo("Bench", ort::OrtDeviceAllocator, device, device.Id())),
          log_(logs[device.Id()]) {}
    void* Alloc(size_t size) override {
        if (!works.memory) return nullptr;
        auto* p = static_cast<std::byte*>(std::malloc(size + 8)) + 8;  // at no good alignment
        log_.blocks[p] = size;
        return p;
    }
    void Free(void* p) override {
        REQUIRE(log_.blocks.erase(static_cast<std::byte*>(p)) == 1);
        std::free(static_cast<std::byte*>(p) - 8);
    }
};
class BenchTransfer final : public ort::IDataTransfer {
    OrtDevice device_;

  public:
    explicit BenchTransfer(OrtDevice device) : device_(device) {}
    bool CanCopy(const OrtDevice& from, const OrtDevice& to) const override {
        return works.can_copy && ((from == OrtDevice() && to == device_) || (from == device_ && to == OrtDevice()));
    }
    Status CopyTensor(const Tensor& from, Tensor& to) const override {
        bench_log& log = logs[device_.Id()];
        const bool in = to.Location().device == device_;
        ORT_RETURN_IF_NOT(log.has(in ? to.DataRaw() : from.DataRaw()), "that is not the bench's memory");
        ORT_RETURN_IF_NOT(works.copies, "the cable is cut");
        std::memcpy(to.MutableDataRaw(), from.DataRaw(), from.SizeInBytes());
        ++(in ? log.in : log.out);
        return Status::OK();
    }
};
class BenchAdd final : public ort::OpKernel {
  public:
    explicit BenchAdd(const ort::OpKernelInfo& info) : OpKernel(info) {}
    Status Compute(ort::OpKernelContext* c) const override {
        const auto& log = logs[Info().GetExecutionProvider()->GetDeviceId()];
        const Tensor &a = c->RequiredInput<Tensor>(0), &b = c->RequiredInput<Tensor>(1);
        Tensor& y = c->RequiredOutput(0, a.Shape());
        for (const void* p : {a.DataRaw(), b.DataRaw(), std::as_const(y).DataRaw()})
            ORT_ENFORCE(log.has(p), "memory of the host on the bench");
        for (std::int64_t i = 0; i < a.Shape().Size(); ++i)
            y.MutableData<float>()[i] = a.Data<float>()[i] + b.Data<float>()[i];
        return Status::OK();
    }
};

// Adds; an instance takes sums of up to so many elements.
class BenchExecutionProvider final : public ort::IExecutionProvider {
    std::int64_t most_;

  public:
    explicit BenchExecutionProvider(int device_id, std::int64_t most = 1000)
        : IExecutionProvider("BenchExecutionProvider",
                             OrtDevice(OrtDevice::NPU, OrtDevice::MemType::DEFAULT, OrtDevice::DeviceId(device_id))),
          most_(most) {
        ++logs[GetDeviceId()].constructed;
        ++logs[GetDeviceId()].alive;
    }
    ~BenchExecutionProvider() override { --logs[GetDeviceId()].alive; }
    std::vector<std::unique_ptr<ort::ComputeCapability>> GetCapability(const ort::GraphViewer& graph,
                                                                       const IKernelLookup& lookup) const override {
        auto capabilities = IExecutionProvider::GetCapability(graph, lookup);
        std::erase_if(capabilities, [&](const auto& c) {
            const auto* shape = graph.GetNode(c->sub_graph->nodes[0])->OutputDefs()[0]->Shape();
            return shape->dim(0).dim_value() > most_;
        });
        return capabilities;
    }
    std::shared_ptr<ort::KernelRegistry> GetKernelRegistry() const override {
        auto registry = std::make_shared<ort::KernelRegistry>();
        ORT_THROW_IF_ERROR(registry->Register(
            ort::KernelDefBuilder().SetName("Add").SinceVersion(7, 14).Provider("BenchExecutionProvider"),
            [](ort::FuncManager&, const ort::OpKernelInfo& info, std::unique_ptr<ort::OpKernel>& kernel) {
                kernel = std::make_unique<BenchAdd>(info);
                return Status::OK();
            }));
        return registry;
    }
    std::unique_ptr<ort::IDataTransfer> GetDataTransfer() const override {
        if (!works.transfer) return nullptr;
        return std::make_unique<BenchTransfer>(GetDevice());
    }
    std::vector<ort::AllocatorPtr> CreatePreferredAllocators() override {
        if (!works.allocators) return {};
        return {std::make_shared<BenchAllocator>(GetDevice())};
    }
};
using bench_memory = ort::device_memory<"bench">;
using bench = ort::provider_of<BenchExecutionProvider, "BenchExecutionProvider", bench_memory>;
struct small_bench {  // the same with an option
    int device_id = 0;
    std::int64_t most = 1000;
    using memory = bench_memory;
    static constexpr std::string_view name = "BenchExecutionProvider";
    result<std::shared_ptr<engine>> open() const {
        return ort::open_engine<memory>(name, device_id,
                                        [this] { return std::make_shared<BenchExecutionProvider>(device_id, most); });
    }
};
struct cleared {
    cleared() { clear(); }
    ~cleared() {
        for (const bench_log& log : logs) {
            CHECK(log.blocks.empty());
            CHECK(log.alive == 0);
        }
        clear();
    }
    static void clear() {
        for (bench_log& log : logs) log = {};
        works = {};
    }
};
const tensor x2({2}, {1.f, -2.f}), x3({3}, {1.f, 2.f, 3.f});
}  // namespace

TEST_CASE("Of each tensor at a boundary exactly one copy goes in and one out", "[ort]") {
    const cleared guard;
    // On the bench: a, b and c; x and the constant w go in, c comes out for the CPU.
    const inlay::session s{model_of("g (float[2] x) => (float[2] y) <float[2] w = {5, 6}> "
                                    "{ a = Add(x, w) b = Add(a, x) c = Add(b, a) d = Mul(c, c) y = Sub(d, c) }"),
                           bench{}, cpu{}};
    const int constants = logs[0].in;
    CHECK(constants <= 1);
    for (int run = 1; run <= 3; ++run) {
        logs[0].in = logs[0].out = 0;
        const std::vector<float> y = floats(s.run({{"x", x2}})[0]);  // c = 3x + 2w
        CHECK(y == std::vector{13.f * 13 - 13, 6.f * 6 - 6});
        CHECK(logs[0].in == 1);
        CHECK(logs[0].out == 1);
    }
    const plan_report plan = s.plan();
    CHECK(plan.count(bench::name) == 3);
    REQUIRE(plan.transfers.size() == 2);
    CHECK(plan.transfers[0].to == "bench");
}
TEST_CASE("Two instances of one provider, with the devices 0 and 1, live in one session", "[ort]") {
    const cleared guard;
    const inlay::session s{model_of("g (float[2] x, float[3] z) => (float[2] a, float[3] b) "
                                    "{ a = Add(x, x) b = Add(z, z) }"),
                           small_bench{.device_id = 0, .most = 2}, small_bench{.device_id = 1}, cpu{}};
    CHECK(logs[0].constructed == 1);
    CHECK(logs[1].constructed == 1);
    const fetched y = s.run({{"x", x2}, {"z", x3}});
    CHECK(floats(y[0]) == std::vector{2.f, -4.f});
    CHECK(floats(y[1]) == std::vector{2.f, 4.f, 6.f});
    for (const bench_log& log : logs) {
        CHECK(log.in == 1);
        CHECK(log.out == 1);
    }
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Add", 0).provider == "BenchExecutionProvider:0");
    CHECK(line_of(plan, "Add", 1).provider == "BenchExecutionProvider:1");
}
TEST_CASE("A tensor in a provider's memory keeps the provider that copies it", "[ort]") {
    const cleared guard;
    tensor block;
    {
        const inlay::session s{model_of("g (float[2] x) => (float[2] y) { y = Add(x, x) }"), bench{}, cpu{}};
        (void)s.run({{"x", x2}});
        block = tensor(element::f32, {2}, space_of<bench_memory>);
        CHECK(logs[0].has(block.data()));
        CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % 64 == 0);
    }
    CHECK(logs[0].alive == 1);
    const int before = logs[0].in;
    CHECK(space_of<bench_memory>.from_host(const_cast<void*>(block.data()), x2.data(), 8));
    float back[2] = {};
    CHECK(space_of<bench_memory>.to_host(back, block.data(), 8));
    CHECK(back[1] == -2.f);
    CHECK(logs[0].in == before + 1);
    block = {};
    CHECK(logs[0].alive == 0);
    const error e = raised([] { tensor(element::f32, {2}, space_of<bench_memory>); });
    CHECK(e.code == error_code::provider_unavailable);
    CHECK(e.text == "no provider with memory `bench` of the device 0 is open");
}
TEST_CASE("What a provider with memory of its own lacks is an error with its reason", "[ort]") {
    const cleared guard;
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Add(x, x) }");
    const auto failure = [&] {
        const error e = raised([&] { (void)inlay::session{m, bench{}, cpu{}}.run({{"x", x2}}); });
        works = {};
        return e;
    };
    works.transfer = false;
    CHECK(failure().text == "BenchExecutionProvider: GetDataTransfer() gives nothing that copies to its memory");
    works.allocators = false;
    CHECK(failure().text ==
          "BenchExecutionProvider: CreatePreferredAllocators() has none for the device of type 3, number 0");
    works.can_copy = false;
    CHECK(failure().text ==
          "BenchExecutionProvider: its IDataTransfer cannot copy between the host and the device of type 3, number 0");
    works.memory = false;
    CHECK(failure().code == error_code::out_of_memory);
    works.copies = false;
    CHECK(failure().code == error_code::provider_failed);
    using on_host = ort::provider_of<BenchExecutionProvider, "BenchExecutionProvider">;
    CHECK(raised([&] {
              inlay::session{m, on_host{}, cpu{}};
          }).text ==
          "BenchExecutionProvider: its GetDataTransfer() copies to memory of its own, which has no tag here");
}
