// cuDNN plans convolutions for a device that is only described, so that this needs the library and no GPU.
#include "../../models.hpp"
#include "described_device.hpp"
#include <fstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct convolutions : described_device {
    std::vector<std::shared_ptr<dnn_plan>> plans(const conv_on_cuda_params& p,
                                                 const cuda& o = {
                                                     .cudnn_conv_algo_search = conv_algo_search::HEURISTIC}) const {
        return find_plans(target(), o, p);
    }
};
conv_on_cuda_params square(std::int64_t channels, std::int64_t out, std::int64_t size, std::int64_t kernel,
                           std::int64_t stride = 1, std::int64_t group = 1) {
    conv_on_cuda_params p;
    p.batch = 2, p.channels = channels, p.out_channels = out, p.group = group, p.height = p.width = size,
    p.kernel_h = p.kernel_w = kernel, p.stride_h = p.stride_w = stride;
    p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = kernel / 2;
    p.out_height = p.out_width = (size + 2 * (kernel / 2) - kernel) / stride + 1;
    return p;
}
plain_activation clip(double low, double high) {
    plain_activation a;
    a.kind = plain_activation::clip;
    a.a = low;
    a.b = high;
    return a;
}
const plain_activation relu = clip(0, std::numeric_limits<double>::infinity());
}  // namespace

