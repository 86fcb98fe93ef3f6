// Mirrors src/onnx/nchwc.cpp. How weights lie in blocks: as files that ONNX Runtime optimised have them.
#include "models.hpp"
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>
#include <cmath>

using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr const char* header = "<ir_version: 8, opset_import: [\"\" : 13, \"com.microsoft.nchwc\" : 1]> g ";
float weight(std::int64_t o, std::int64_t i) { return float((o * 7 + i * 3) % 11 - 5); }
// Weights of a window of one, [rows, depth], as blocks of `block` have them.
void add_weights(onnx::ModelProto& m, const std::string& name, std::int64_t rows, std::int64_t depth,
                 std::int64_t block, std::int64_t own_rows, std::int64_t own_depth) {
    onnx::TensorProto& t = *m.mutable_graph()->add_initializer();
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::FLOAT);
    for (std::int64_t d : {rows, depth, std::int64_t(1), std::int64_t(1)}) t.add_dims(d);
    const std::int64_t inner = depth < block ? 1 : block;
    for (std::int64_t o = 0; o < rows; o += block)
        for (std::int64_t i = 0; i < depth; i += inner)
            for (std::int64_t k = 0; k < inner; ++k)
                for (std::int64_t j = 0; j < block; ++j)
                    t.add_float_data(o + j < own_rows && i + k < own_depth ? weight(o + j, i + k) : 0);
}
std::vector<float> pixels(std::int64_t count) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < count; ++i) x.push_back(float(i * 5 % 9) - 4);
    return x;
}
std::vector<float> ran(const onnx::ModelProto& m, const tensor& x) {
    const model loaded_model = loaded(m, model_options{});
    for (const node& n : loaded_model.view().nodes) CHECK(n.domain.empty());
    return elements<float>(session{loaded_model, reference{}}.run({{"x", x}})[0]);
}
// Two convolutions of two pixels: 3 channels, then `channels`, then 4; each row of weights as weight() has it.
std::vector<float> expected(std::int64_t channels) {
    const std::vector<float> x = pixels(6);
    std::vector<float> y;
    for (std::int64_t o = 0; o < 4; ++o)
        for (std::size_t pixel : {0, 1}) {
            float sum = 0;
            for (std::int64_t c = 0; c < channels; ++c) {
                float inner = 0;
                for (std::size_t i = 0; i < 3; ++i) inner += weight(c, std::int64_t(i)) * x[i * 2 + pixel];
                sum += weight(o, c) * std::fmax(inner, 0.f);
            }
            y.push_back(sum);
        }
    return y;
}
onnx::ModelProto two_convolutions(std::int64_t block, std::int64_t channels) {
    onnx::ModelProto m = proto_of(std::string(header) + R"((float[1,3,1,2] x) => (y) {
        a = com.microsoft.nchwc.Conv <activation = "Relu", kernel_shape = [1, 1]> (x, w)
        b = com.microsoft.nchwc.Conv <kernel_shape = [1, 1], group = 1> (a, v)
        y = com.microsoft.nchwc.ReorderOutput <channels = 4> (b) })");
    const std::int64_t rows = (channels + block - 1) / block * block;
    add_weights(m, "w", rows, 3, block, channels, 3);
    add_weights(m, "v", block, rows, block, 4, channels);
    return m;
}
}  // namespace

TEST_CASE("Convolutions of com.microsoft.nchwc have their weights put back in order", "[nchwc]") {
    for (std::int64_t block : {8, 16})
        for (std::int64_t channels : {6, 20}) {
            CAPTURE(block, channels);
            CHECK(ran(two_convolutions(block, channels), tensor({1, 3, 1, 2}, pixels(6))) == expected(channels));
        }
}
TEST_CASE("Values of com.microsoft.nchwc are filled up with channels of zeros, and cut again", "[nchwc]") {
    onnx::ModelProto m = proto_of(std::string(header) + R"((float[1,2,2,3] x) => (y) {
        a = com.microsoft.nchwc.ReorderInput <channels_last = 1> (x)
        b = com.microsoft.nchwc.MaxPool <kernel_shape = [2, 1]> (a)
        c = com.microsoft.nchwc.Upsample <scales = [1, 1, 2, 1], mode = "nearest"> (b)
        d = com.microsoft.nchwc.AveragePool <kernel_shape = [1, 2], count_include_pad = 1, pads = [0, 0, 0, 1]> (c)
        y = com.microsoft.nchwc.ReorderOutput <channels = 3, channels_last = 1> (d) })");
    std::vector<float> x = pixels(12), y;
    for (int copy = 0; copy < 2; ++copy)
        for (std::size_t column : {0, 1})
            for (std::size_t c = 0; c < 3; ++c) {
                const auto most = [&](std::size_t at) {
                    return at < 2 ? std::fmax(x[at * 3 + c], x[(2 + at) * 3 + c]) : 0.f;
                };
                y.push_back((most(column) + most(column + 1)) / 2);
            }
    CHECK(ran(m, tensor({1, 2, 2, 3}, x)) == y);
    m = proto_of(std::string(header) + R"((float[1,2,1,2] x) => (y) {
        a = com.microsoft.nchwc.ReorderInput (x)
        b = com.microsoft.nchwc.GlobalAveragePool (a)
        c = com.microsoft.nchwc.GlobalMaxPool (b)
        y = com.microsoft.nchwc.ReorderOutput <channels = 2> (c) })");
    CHECK(ran(m, tensor({1, 2, 1, 2}, {1.f, 3.f, -1.f, 2.f})) == std::vector<float>{2, .5f});
}
TEST_CASE("A file of com.microsoft.nchwc that does not tell its blocks has them of 16, and says so", "[nchwc]") {
    CHECK(loaded(two_convolutions(8, 20), model_options{}).warnings().empty());
    onnx::ModelProto m = two_convolutions(16, 16);
    CHECK(loaded(m, model_options{}).warnings().empty());  // 4 channels in a block of 16
    m.mutable_graph()->mutable_node(2)->mutable_attribute(0)->set_i(16);
    const model loaded_model = loaded(m, model_options{});
    REQUIRE(loaded_model.warnings().size() == 1);
    CHECK(contains(loaded_model.warnings()[0], "blocks of 16 are meant"));
    std::vector<float> y =
        elements<float>(session{loaded_model, reference{}}.run({{"x", tensor({1, 3, 1, 2}, pixels(6))}})[0]);
    y.resize(8);
    CHECK(y == expected(16));
}
TEST_CASE("Operators of com.microsoft.nchwc that cannot be what they say are refused", "[nchwc]") {
    const auto reason = [](const std::string& graph) { return refused(proto_of(std::string(header) + graph)).text; };
    CHECK(contains(reason("(float[1,8,1,1] x, float[8,8,1,1] w) => (y) { y = com.microsoft.nchwc.Conv (x, w) }"),
                   "weights that are no constant"));
    CHECK(contains(reason("(float[1,8,1,1] x) => (y) { y = com.microsoft.nchwc.ReorderOutput (x) }"), "`channels`"));
    CHECK(contains(reason("(float[1,8,1,1] x) => (y) { y = com.microsoft.nchwc.Softmax (x) }"), "is not known"));
    onnx::ModelProto m = two_convolutions(8, 6);
    m.mutable_graph()->mutable_initializer(0)->set_dims(0, 4);
    m.mutable_graph()->mutable_initializer(0)->set_dims(1, 6);
    CHECK(contains(refused(m).text, "no blocks of 8 or 16"));
}
