// Micro-benchmarks of the CPU kernels on the shapes of well-known models, compared with what the processor reaches at
// the same moment: `of_peak` is the share of its multiply-adds per second, for integers times the elements of a word,
// `of_read` of the bytes per second that it reads from memory. cold: weights and data were not in the caches. INLAY_ISA
// chooses the instruction set, INLAY_THREADS the threads.
//     kernels --benchmark_filter=gemm
#include "one_node.hpp"
#include <inlay/cpu/isa/gemm_u8s8.hpp>
#include <inlay/cpu/isa/peak_f32.hpp>
#include <benchmark/benchmark.h>

// The operators that are measured.
#include <inlay/fused/attention.hpp>
#include <inlay/fused/tile_program.hpp>
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/binary.hpp>
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_integer.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <inlay/onnx/gemm.hpp>
#include <inlay/onnx/gru.hpp>
#include <inlay/onnx/layer_normalization.hpp>
#include <inlay/onnx/lrn.hpp>
#include <inlay/onnx/lstm.hpp>
#include <inlay/onnx/matmul_integer.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>
#include <inlay/onnx/resize.hpp>
#include <inlay/onnx/softmax.hpp>
#include <inlay/onnx/transpose.hpp>
#include <inlay/onnx/unary.hpp>
#include <chrono>
#include <cstdlib>

