// Parts of Concat and Split that are slices of the whole: which ones are, and that every bit of the results is that of
// copies.
#include "../models.hpp"
#include <inlay/cpu/onnx/concat.hpp>
#include <inlay/cpu/onnx/split.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace inlay::testing {
struct copying {};  // a device tag: Concat and Split of the CPU, whose parts never lie inside the whole
struct copies {
    static constexpr std::string_view name = "CopiesExecutionProvider";
    static constexpr auto devices = hana::tuple_t<copying>;
    static constexpr auto kernels = hana::tuple_t<op::concat, op::split>;
};
}  // namespace inlay::testing
namespace inlay {
inline namespace v1 {
template <class Op, int Bits> struct copying_kernel : kernel<Op, device::cpu, types<raw<Bits>>> {
    static constexpr reuse shares = reuse::none;
    static constexpr bool strided(const node_view&, int) { return false; }
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::concat, testing::copying, types<raw<Bits>>> : copying_kernel<op::concat, Bits> {
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::split, testing::copying, types<raw<Bits>>> : copying_kernel<op::split, Bits> {
};
}  // namespace v1
}  // namespace inlay

namespace {
struct image {
    std::string name;
    int channels;
};
struct network {  // of images of 6x6, in ONNX's text form
    std::mt19937 random;
    std::string constants, nodes, outputs;
    int count = 0;
    explicit network(unsigned seed = 1) : random(seed) {}
    int below(int n) { return int(random() % unsigned(n)); }
    std::string constant(const std::string& dims, int elements, double least = -.25) {
        const std::string name = "w" + std::to_string(count++);
        constants += (constants.empty() ? "float[" : ", float[") + dims + "] " + name + " = {";
        for (int i = 0; i < elements; ++i) constants += (i ? "," : "") + std::to_string(least + below(33) / 64.);
        constants += "}";
        return name;
    }
    image add(const std::string& call, int channels) {
        const image y{"v" + std::to_string(count++), channels};
        nodes += y.name + " = " + call + "\n";
        return y;
    }
    image conv(const image& x, int channels, int kernel, int group = 1) {
        const std::string k = std::to_string(kernel),
                          w = constant(
                              std::to_string(channels) + "," + std::to_string(x.channels / group) + "," + k + "," + k,
                              channels * x.channels / group * kernel * kernel);
        const std::string pad = std::to_string(kernel / 2);
        return add("Conv<pads = [" + pad + "," + pad + "," + pad + "," + pad + "], group = " + std::to_string(group) +
                       ">(" + x.name + ", " + w + ")",
                   channels);
    }
    image pool(const image& x, const std::string& op = "MaxPool") {
        return add(op + "<kernel_shape = [3,3], pads = [1,1,1,1]>(" + x.name + ")", x.channels);
    }
    image normalised(const image& x) {
        const std::string c = std::to_string(x.channels), scale = constant(c, x.channels),
                          shift = constant(c, x.channels), mean = constant(c, x.channels),
                          variance = constant(c, x.channels, .5);
        return add("BatchNormalization(" + x.name + ", " + scale + ", " + shift + ", " + mean + ", " + variance + ")",
                   x.channels);
    }
    image sum(const image& a, const image& b) { return add("Add(" + a.name + ", " + b.name + ")", a.channels); }
    image concat(const std::vector<image>& parts) {
        std::string list;
        int channels = 0;
        for (const image& p : parts) {
            list += (list.empty() ? "" : ", ") + p.name;
            channels += p.channels;
        }
        return add("Concat<axis = 1>(" + list + ")", channels);
    }
    std::pair<image, image> split(const image& x, int first) {
        const image a{"v" + std::to_string(count++), first}, b{"v" + std::to_string(count++), x.channels - first};
        constants += (constants.empty() ? "int64[2] s" : ", int64[2] s") + a.name + " = {" + std::to_string(first) +
                     "," + std::to_string(b.channels) + "}";
        nodes += a.name + ", " + b.name + " = Split<axis = 1>(" + x.name + ", s" + a.name + ")\n";
        return {a, b};
    }
    void output(const image& y) {
        outputs += (outputs.empty() ? "float[N,c" : ", float[N,c") + y.name + ",6,6] " + y.name;
    }
    std::string text() const {
        return "net (float[N,32,6,6] x) => (" + outputs + ") <" + constants + "> {\n" + nodes + "}";
    }
};
const image x{"x", 32};
tensor noise(std::int64_t batch) {
    tensor t(element::f32, {batch, 32, 6, 6});
    std::mt19937 random(5);
    for (float& f : t.as<float>()) f = float(random() % 2001) / 1000 - 1;
    return t;
}
// How many values are slices; the results must be those without slices.
int slices_of(const network& n) {
    const model m = model_of(n.text());
    int sliced = -1;
    for (const int threads : {1, 2})
        for (const std::int64_t batch : {1, 3}) {
            CAPTURE(threads, batch, n.nodes);
            const inlay::session by_slices{m, cpu{.threads = threads}};
            const inlay::session apart{m, copies{}, cpu{.threads = threads}};
            const std::vector<feed> in{{"x", noise(batch)}};
            const fetched y = by_slices.run(in), expected = apart.run(in);
            REQUIRE(y.size() == expected.size());
            for (std::size_t k = 0; k < y.size(); ++k) {
                const auto actual = floats(y[k]), target = floats(expected[k]);
                REQUIRE(actual.size() == target.size());
                CHECK(std::memcmp(actual.data(), target.data(), actual.size() * sizeof(float)) == 0);
            }
            CHECK(apart.plan().sliced == 0);
            sliced = by_slices.plan().sliced;
        }
    return sliced;
}
}  // namespace

TEST_CASE("What convolutions and pools of a Concat write lies inside it", "[slices]") {
    network n;
    const image a = n.conv(x, 24, 1), b = n.conv(a, 16, 1), c = n.conv(b, 33, 3), d = n.pool(a),
                e = n.pool(b, "AveragePool"), f = n.conv(a, 36, 3, 2), w = n.conv(n.conv(x, 40, 1), 40, 3);
    n.output(n.conv(n.concat({b, c, d, e, f, w}), 8, 1));
    CHECK(slices_of(n) == 6);
}
TEST_CASE("A Concat lies inside the Concat that reads it", "[slices]") {
    network n;
    image chain = n.conv(x, 16, 1);
    for (int i = 0; i < 4; ++i)
        chain = n.concat(
            {chain, n.conv(n.conv(n.add("Relu(" + n.normalised(chain).name + ")", chain.channels), 24, 1), 8, 3)});
    n.output(n.conv(chain, 8, 1));
    CHECK(slices_of(n) == 8);
}
TEST_CASE("What Split gives to a Concat stays where it was", "[slices]") {
    network n;
    const auto [a, b] = n.split(n.conv(x, 64, 1), 32);
    const image c = n.conv(n.conv(b, 32, 3), 32, 3);
    n.output(n.conv(n.concat({a, b, c, n.pool(c)}), 8, 1));
    CHECK(slices_of(n) == 5);  // what is split too
}
TEST_CASE("Parts of a Split are slices of it where their readers can tell", "[slices]") {
    network n;
    const auto [a, b] = n.split(n.conv(x, 40, 1), 16);
    n.output(n.conv(a, 8, 3));
    n.output(n.sum(b, n.conv(b, 24, 1)));
    CHECK(slices_of(n) == 2);
    network plain;
    const auto [c, d] = plain.split(plain.conv(x, 40, 1), 16);
    plain.output(plain.add("Sigmoid(" + c.name + ")", 16));  // counts elements, not pixels
    plain.output(plain.conv(d, 8, 1));
    CHECK(slices_of(plain) == 1);
}
TEST_CASE("A value has one place, and outputs have none inside others", "[slices]") {
    network n;
    const image a = n.conv(x, 16, 1), b = n.conv(x, 16, 3);
    const image twice = n.concat({a, a, b}), again = n.concat({b, a});
    n.output(n.conv(twice, 8, 1));
    n.output(n.conv(again, 8, 1));
    CHECK(slices_of(n) == 2);
    network shown;
    const image c = shown.conv(x, 16, 1), d = shown.conv(x, 8, 1), joint = shown.concat({c, d});
    shown.output(c);
    shown.output(joint);
    CHECK(slices_of(shown) == 1);
}
TEST_CASE("Random networks of Concat and Split compute the same with slices", "[slices]") {
    int sliced = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        network n(seed);
        std::vector<image> images{n.conv(x, 32, 1)};
        std::vector<char> is_read{0};
        const auto take = [&](std::size_t i) {
            is_read[i] = 1;
            return images[i];
        };
        const auto pick = [&] {
            return take(images.size() - 1 - std::size_t(n.below(int(std::min<std::size_t>(images.size(), 5)))));
        };
        const auto put = [&](const image& y) {
            images.push_back(y);
            is_read.push_back(0);
        };
        for (int i = 0; i < 16; ++i) {
            const image a = pick();
            switch (n.below(9)) {
                case 0: put(n.conv(a, 8 + n.below(30), 1)); break;
                case 1: put(n.conv(a, 32, 3)); break;
                case 2: put(n.pool(a, n.below(2) ? "MaxPool" : "AveragePool")); break;
                case 3: put(n.add("Relu(" + a.name + ")", a.channels)); break;
                case 4: put(n.normalised(a)); break;
                case 5: {
                    std::size_t index = 0;
                    while (images[index].channels != a.channels) ++index;
                    put(n.sum(a, take(index)));
                    break;
                }
                case 6: {
                    if (a.channels < 2) break;
                    const auto [p, q] = n.split(a, 1 + n.below(a.channels - 1));
                    put(p);
                    put(q);
                    break;
                }
                default: {
                    std::vector<image> parts{a, pick()};
                    if (n.below(2)) parts.push_back(pick());
                    int channels = 0;
                    for (const image& p : parts) channels += p.channels;
                    if (channels <= 160) put(n.concat(parts));
                }
            }
        }
        for (std::size_t i = 0; i < images.size(); ++i)
            if (!is_read[i]) n.output(n.below(4) ? n.conv(images[i], 8, 1) : images[i]);
        if (n.outputs.empty()) n.output(images.back());
        sliced += slices_of(n);
    }
    CHECK(sliced > 150);
}
