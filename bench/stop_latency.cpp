// stop_latency [LEVEL]: how long a run continues after a stop request, in the middle of one large MatMul. Prints
// the times in ms.
#include <inlay/cpu/onnx/matmul.hpp>
#include <inlay/embedded.hpp>
#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

constexpr std::int64_t size = 6144;
static std::byte zeros[size * size * 4];
struct product {
    static constexpr inlay::value values[] = {{"a", inlay::element::f32, {size, size}},
                                              {"b", inlay::element::f32, {size, size}, 0},
                                              {"y", inlay::element::f32, {size, size}}};
    static constexpr int edges[] = {0, 1, 2};
    static constexpr inlay::node nodes[] = {{"product", "", "MatMul", 13, {}, {0, 2}, {2, 1}}};
    static constexpr std::string_view name = "product", input_names[] = {"a"}, output_names[] = {"y"},
                                      weights_file = "";
    static constexpr inlay::shape input_shapes[] = {{size, size}};
    static constexpr inlay::graph_view graph{
        nodes, {}, values, {}, edges, std::span(edges, 1), std::span(edges + 2, 1), {}, {}, {}, {}, {}, name};
    static constexpr std::array<inlay::dimension, 0> dimensions{};
    static constexpr std::array<std::int64_t, 1> constants{};
    static constexpr std::int64_t weight_bytes = sizeof zeros;
    static constexpr inlay::weights_place place = inlay::weights_place::embedded;
    static const std::byte* weights() noexcept { return zeros; }
    using operators = inlay::pack<inlay::op::matmul>;
};

int main(int count, char** words) {
    using clock = std::chrono::steady_clock;
    const auto ms = [](clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    const auto level = count > 1 ? inlay::isa::from_text(words[1]) : std::nullopt;
    const inlay::weights<product, inlay::cpu> w{inlay::cpu{.threads = 1, .isa = level, .flush_denormals = false}};
    inlay::embedded net{w};
    const auto start = clock::now();
    if (net.run() != inlay::status::ok) {
        std::printf("failed: %s\n", net.why().data());
        return 1;
    }
    const double whole = ms(clock::now() - start);
    std::vector<double> late;
    for (int i = 0; i < 100; ++i) {
        const auto deadline = clock::now() + std::chrono::milliseconds(5 + i % 50);
        if (net.run({.stop = nullptr, .deadline = deadline}) != inlay::status::deadline_passed) {
            std::printf("it was not stopped\n");
            return 1;
        }
        late.push_back(ms(clock::now() - deadline));
    }
    std::ranges::sort(late);
    std::printf(
        "{\"level\": \"%s\", \"whole_ms\": %.1f, \"late_ms\": {\"median\": %.3f, \"p90\": %.3f, \"most\": %.3f}}\n",
        inlay::isa::name_of(net.level()).data(), whole, late[50], late[90], late.back());
}