namespace inlay::bench {
namespace {
struct machine {
    isa::level level;
    int threads;
    std::vector<float> memory = std::vector<float>(64'000'000, 1.f);  // 256 MB: no cache holds it
};
machine& here() {
    static machine m = [] {
        const auto level = isa::choose(std::nullopt);
        if (!level) throw std::runtime_error("INLAY_ISA names an instruction set that this machine lacks");
        const char* threads = std::getenv("INLAY_THREADS");
        return machine{*level, threads ? std::max(1, std::atoi(threads)) : 1};
    }();
    return m;
}
template <class F> double seconds(F work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double sink;                // unused results, kept
double flop_per_second() {  // of one core, now
    const peak_f32_table& loops = peak_f32(here().level);
    double best = 1;
    for (int i = 0; i < 5; ++i)
        best = std::min(best, seconds([&] { sink = double(loops.multiply_add(100'000, 1.f)); }));
    return 1e5 * double(loops.flop) / best;
}
double bytes_per_second() {
    const std::vector<float>& memory = here().memory;
    return double(memory.size()) * 4 /
           seconds([&] { sink = double(peak_f32(here().level).read(memory.data(), std::int64_t(memory.size()))); });
}

struct work {  // speed: of its multiply-adds, relative to float32's at the same number of instructions
    double flop = 0;
    bool cold = false;
    double speed = 1;
};
// The peak is measured before and after, since the clock moves; the greater counts.
void measure(benchmark::State& state, one_node& node, const work& w) {
    const int threads = here().threads;
    double peak = w.flop > 0 ? flop_per_second() : 0, total = 0;
    std::int64_t runs = 0;
    for (auto _ : state) {
        if (w.cold) bytes_per_second();
        const double s = seconds([&] {
            if (node.run() != status::ok) state.SkipWithError("run() failed");
        });
        state.SetIterationTime(s);
        total += s;
        ++runs;
    }
    if (w.flop > 0) {
        peak = std::max(peak, flop_per_second());
        state.counters["GFLOP/s"] = w.flop * double(runs) / total / 1e9;
        state.counters["of_peak"] = w.flop * double(runs) / total / (peak * w.speed * threads);
    }
    state.counters["GB/s"] = double(node.bytes) * double(runs) / total / 1e9;
    if (w.cold || w.flop == 0)
        state.counters["of_read"] = double(node.bytes) * double(runs) / total / bytes_per_second();
}
template <class Op>
void add(const std::string& name, std::vector<input> inputs, attributes with, double flop, bool cold = false,
         int results = 1) {
    benchmark::RegisterBenchmark(
        (name + (cold ? "/cold" : "")).c_str(),
        [=](benchmark::State& state) {
            try {
                measure(state, *one_node::make<Op>(inputs, with, results, here().level, here().threads), {flop, cold});
            } catch (const std::exception& e) {
                state.SkipWithError(e.what());
            }
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
}

template <class Op>
void add_integers(const std::string& name, std::vector<input> inputs, attributes with, double flop,
                  element output_type) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                     try {
                                         const auto node = one_node::make<Op>(inputs, with, 1, here().level,
                                                                              here().threads, output_type);
                                         measure(state, *node, {flop, false, double(gemm_u8s8_group(here().level))});
                                     } catch (const std::exception& e) {
                                         state.SkipWithError(e.what());
                                     }
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
}
void add_matmul_integer(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k) {
    add_integers<op::matmul_integer>(
        name, {{{m, k}, false, element::u8}, {{k, n}, true, element::i8}, {{}, false, element::u8}}, {},
        2. * double(m * n * k), element::i32);
}

struct convolution_of {
    std::int64_t side, in, out, kernel, stride = 1, group = 1;
};
attributes attributes_of(const convolution_of& c) {
    return [=](graph_data& g) {
        const std::int64_t pad = c.kernel / 2, strides[] = {c.stride, c.stride}, pads[] = {pad, pad, pad, pad};
        return std::vector{g.make("strides", std::span(strides)), g.make("pads", std::span(pads)),
                           g.make("group", c.group)};
    };
}
double flop_of(const convolution_of& c) {
    const std::int64_t result = (c.side + c.kernel / 2 * 2 - c.kernel) / c.stride + 1;
    return 2. * double(result * result * c.out * c.in / c.group * c.kernel * c.kernel);
}
void add_conv(const std::string& name, convolution_of c, bool cold = false) {
    add<op::conv>(name,
                  {{{1, c.in, c.side, c.side}}, {{c.out, c.in / c.group, c.kernel, c.kernel}, true}, {{c.out}, true}},
                  attributes_of(c), flop_of(c), cold);
}
void add_qlinear_conv(const std::string& name, convolution_of c) {
    const input scale{{}, true}, zero{{}, true, element::u8};
    add_integers<op::qlinear_conv>(name,
                                   {{{1, c.in, c.side, c.side}, false, element::u8},
                                    scale,
                                    zero,
                                    {{c.out, c.in / c.group, c.kernel, c.kernel}, true, element::i8},
                                    {{c.out}, true},
                                    {{}, true, element::i8, true},
                                    scale,
                                    zero,
                                    {{c.out}, true, element::i32}},
                                   attributes_of(c), flop_of(c), element::u8);
}
// Over one or three axes of the same stride; pads keep the size.
void add_conv(const std::string& name, std::vector<std::int64_t> sides, std::int64_t in, std::int64_t out,
              std::vector<std::int64_t> kernel, std::int64_t stride = 1) {
    shape x{1, in}, w{out, in};
    std::vector<std::int64_t> pads(2 * sides.size());
    double flop = 2. * double(in * out);
    for (std::size_t i = 0; i < sides.size(); ++i) {
        x.push_back(sides[i]);
        w.push_back(kernel[i]);
        pads[i] = pads[i + sides.size()] = kernel[i] / 2;
        flop *= double(kernel[i] * ((sides[i] + 2 * pads[i] - kernel[i]) / stride + 1));
    }
    add<op::conv>(
        name, {{x}, {w, true}, {{out}, true}},
        [=](graph_data& g) {
            const std::vector<std::int64_t> strides(sides.size(), stride);
            return std::vector{g.make("strides", std::span<const std::int64_t>(strides)),
                               g.make("pads", std::span<const std::int64_t>(pads))};
        },
        flop);
}
void add_gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, bool cold = false) {
    add<op::gemm>(name, {{{m, k}}, {{k, n}, true}, {{n}, true}}, {}, 2. * double(m * n * k), cold);
}
void add_attention(const std::string& name, std::int64_t rows, std::int64_t heads, std::int64_t size) {
    const shape dims{1, rows, heads * size};
    add<op::attention>(
        name, {{dims}, {dims}, {dims}},
        [=](graph_data& g) {
            return std::vector{g.make("heads", heads), g.make("size", size), g.make("value_size", size),
                               g.make("scale", 1 / std::sqrt(double(size)))};
        },
        4. * double(heads * rows * rows * size));
}
attributes integers(std::string name, std::vector<std::int64_t> values) {
    return [=](graph_data& g) { return std::vector{g.make(name, std::span<const std::int64_t>(values))}; };
}
attributes integer(std::string name, std::int64_t value) {
    return [=](graph_data& g) { return std::vector{g.make(name, value)}; };
}
attributes window(std::int64_t size, std::int64_t stride, std::int64_t pad) {
    return [=](graph_data& g) {
        const std::int64_t kernel[] = {size, size}, strides[] = {stride, stride}, pads[] = {pad, pad, pad, pad};
        return std::vector{g.make("kernel_shape", std::span(kernel)), g.make("strides", std::span(strides)),
                           g.make("pads", std::span(pads))};
    };
}

void add_program(std::int64_t n) {  // of ten operators, over two inputs of n numbers and two of one; next to as many
                                    // binary/ and unary/
    add<op::tile_program>(
        "tile_program/10 operators " + std::to_string(n), {{{n}}, {{n}}, {{1}}, {{1}}},
        [](graph_data& g) {
            const std::string_view operators[] = {"Mul",  "Add", "Relu", "Mul",  "Sub",
                                                  "Clip", "Mul", "Add",  "Relu", "Mul"};
            const std::int64_t operands[] = {0, 2, 4, 3, 5, -1, 6, 1, 7, 0, 8, -1, 9, 2, 10, 1, 11, -1, 12, 3};
            double numbers[20]{};
            numbers[10] = -1;
            numbers[11] = 1;  // of Clip
            return std::vector{g.make("operators", std::span(operators)), g.make("operands", std::span(operands)),
                               g.make("numbers", std::span<const double>(numbers))};
        },
        0);
}

void add_products() {
    for (std::int64_t n : {256, 512, 1024}) add_gemm("gemm/" + std::to_string(n), n, n, n);
    for (std::int64_t m : {1, 16, 128})
        for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{768, 768}, {3072, 768}, {768, 3072}}) {
            const std::string size =
                "/bert_base " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
            add_gemm("gemm" + size, m, n, k);
            add_matmul_integer("matmul_integer" + size, m, n, k);
        }
    add_gemm("gemm/minilm 128x1536x384", 128, 1536, 384);
    add_gemm("gemm/resnet50 1x1000x2048", 1, 1000, 2048, true);
    add_gemm("gemm/gpt2 1x2304x768", 1, 2304, 768, true);
    add_gemm("gemm/vgg19 1x4096x25088", 1, 4096, 25088, true);
}
void add_convolutions() {
    for (convolution_of c : {convolution_of{56, 64, 256, 1},
                             {56, 256, 64, 1},
                             {28, 512, 128, 1},
                             {14, 256, 1024, 1},
                             {14, 1024, 256, 1},
                             {7, 512, 2048, 1}})
        add_conv(
            "conv1x1/resnet50 " + std::to_string(c.side) + "x" + std::to_string(c.in) + ">" + std::to_string(c.out), c);
    add_conv("conv1x1/resnet50 7x512>2048", {7, 512, 2048, 1}, true);
    for (convolution_of c : {convolution_of{56, 64, 64, 3}, {28, 128, 128, 3}, {14, 256, 256, 3}, {7, 512, 512, 3}})
        add_conv("conv3x3/resnet50 " + std::to_string(c.side) + "x" + std::to_string(c.in), c);
    add_conv("conv3x3s2/resnet50 56x128", {56, 128, 128, 3, 2});
    add_conv("conv7x7s2/resnet50 224x3", {224, 3, 64, 7, 2});
    add_conv("conv3x3s2/mobilenet_v2 224x3", {224, 3, 32, 3, 2});
    add_conv("depthwise3x3/mobilenet_v2 112x32", {112, 32, 32, 3, 1, 32});
    add_conv("depthwise3x3/mobilenet_v2 56x144", {56, 144, 144, 3, 1, 144});
    add_conv("depthwise3x3s2/mobilenet_v2 56x144", {56, 144, 144, 3, 2, 144});
    add_conv("depthwise5x5/efficientnet_b0 14x672", {14, 672, 672, 5, 1, 672});
    add_conv("group/shufflenet 28x136 of 4", {28, 136, 136, 1, 1, 4});
    add_conv("conv3x3x3/resnet3d 16x56x56x64", {16, 56, 56}, 64, 64, {3, 3, 3});
    add_conv("conv3x3x3/resnet3d 4x14x14x256", {4, 14, 14}, 256, 256, {3, 3, 3});
    add_conv("conv3x3x3s2/resnet3d 16x56x56x64", {16, 56, 56}, 64, 128, {3, 3, 3}, 2);
    add_conv("conv3x1x1/r2plus1d 16x56x56x144", {16, 56, 56}, 144, 64, {3, 1, 1});
    add_conv("conv3x7x7s2/resnet3d 16x112x112x3", {16, 112, 112}, 3, 64, {3, 7, 7}, 2);
    add_conv("conv3/whisper_tiny 3000x80", {3000}, 80, 384, {3});
    add_conv("conv5/wavenet 16000x64", {16000}, 64, 64, {5});
    for (const auto& [name, c] : std::initializer_list<std::pair<const char*, convolution_of>>{
             {"1x1/resnet50 56x64>256", {56, 64, 256, 1}},
             {"1x1/resnet50 14x1024>256", {14, 1024, 256, 1}},
             {"1x1/resnet50 7x512>2048", {7, 512, 2048, 1}},
             {"3x3/resnet50 56x64", {56, 64, 64, 3}},
             {"3x3/resnet50 14x256", {14, 256, 256, 3}},
             {"3x3/resnet50 7x512", {7, 512, 512, 3}},
             {"7x7s2/resnet50 224x3", {224, 3, 64, 7, 2}},
             {"depthwise3x3/mobilenet_v2 112x32", {112, 32, 32, 3, 1, 32}},
             {"depthwise3x3s2/mobilenet_v2 56x144", {56, 144, 144, 3, 2, 144}},
             {"depthwise3x3/mobilenet_v2 14x384", {14, 384, 384, 3, 1, 384}}})
        add_qlinear_conv(std::string("qlinear_conv") + name, c);
    add<op::conv_transpose>("conv_transpose2x2x2s2/unet3d 16x32x32x64>32",
                            {{{1, 64, 16, 32, 32}}, {{64, 32, 2, 2, 2}, true}, {{32}, true}},
                            integers("strides", {2, 2, 2}), 2. * 16 * 32 * 32 * 64 * 32 * 8);
    add<op::conv_transpose>("conv_transpose2x2s2/unet 64x128>64",
                            {{{1, 128, 64, 64}}, {{128, 64, 2, 2}, true}, {{64}, true}}, integers("strides", {2, 2}),
                            2. * 64 * 64 * 128 * 64 * 4);
}
void add_pools() {
    add<op::max_pool>(
        "max_pool/resnet3d 16x56x56x64", {{{1, 64, 16, 56, 56}}},
        [](graph_data& g) {
            const std::int64_t kernel[] = {3, 3, 3}, strides[] = {2, 2, 2}, pads[] = {1, 1, 1, 1, 1, 1};
            return std::vector{g.make("kernel_shape", std::span(kernel)), g.make("strides", std::span(strides)),
                               g.make("pads", std::span(pads))};
        },
        0);
    add<op::max_pool>("max_pool/resnet50 112x64", {{{1, 64, 112, 112}}}, window(3, 2, 1), 0);
    add<op::average_pool>("average_pool/densenet121 56x128", {{{1, 128, 56, 56}}}, window(2, 2, 0), 0);
    add<op::global_average_pool>("global_average_pool/resnet50 7x2048", {{{1, 2048, 7, 7}}}, {}, 0);
}
void add_elementwise() {
    add<op::relu>("unary/relu 56x256", {{{1, 256, 56, 56}}}, {}, 0);
    add<op::sigmoid>("unary/sigmoid 56x96", {{{1, 96, 56, 56}}}, {}, 0);
    add<op::tanh>("unary/tanh 128x768", {{{128, 768}}}, {}, 0);
    add<op::erf>("unary/erf 128x3072", {{{128, 3072}}}, {}, 0);
    add<op::add>("binary/add 56x256", {{{1, 256, 56, 56}}, {{1, 256, 56, 56}}}, {}, 0);
    add<op::mul>("binary/mul by channel 56x144", {{{1, 144, 56, 56}}, {{1, 144, 1, 1}}}, {}, 0);
    for (std::int64_t n : {10'000, 1'000'000}) {
        add_program(n);
        add<op::add>("binary/add " + std::to_string(n), {{{n}}, {{n}}}, {}, 0);
        add<op::mul>("binary/mul by one number " + std::to_string(n), {{{n}}, {{1}}}, {}, 0);
        add<op::relu>("unary/relu " + std::to_string(n), {{{n}}}, {}, 0);
    }
}
void add_rows() {  // operators that work along one axis, or move elements
    add<op::softmax>("softmax/bert_base 12x128x128", {{{12, 128, 128}}}, integer("axis", -1), 0);
    add<op::layer_normalization>("layer_normalization/bert_base 128x768",
                                 {{{1, 128, 768}}, {{768}, true}, {{768}, true}}, integer("axis", -1), 0);
    add<op::lrn>("lrn/alexnet 55x96", {{{1, 96, 55, 55}}}, integer("size", 5), 0);
    add<op::reduce_mean>("reduce_mean/bert_base 128x768", {{{1, 128, 768}}}, integers("axes", {-1}), 0);
    add<op::transpose>("transpose/bert_base 128x12x64", {{{1, 128, 12, 64}}}, integers("perm", {0, 2, 1, 3}), 0);
    add<op::concat>("concat/squeezenet 55x64+64", {{{1, 64, 55, 55}}, {{1, 64, 55, 55}}}, integer("axis", 1), 0);
}
void add_sequences() {
    add_attention("attention/bert_base 128x12x64", 128, 12, 64);
    add_attention("attention/minilm 128x12x32", 128, 12, 32);
    add_attention("attention/vit_tiny 197x3x64", 197, 3, 64);
    add<op::lstm>("lstm/speech_lstm 100x256",
                  {{{100, 1, 256}}, {{1, 1024, 256}, true}, {{1, 1024, 256}, true}, {{1, 2048}, true}},
                  integer("hidden_size", 256), 2. * 100 * 1024 * 512);
    add<op::gru>("gru/speech_gru 100x128",
                 {{{100, 1, 80}}, {{1, 384, 80}, true}, {{1, 384, 128}, true}, {{1, 768}, true}},
                 integer("hidden_size", 128), 2. * 100 * 384 * 208);
}
void add_all() {
    add_products();
    add_convolutions();
    add_pools();
    add_elementwise();
    add_rows();
    add_sequences();
}
}  // namespace
}  // namespace inlay::bench

int main(int count, char** words) {
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
    benchmark::AddCustomContext("instruction set", std::string(inlay::isa::name_of(inlay::bench::here().level)));
    benchmark::AddCustomContext("threads", std::to_string(inlay::bench::here().threads));
    inlay::bench::add_all();
    benchmark::RunSpecifiedBenchmarks();
}
