// Sessions over a host implementation of HIP's library, which INLAY_HIP_LIBRARY names: what is called, in which order,
// and that all is given back. Kernels are not run there, so that results are not looked at.
#include "../../models.hpp"
#include "../../skip.hpp"
#include "on_host/hip.hpp"
#include <inlay/any_session.hpp>
#include <inlay/provider/rocm.hpp>
#include <dlfcn.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const text = "two (float[4] x) => (float[4] y) { a = Add(x, x) y = Relu(a) }";
const tensor x({4}, {1.f, 2.f, 3.f, 4.f});
hip_host_counts& host() {
    const char* const file = std::getenv("INLAY_HIP_LIBRARY");
    void* const library = file ? dlopen(file, RTLD_NOW) : nullptr;
    if (!library) SKIP("INLAY_HIP_LIBRARY names no library");
    return *reinterpret_cast<hip_host_counts* (*)()>(dlsym(library, "inlay_hip_host"))();
}
}  // namespace

TEST_CASE("A session has its kernels launched, copies each value once, and gives all back", "[rocm]") {
    hip_host_counts& hip = host();
    const hip_host_counts before = hip;
    {
        inlay::session s{model_of(text), rocm_provider{}, cpu{}};
        CHECK(std::size_t(s.plan().count(rocm_provider::name)) == s.plan().nodes.size());
        (void)s.run({{"x", x}});
        CHECK(hip.copies == before.copies + 2);
        CHECK(hip.launches > before.launches);
        CHECK(has_text(hip.last_kernel, "launching"));
        CHECK(hip.streams > before.streams);
    }
    CHECK(hip.memory == before.memory);
    CHECK(hip.streams == before.streams);
    CHECK(hip.events == before.events);
    CHECK(hip.wrong == nullptr);
}
TEST_CASE("Steps are recorded once and replayed from then on", "[rocm]") {
    hip_host_counts& hip = host();
    const hip_host_counts before = hip;
    {
        inlay::session s{model_of("two (float[4,4] x) => (float[4,4] y) { a = MatMul(x, x) y = Softmax(a) }"),
                         rocm_provider{.enable_hip_graph = true}, cpu{}};
        for (int i = 0; i < 5; ++i) (void)s.run({{"x", tensor(element::f32, {4, 4})}});
        CHECK(hip.recorded == before.recorded + 1);
        CHECK(hip.replayed >= before.replayed + 3);
    }
    CHECK(hip.graphs == before.graphs);
    CHECK(hip.wrong == nullptr);
}
TEST_CASE("Copies in a stream of their own are ordered by events", "[rocm]") {
    hip_host_counts& hip = host();
    const int streams = hip.streams;
    inlay::session s{model_of(text), rocm_provider{.do_copy_in_default_stream = false}, cpu{}};
    (void)s.run({{"x", x}});
    CHECK(hip.streams >= streams + 2);
    CHECK(hip.wrong == nullptr);
}
TEST_CASE("Products and convolutions are kernels of the program too", "[rocm]") {
    hip_host_counts& hip = host();
    const int launches = hip.launches;
    inlay::session s{model_of("product (float[4,4] a, float[4,4] b) => (float[4,4] y) { y = MatMul(a, b) }"),
                     rocm_provider{}, cpu{}};
    CHECK(s.plan().count(rocm_provider::name) == 1);
    (void)s.run({{"a", tensor(element::f32, {4, 4})}, {"b", tensor(element::f32, {4, 4})}});
    CHECK(hip.launches == launches + 1);
    CHECK(has_text(hip.last_kernel, "product_body"));
    CHECK(hip.wrong == nullptr);
}
TEST_CASE("More memory than gpu_mem_limit is refused with the request, use and limit", "[rocm]") {
    (void)host();
    const error e = raised([] {
        inlay::session s{model_of("large (float[100000] x) => (float[100000] y) { y = Add(x, x) }"),
                         rocm_provider{.gpu_mem_limit = 4096}, cpu{}};
        (void)s.run({{"x", tensor(element::f32, {100000})}});
    });
    CHECK(e.code == error_code::out_of_memory_limit);
    CHECK(e.provider == rocm_provider::name);
    CHECK(has_text(e.text, "limit 4096"));
}
TEST_CASE("Devices are listed; one that is not there, and one without code, are refused with the reason", "[rocm]") {
    hip_host_counts& hip = host();
    const device_inventory inventory = rocm_provider::inventory();
    CHECK(inventory.unusable.empty());
    REQUIRE(inventory.devices.size() == 2);
    const auto error_text = [](int device) {
        return raised([=] { inlay::session(model_of(text), rocm_provider{.device_id = device}, cpu{}); }).text;
    };
    CHECK(has_text(error_text(2), "there is no device 2; this machine has 2"));
    hip.lacks_code = true;
    CHECK(has_text(error_text(1), "a host is gfx000, for which this program has no code"));
    hip.lacks_code = false;
}