TEST_CASE("cuDNN takes bias, residual and Relu of the usual convolutions into one plan", "[cuda]") {
    const convolutions d;
    for (conv_on_cuda_params p : {square(64, 64, 56, 3), square(64, 256, 56, 1), square(3, 64, 224, 7, 2),
                                  square(32, 32, 28, 3, 1, 4), square(5, 7, 29, 3), square(16, 16, 28, 3, 2)})
        for (bool addend : {false, true})
            for (auto search : {conv_algo_search::EXHAUSTIVE, conv_algo_search::HEURISTIC, conv_algo_search::DEFAULT}) {
                p.has_bias = true;
                p.has_addend = addend;
                p.activation = relu;
                const auto plans = d.plans(p, cuda{.cudnn_conv_algo_search = search});
                CAPTURE(p.channels, p.kernel_h, p.group, addend, int(search));
                REQUIRE(!plans.empty());
                CHECK(plans[0]->whole);
                if (search != conv_algo_search::EXHAUSTIVE) CHECK(plans.size() == 1);
            }
}
TEST_CASE("cuDNN plans the usual convolutions in 16 bits, in one plan and on tensor cores", "[cuda]") {
    const convolutions d;
    for (const element type : {element::f16, element::bf16})
        for (conv_on_cuda_params p : {square(64, 64, 56, 3), square(64, 256, 56, 1), square(3, 64, 224, 7, 2),
                                      square(32, 32, 28, 3, 1, 4), square(5, 7, 29, 3), square(16, 16, 28, 3, 2)})
            for (bool addend : {false, true})
                for (auto search :
                     {conv_algo_search::EXHAUSTIVE, conv_algo_search::HEURISTIC, conv_algo_search::DEFAULT}) {
                    p.type = type;
                    p.has_bias = true;
                    p.has_addend = addend;
                    p.activation = relu;
                    const auto plans = d.plans(p, cuda{.cudnn_conv_algo_search = search});
                    CAPTURE(name_of(type), p.channels, p.kernel_h, p.group, addend, int(search));
                    REQUIRE(!plans.empty());
                    CHECK(plans[0]->whole);
                }
    conv_on_cuda_params line = square(80, 128, 300, 1);  // one spatial axis, channels first
    line.type = element::f16;
    line.height = line.out_height = 1;
    line.plain = true;
    CHECK(!d.plans(line).empty());
}
TEST_CASE("cuDNN plans the convolutions without Winograd where every sum is to be direct", "[cuda]") {
    const convolutions d;
    for (const conv_on_cuda_params& p : {square(64, 64, 56, 3), square(512, 512, 7, 3), square(3, 64, 224, 7, 2)}) {
        CAPTURE(p.channels);
        CHECK(!d.plans(p, cuda{.precision = cuda_precision::strict}).empty());
        CHECK(d.plans(p, cuda{.precision = cuda_precision::strict}).size() <= d.plans(p, cuda{}).size());
    }
}
TEST_CASE("cuDNN plans transposed convolutions", "[cuda]") {
    const convolutions d;
    for (const element type : {element::f32, element::f16, element::bf16})
        for (const bool bias : {false, true})
            for (conv_on_cuda_params p : {square(64, 128, 28, 3, 2), square(32, 64, 56, 2, 2), square(16, 8, 29, 5),
                                          square(32, 32, 28, 4, 2, 4), square(21, 21, 64, 16, 8)}) {
                p.transposed = true;
                p.type = type;
                p.has_bias = bias;
                CAPTURE(name_of(type), bias, p.channels, p.kernel_h);
                CHECK(!d.plans(p).empty());
            }
}
TEST_CASE("What cuDNN cannot end with is planned as the convolution alone", "[cuda]") {
    const convolutions d;
    for (auto kind : {plain_activation::silu, plain_activation::hard_swish, plain_activation::hard_sigmoid}) {
        conv_on_cuda_params p = square(32, 96, 56, 1);
        p.has_bias = true;
        p.activation.kind = kind;
        const auto plans = d.plans(p);
        REQUIRE(!plans.empty());
        CHECK(!plans[0]->whole);
    }
    conv_on_cuda_params line = square(80, 128, 300, 1);  // one spatial axis, channels first
    line.height = line.out_height = 1;
    line.plain = true;
    CHECK(!d.plans(line).empty());
}
TEST_CASE("Clip to six is one plan, and the small workspace is kept", "[cuda]") {
    const convolutions d;
    conv_on_cuda_params p = square(32, 96, 56, 1);
    p.has_bias = true;
    p.activation = clip(0, 6);
    const auto plans = d.plans(p, cuda{.cudnn_conv_use_max_workspace = false});
    REQUIRE(!plans.empty());
    CHECK(plans[0]->whole);
    for (const auto& plan : plans) CHECK(plan->workspace <= 32 * 1024 * 1024);
}
TEST_CASE("A plan that was kept is found by the same shape, options, device and versions only", "[cuda]") {
    const convolutions d;
    const auto folder = std::filesystem::temp_directory_path() /
                        ("inlay_plans_" + std::to_string(std::hash<std::string>()(__DATE__ __TIME__)));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const plan_cache cache(folder, "H100, cuDNN 9"), elsewhere(folder, "H100, cuDNN 10");
    conv_on_cuda_params p = square(64, 64, 56, 3);
    p.has_bias = true;
    p.activation = relu;
    const cuda options;
    const std::string key = cache.key(options, p);
    CHECK(cache.find(d.target(), key) == nullptr);
    const auto plans = d.plans(p);
    REQUIRE(!plans.empty());
    REQUIRE(cache.keep(*plans[0], key));
    const auto plan = cache.find(d.target(), key);
    REQUIRE(plan);
    CHECK(plan->whole == plans[0]->whole);
    CHECK(plan->workspace == plans[0]->workspace);
    CHECK(cache.key(options, square(64, 64, 28, 3)) != key);
    CHECK(cache.key(cuda{.use_tf32 = true}, p) != key);
    conv_on_cuda_params half = p;
    half.type = element::f16;
    CHECK(cache.key(options, half) != key);
    CHECK(elsewhere.key(options, p) != key);
    CHECK(elsewhere.find(d.target(), elsewhere.key(options, p)) == nullptr);

    REQUIRE(std::ranges::distance(std::filesystem::directory_iterator(folder)) == 1);  // nothing unfinished is left
    const auto file = std::filesystem::directory_iterator(folder)->path();
    std::string text;
    {
        std::ifstream in(file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (const std::string& spoilt : {text.substr(0, text.size() / 2), text.substr(0, 3), std::string(), "x" + text,
                                      text.substr(0, text.find('{'))}) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << spoilt;
        CHECK(cache.find(d.target(), key) == nullptr);
    }
    std::filesystem::remove_all(folder);
    CHECK(!cache.keep(*plans[0], key));  // no folder: nothing is kept, and no harm done
}
