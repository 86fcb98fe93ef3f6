// The library's entry points, called by an ONNX Runtime that is none: what a real one never does, or an old one.
#include "catch.hpp"
#include "src/compat/ort/plugin/abi.hpp"
#include <array>
#include <dlfcn.h>
#include <memory>
#include <string>

namespace {
using namespace inlay::ep;
struct failure {
    ort_error code;
    std::string text;
};
OrtStatus* make_status(ort_error code, const char* text) {
    return reinterpret_cast<OrtStatus*>(new failure{code, text});
}
std::unique_ptr<failure> taken(OrtStatus* s) { return std::unique_ptr<failure>(reinterpret_cast<failure*>(s)); }

const OrtEpApi* no_provider_functions() { return nullptr; }
// The functions that are called before there is a session; the others are null.
const OrtApi* functions() {
    static const auto places = [] {
        std::array<void*, 400> table{};
        table[std::size_t(create_status.place)] = reinterpret_cast<void*>(&make_status);
        table[std::size_t(provider_api.place)] = reinterpret_cast<void*>(&no_provider_functions);
        return table;
    }();
    return reinterpret_cast<const OrtApi*>(places.data());
}
constexpr OrtApiBase older{[](std::uint32_t version) noexcept { return version > 23 ? nullptr : functions(); },
                           []() noexcept { return "1.23.2"; }};
constexpr OrtApiBase newer{[](std::uint32_t) noexcept { return functions(); }, []() noexcept { return "1.99.0"; }};

using create_factories = OrtStatus*(const char*, const OrtApiBase*, const OrtLogger*, factory_table**, std::size_t,
                                    std::size_t*);
using release_factory = OrtStatus*(factory_table*);
template <class F> F* function(const char* name) {
    static void* const library = dlopen(ONNXRUNTIME_EP, RTLD_NOW | RTLD_LOCAL);
    INFO((library ? "" : dlerror()));
    REQUIRE(library);
    void* const address = dlsym(library, name);
    REQUIRE(address);
    return reinterpret_cast<F*>(address);
}
}  // namespace

TEST_CASE("An ONNX Runtime that is too old gets an error with the version that would do") {
    factory_table* factory = nullptr;
    std::size_t count = 9;
    const auto refusal =
        taken(function<create_factories>("CreateEpFactories")("inlay", &older, nullptr, &factory, 1, &count));
    REQUIRE(refusal);
    CHECK(refusal->code == ort_error::not_implemented);
    CHECK(refusal->text == "Inlay's library needs ONNX Runtime 1.24 or newer; this is 1.23.2");
    CHECK(count == 0);
    CHECK_FALSE(factory);
}
TEST_CASE("A caller without room for a factory gets an error and no factory") {
    factory_table* factory = nullptr;
    std::size_t count = 9;
    const auto refusal =
        taken(function<create_factories>("CreateEpFactories")("inlay", &newer, nullptr, &factory, 0, &count));
    REQUIRE(refusal);
    CHECK(refusal->code == ort_error::invalid_argument);
    CHECK(count == 0);
    CHECK_FALSE(factory);
}
TEST_CASE("The factory that the library creates has its names and has every function that ONNX Runtime calls unasked") {
    factory_table* factory = nullptr;
    std::size_t count = 0;
    REQUIRE_FALSE(function<create_factories>("CreateEpFactories")("inlay", &newer, nullptr, &factory, 4, &count));
    REQUIRE(count == 1);
    CHECK(factory->version == struct_version);
    CHECK(factory->name(factory) == std::string("InlayExecutionProvider"));
    CHECK(factory->vendor(factory) == std::string("Inlay"));
    CHECK(factory->provider_version(factory) == std::string(INLAY_VERSION));
    CHECK(factory->vendor_id(factory) == 0);
    CHECK_FALSE(factory->is_stream_aware(factory));
    std::size_t devices = 9;
    OrtEpDevice* device = nullptr;
    CHECK_FALSE(factory->supported_devices(factory, nullptr, 0, &device, 1, &devices));
    CHECK(devices == 0);
    auto* allocator = reinterpret_cast<OrtAllocator*>(&count);
    CHECK_FALSE(factory->create_allocator(factory, nullptr, nullptr, &allocator));
    CHECK_FALSE(allocator);
    factory->release_allocator(factory, nullptr);
    auto* transfer = reinterpret_cast<OrtDataTransferImpl*>(&count);
    CHECK_FALSE(factory->create_data_transfer(factory, &transfer));
    CHECK_FALSE(transfer);
    auto* stream = reinterpret_cast<OrtSyncStreamImpl*>(&count);
    CHECK_FALSE(factory->create_sync_stream(factory, nullptr, nullptr, &stream));
    CHECK_FALSE(stream);
    CHECK_FALSE(function<release_factory>("ReleaseEpFactory")(factory));
}
