// Models on a GPU compared with the reference kernels. Where there is none these tests are skipped.
#include "present.hpp"
#include <filesystem>
#include <random>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A network runs on TensorRT RTX, one engine for each size of its inputs", "[tensorrt][device]") {
    need_device();
    check_sizes(nv_tensorrt_rtx{}, {1, 3, 1, 2});
}
TEST_CASE("Runs of several threads have contexts of their own", "[tensorrt][device]") {
    need_device();
    check_threads(nv_tensorrt_rtx{});
}
TEST_CASE("A run over TensorRT RTX stops on request", "[tensorrt][device]") {
    need_device();
    check_stop(nv_tensorrt_rtx{});
}
TEST_CASE("A binding over TensorRT RTX writes into memory of the caller", "[tensorrt][device]") {
    need_device();
    check_binding(nv_tensorrt_rtx{});
}
TEST_CASE("Elements of each type go to the device and come back", "[tensorrt][device]") {
    need_device();
    check_taken(nv_tensorrt_rtx{},
                "g (float[5] x) => (float[5] y) { h = Cast <to = 10> (x) a = Add(h, h) y = Cast <to = 1> (a) }", {5});
    check_taken(nv_tensorrt_rtx{},
                "g (float[5] x) => (float[5] y) { h = Cast <to = 7> (x) a = Add(h, h) y = Cast <to = 1> (a) }", {5});
    check_taken(nv_tensorrt_rtx{},
                "g (float[5] x) => (float[5] y) { h = Cast <to = 6> (x) a = Mul(h, h) y = Cast <to = 1> (a) }", {5});
}
TEST_CASE("An engine that was made without a device runs on one", "[tensorrt][device]") {
    need_device();
    namespace fs = std::filesystem;
    const fs::path file =
        fs::temp_directory_path() / ("inlay-tensorrt-test-" + std::to_string(std::random_device()()) + "_ctx.onnx");
    const model m = model_of(network_for("2"));
    const inlay::session builder{m, quiet(), nowhere, cpu{}};
    CHECK(builder.save(file, {.keep_original = false}).regions == 1);
    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    const inlay::session s{model(file), strict, nv_tensorrt_rtx{}, cpu{}};
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    for (int run = 0; run < 3; ++run)
        check_close(floats(s.run(in)[0]), floats(inlay::session{m, reference{}}.run(in)[0]));
    fs::remove(file);
}
TEST_CASE("Runs that are recorded have the same results", "[tensorrt][device]") {
    need_device();
    check_sizes(nv_tensorrt_rtx{.enable_cuda_graph = true}, {1, 3, 1, 2});
    check_threads(nv_tensorrt_rtx{.enable_cuda_graph = true});
}
TEST_CASE("What is compiled for the device is kept in a folder, and read by a later session", "[tensorrt][device]") {
    need_device();
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("inlay-tensorrt-test-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    const nv_tensorrt_rtx cached{.nv_runtime_cache_path = folder.string()};
    std::vector<std::uintmax_t> sizes;
    for (int k = 0; k < 2; ++k) {
        check_sizes(cached, {2});
        REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 1);
        sizes.push_back(fs::directory_iterator(folder)->file_size());
    }
    CHECK(sizes[0] > 100);
    CHECK(sizes[0] == sizes[1]);
    fs::remove_all(folder);
}
