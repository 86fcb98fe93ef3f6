// Models on a GPU compared with the CPU. Where there is none these tests are skipped.
#include "../../models.hpp"
#include "../../skip.hpp"
#include "provider/cuda/runtime.hpp"
#include <inlay/cuda/fused/attention.hpp>
#include <inlay/provider/cuda.hpp>
#include <inlay/provider/reference.hpp>
#include <filesystem>
#include <random>
#include <thread>
#include <unistd.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
void need_device() {
    const std::string reason = find_cuda().unusable;
    if (!reason.empty()) SKIP("CUDA cannot be used: " + reason);
}
std::string numbers(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::string s;
    for (int i = 0; i < count; ++i) s += (i ? ", " : "") + std::to_string((int(random() % 17) - 8) / 8.);
    return s;
}
tensor random_tensor(const shape& dims, unsigned seed) {
    std::mt19937 random(seed);
    tensor t(element::f32, dims);
    for (float& v : t.as<float>()) v = float(int(random() % 2001) - 1000) / 500;
    return t;
}
double distance(const tensor& a, const tensor& b) {
    double most = 0, largest = 1e-30;
    for (std::size_t i = 0; i < a.as<float>().size(); ++i) {
        most = std::max(most, double(std::abs(a.as<float>()[i] - b.as<float>()[i])));
        largest = std::max(largest, double(std::abs(b.as<float>()[i])));
    }
    return most / largest;
}
std::string network(int groups, const char* activation) {  // 8 channels throughout
    return "net (float[2,8,17,19] x) => (float[2,8] y) <float[8," + std::to_string(8 / groups) + ",3,3] w = {" +
           numbers(72 * 8 / groups, 1) + "}, float[8] b = {" + numbers(8, 2) + "}, float[8,8,1,1] v = {" +
           numbers(64, 3) + "}, float[8,720] m = {" + numbers(5760, 4) + "}, float[8] c = {" + numbers(8, 5) +
           "}> { p = Conv<pads = [1, 1, 1, 1], strides = [2, 2], group = " + std::to_string(groups) +
           ">(x, w, b) q = " + activation +
           "(p) r = Conv(q, v) s = Add(r, q) t = Relu(s) f = Flatten(t) y = Gemm<transB = 1, beta = 0.5>(f, m, c) }";
}
// The same network in 16 bits, between casts.
std::string network_in(element type, int groups, const char* activation) {
    std::string casts;
    for (const char* name : {"x", "w", "b", "v", "m", "c"})
        casts += std::string(" ") + name + " = Cast<to = " + std::to_string(int(type)) + ">(" + name + "0)";
    return "<ir_version: 10, opset_import: [\"\" : 22]> net (float[2,8,17,19] x0) => (float[2,8] y) <float[8," +
           std::to_string(8 / groups) + ",3,3] w0 = {" + numbers(72 * 8 / groups, 1) + "}, float[8] b0 = {" +
           numbers(8, 2) + "}, float[8,8,1,1] v0 = {" + numbers(64, 3) + "}, float[8,720] m0 = {" + numbers(5760, 4) +
           "}, float[8] c0 = {" + numbers(8, 5) + "}> {" + casts +
           " p = Conv<pads = [1, 1, 1, 1], strides = [2, 2], group = " + std::to_string(groups) +
           ">(x, w, b) q = " + activation +
           "(p) r = Conv(q, v) s = Add(r, q) t = Relu(s) f = Flatten(t) h = Gemm<transB = 1, beta = 0.5>(f, m, c) y = "
           "Cast<to = 1>(h) }";
}
double roundings(element type) {
    return type == element::f16 ? 4e-3 : 3e-2;
}  // four units in the last place of the largest
const session_options quiet{.intra_op_num_threads = 1};
struct part : cuda {  // of a network on two GPUs
    bool convolutions = false;
    verdict accepts(const node_view& n) const {
        return has_text(n.record.op, "Conv") == convolutions ? yes() : no("the other GPU has that");
    }
};
}  // namespace

TEST_CASE("Networks agree with the CPU: groups, activations, residuals", "[cuda][device]") {
    need_device();
    for (int groups : {1, 2, 8})
        for (const char* activation : {"Relu", "Sigmoid", "HardSwish", "HardSigmoid"}) {
            CAPTURE(groups, activation);
            const model m = model_of(network(groups, activation));
            const tensor x = random_tensor({2, 8, 17, 19}, 7);
            const inlay::session host{m, quiet, cpu{}};
            const tensor expected = host.run({{"x", x}})[0];
            for (const cuda& options :
                 {cuda{}, cuda{.cudnn_conv_algo_search = conv_algo_search::HEURISTIC},
                  cuda{.cudnn_conv_algo_search = conv_algo_search::DEFAULT, .cudnn_conv_use_max_workspace = false},
                  cuda{.do_copy_in_default_stream = false}, cuda{.enable_cuda_graph = true}}) {
                const inlay::session device{m, quiet, options, cpu{}};
                CHECK(device.plan().count(cuda::name) > 0);
                for (int run = 0; run < 4; ++run)
                    CHECK(distance(device.run({{"x", x}})[0], expected) < 1e-5);  // a graph is recorded by the second
            }
        }
}
TEST_CASE("Ways that a session found and kept in files serve the next one", "[cuda][device]") {
    need_device();
    const auto folder = std::filesystem::temp_directory_path() / ("inlay-plans-" + std::to_string(::getpid()));
    const model m = model_of(network(1, "HardSwish"));
    const tensor x = random_tensor({2, 8, 17, 19}, 7);
    const tensor expected = inlay::session{m, quiet, cpu{}}.run({{"x", x}})[0];
    std::vector<std::filesystem::file_time_type> written;
    for (int process = 0; process < 2; ++process) {
        const inlay::session device{m, quiet, cuda{.cudnn_plan_cache = folder.string()}, cpu{}};
        CHECK(distance(device.run({{"x", x}})[0], expected) < 1e-5);
        for (const auto& file : std::filesystem::directory_iterator(folder)) written.push_back(file.last_write_time());
    }
    std::filesystem::remove_all(folder);
    REQUIRE(written.size() == 4);  // two convolutions, not written again
    CHECK(std::is_permutation(written.begin(), written.begin() + 2, written.begin() + 2));
}
TEST_CASE("Products agree with the CPU: broadcast batches, bias, residual, few rows", "[cuda][device]") {
    need_device();
    for (const char* dims : {"[5,7] [7,3] [5,3]", "[1,64] [64,1000] [1,1000]", "[2,3,5,7] [3,7,4] [2,3,5,4]",
                             "[2,1,5,7] [1,3,7,4] [2,3,5,4]", "[4,2,5,7] [7,6] [4,2,5,6]"}) {
        CAPTURE(dims);
        std::istringstream words(dims);
        std::string a, b, y;
        words >> a >> b >> y;
        const model m = model_of("p (float" + a + " a, float" + b + " b, float" + y + " z) => (float" + y +
                                 " y) { q = MatMul(a, b) y = Add(q, z) }");
        const auto t = [&](int k) { return random_tensor(m.inputs()[std::size_t(k)].shape, unsigned(k + 1)); };
        const inlay::session host{m, quiet, cpu{}};
        const inlay::session device{m, quiet, cuda{}, cpu{}};
        CHECK(distance(device.run({{"a", t(0)}, {"b", t(1)}, {"z", t(2)}})[0],
                       host.run({{"a", t(0)}, {"b", t(1)}, {"z", t(2)}})[0]) < 1e-5);
    }
}
TEST_CASE("Networks in 16 bits agree with the reference kernels: groups, activations, residuals", "[cuda][device]") {
    need_device();
    for (const element type : {element::f16, element::bf16})
        for (int groups : {1, 2, 8})
            for (const char* activation : {"Relu", "Sigmoid", "HardSwish", "HardSigmoid"}) {
                CAPTURE(name_of(type), groups, activation);
                const model m = model_of(network_in(type, groups, activation));
                const tensor x = random_tensor({2, 8, 17, 19}, 7);
                const inlay::session host{m, quiet, reference{}};
                const tensor expected = host.run({{"x0", x}})[0];
                for (const cuda& options : {cuda{}, cuda{.cudnn_conv_algo_search = conv_algo_search::HEURISTIC},
                                            cuda{.enable_cuda_graph = true}}) {
                    const inlay::session device{m, quiet, options};
                    for (int run = 0; run < 4; ++run)
                        CHECK(distance(device.run({{"x0", x}})[0], expected) < roundings(type));
                }
            }
}
TEST_CASE(
    "Networks of floats whose operands are rounded to 16 bits agree with the CPU nearly, and the plan names what is "
    "rounded",
    "[cuda][device]") {
    need_device();
    for (const element type : {element::f16, element::bf16})
        for (int groups : {1, 2, 8})
            for (const bool graphs : {false, true}) {
                CAPTURE(name_of(type), groups, graphs);
                const model m = model_of(network(groups, "HardSwish"));
                const tensor x = random_tensor({2, 8, 17, 19}, 7);
                const inlay::session host{m, quiet, cpu{}};
                const inlay::session device{
                    m, quiet,
                    cuda{.precision = type == element::f16 ? cuda_precision::float16 : cuda_precision::bfloat16,
                         .enable_cuda_graph = graphs},
                    cpu{}};
                CHECK(line_of(device.plan(), "Gemm").precision == (type == element::f16 ? "float16" : "bfloat16"));
                CHECK(line_of(device.plan(), "Conv").precision.empty() == (groups == 8));  // depthwise
                for (int run = 0; run < 4; ++run)
                    CHECK(distance(device.run({{"x", x}})[0], host.run({{"x", x}})[0]) < roundings(type));
            }
}
TEST_CASE("Transposed convolutions agree with the CPU", "[cuda][device]") {
    need_device();
    for (const char* attributes : {"strides = [2, 2]", "strides = [2, 1], pads = [1, 1, 1, 1], output_padding = [1, 0]",
                                   "dilations = [2, 1], group = 2"}) {
        CAPTURE(attributes);
        const bool grouped = has_text(attributes, "group");
        const model m =
            model_of("up (float[2,4,9,7] x) => (float[?,?,?,?] y) <float[4," + std::string(grouped ? "3" : "6") +
                     ",3,3] w = {" + numbers(grouped ? 108 : 216, 1) + "}, float[6] b = {" + numbers(6, 2) +
                     "}> { p = ConvTranspose<" + attributes + ">(x, w, b) y = Relu(p) }");
        const tensor x = random_tensor({2, 4, 9, 7}, 3);
        const inlay::session host{m, quiet, cpu{}};
        const inlay::session device{m, quiet, cuda{}};
        CHECK(distance(device.run({{"x", x}})[0], host.run({{"x", x}})[0]) < 1e-5);
    }
}
TEST_CASE("Boxes that CUDA chooses are those that the CPU chooses, run after run", "[cuda][device]") {
    need_device();
    const model m = model_of(
        "detector (float[2,900,4] b, float[2,3,900] s) => (int64[N,3] y) <int64[1] most = {50}, float[1] overlap = "
        "{0.4}, float[1] least = {0.5}> { y = NonMaxSuppression(b, s, most, overlap, least) }");
    const inlay::session host{m, quiet, cpu{}};
    const inlay::session device{m, quiet, cuda{}};
    for (unsigned run = 1; run < 5; ++run) {
        const tensor boxes = random_tensor({2, 900, 4}, run), scores = random_tensor({2, 3, 900}, run + 10);
        const tensor y = device.run({{"b", boxes}, {"s", scores}})[0],
                     expected = host.run({{"b", boxes}, {"s", scores}})[0];
        REQUIRE(y.shape() == expected.shape());
        CHECK(std::ranges::equal(y.as<std::int64_t>(), expected.as<std::int64_t>()));
    }
}
TEST_CASE("What is moved and scattered agrees with the CPU to the bit, run after run", "[cuda][device]") {
    need_device();
    const model m = model_of(
        "moves (float[1,8,4,4] x, int64[1,2,10,10] i) => (float[1,2,10,10] y) <int64[8] pads = {0, 0, 0, 0, 0, 0, 1, "
        "1}, int64[4] twice = {1, 1, 2, 1}> {"
        " a = Pad<mode = \"reflect\">(x, pads) b = DepthToSpace<blocksize = 2>(a) c = Tile(b, twice) d = Trilu(c) e = "
        "GatherElements<axis = 2>(d, i) y = ScatterElements<axis = 3, reduction = \"add\">(e, i, e) }");
    tensor indices(element::i64, {1, 2, 10, 10});
    for (std::int64_t k = 0; k < 200; ++k)
        indices.as<std::int64_t>()[std::size_t(k)] = k * 7919 % 15 - 10;  // several of one place
    const inlay::session host{m, quiet, cpu{}};
    for (const cuda& options : {cuda{}, cuda{.enable_cuda_graph = true}}) {
        const inlay::session device{m, quiet, options};
        for (unsigned run = 1; run < 5; ++run) {
            const tensor x = random_tensor({1, 8, 4, 4}, run), y = device.run({{"x", x}, {"i", indices}})[0],
                         expected = host.run({{"x", x}, {"i", indices}})[0];
            CHECK(std::ranges::equal(y.as<float>(), expected.as<float>()));
        }
    }
}
TEST_CASE("Products and attention of 16 bits agree with the reference kernels of float32", "[cuda][device]") {
    need_device();
    for (const element type : {element::f16, element::bf16}) {
        const std::string narrow = " = Cast<to = " + std::to_string(int(type)) + ">", wide = " = Cast<to = 1>";
        // x is x0 in 16 bits; of float32 the same numbers, so that what lies between is not rounded where the answer
        // comes from.
        const auto rounded = [&](std::initializer_list<const char*> names, bool floats) {
            std::string text;
            for (const char* name : names) {
                const std::string x(1, *name);
                text += floats ? x + "1" + narrow + "(" + x + "0) " + x + wide + "(" + x + "1) "
                               : x + narrow + "(" + x + "0) ";
            }
            return text;
        };
        const auto agree = [&](const std::string& ports, std::initializer_list<const char*> names,
                               const std::string& nodes) {
            CAPTURE(name_of(type), ports, nodes);
            const auto text = [&](bool floats) { return ports + " { " + rounded(names, floats) + nodes + " }"; };
            const model m = model_of(text(false));
            std::vector<feed> in;
            for (const char* name : names)
                in.push_back({name, random_tensor(m.inputs()[in.size()].shape, unsigned(in.size() + 1))});
            const inlay::session host{model_of(text(true)), quiet, reference{}};
            const inlay::session device{m, quiet, cuda{}};
            CHECK(distance(device.run(in)[0], host.run(in)[0]) < roundings(type));
        };
        for (const char* dims : {"[5,7] [7,3] [5,3]", "[1,64] [64,1000] [1,1000]", "[2,3,5,7] [3,7,4] [2,3,5,4]",
                                 "[2,1,5,7] [1,3,7,4] [2,3,5,4]", "[4,2,5,7] [7,6] [4,2,5,6]"}) {
            std::istringstream words(dims);
            std::string a, b, y;
            words >> a >> b >> y;
            agree("p (float" + a + " a0, float" + b + " b0, float" + y + " z0) => (float" + y + " y)",
                  {"a0", "b0", "z0"}, "q = MatMul(a, b) r = Add(q, z) s = Relu(r) y = Cast<to = 1>(s)");
        }
        agree(
            "t (float[2,3,40,16] q0, float[2,3,50,16] k0, float[2,3,50,16] v0, float[40,50] m0) => (float[2,40,48] y) "
            "<int64[3] s = {0, 0, 48}>",
            {"q0", "k0", "v0", "m0"},
            "kt = Transpose<perm = [0, 1, 3, 2]>(k) a = MatMul(q, kt) b = Add(a, m) w = Softmax<axis = -1>(b) o = "
            "MatMul(w, v) t = Transpose<perm = [0, 2, 1, 3]>(o) r = Reshape(t, s) y = Cast<to = 1>(r)");
    }
}
TEST_CASE("Attention in 16 bits agrees with the reference kernels: sizes of heads, rows, masks, layouts",
          "[cuda][device]") {
    need_device();
    constexpr int heads = 2;
    const auto check = [&](element type, int rows, int size, std::string_view mask, bool parts) {
        const std::string n = std::to_string(rows), wide = std::to_string(heads * size), s = std::to_string(size),
                          to = " = Cast<to = " + std::to_string(int(type)) + ">";
        const std::string columns =
            parts ? "[2," + n + "," + std::to_string(3 * heads * size) + "]" : "[2,2," + n + "," + s + "]";
        std::string text =
            "t (float" + columns + " x0" + (parts ? "" : ", float" + columns + " k0, float" + columns + " v0") +
            (mask.empty() ? ""
                          : ", float" +
                                std::string(mask == "add rows" || mask == "bool" ? "[" + n + "," + n + "]"
                                                                                 : "[2,1,1," + n + "]") +
                                " m0") +
            ") => (float[2," + n + "," + wide + "] y) <int64[4] split = {2, " + n + ", 2, " + s +
            "}, int64[3] joined = {0, 0, " + wide + "}, float zero = {0}, float low = {-10000}> {";
        if (parts) {
            text += " x" + to + "(x0) a, b, c = Split<axis = 2, num_outputs = 3>(x)";
            for (const char* part : {"a", "b", "c"})
                text += std::string(" ") + part + "r = Reshape(" + part + ", split) " + part +
                        "h = Transpose<perm = [0, 2, 1, 3]>(" + part + "r)";
        } else
            text += " ah" + to + "(x0) bh" + to + "(k0) ch" + to + "(v0)";
        text += " bt = Transpose<perm = [0, 1, 3, 2]>(bh) p = MatMul(ah, bt)";
        if (mask == "bool")
            text += " keep = Greater(m0, zero) far" + to + "(low) r = Where(keep, p, far)";
        else if (!mask.empty())
            text += " m" + to + "(m0) r = Add(p, m)";
        text += std::string(" w = Softmax<axis = -1>(") + (mask.empty() ? "p" : "r") +
                ") o = MatMul(w, ch) ot = Transpose<perm = [0, 2, 1, 3]>(o) oj = Reshape(ot, joined) y = Cast<to = "
                "1>(oj) }";
        CAPTURE(name_of(type), rows, size, mask, parts);
        const model m = model_of("<ir_version: 10, opset_import: [\"\" : 22]> " + text);
        std::vector<feed> in;
        for (const auto& i : m.inputs()) {
            tensor t = random_tensor(i.shape, unsigned(in.size() + 1));
            if (i.name != "m0")
                for (float& e : t.as<float>()) e /= float(std::sqrt(std::sqrt(size)));  // scores of about 1
            else if (mask != "bool")
                for (std::size_t k = 1; k < t.as<float>().size(); k += 3) t.as<float>()[k] = -10000;  // left out
            in.push_back({i.name, t});
        }
        const tensor expected = inlay::session(m, quiet, reference{}).run(in)[0];
        for (const bool graphs : {false, true}) {
            const inlay::session device{m, quiet, cuda{.enable_cuda_graph = graphs}};
            CHECK(has_text(line_of(device.plan(), "Softmax").fused_into, "Attention"));
            for (int run = 0; run < 3; ++run) CHECK(distance(device.run(in)[0], expected) < roundings(type));
        }
    };
    for (const element type : {element::f16, element::bf16})
        for (const bool parts : {false, true}) {
            for (const int size : {32, 64, 128})
                for (const int rows : {1, 7, 128, 197, 384}) check(type, rows, size, "", parts);
            for (const std::string_view mask : {"add", "add rows", "bool"})
                for (const int rows : {1, 7, 128, 197}) check(type, rows, 64, mask, parts);
        }
}
TEST_CASE("cuDNN has plans for attention on this device, so that it is not our own kernel which the tests see",
          "[cuda][device]") {
    need_device();
    auto runtime = cuda{}.open();
    REQUIRE(runtime);
    auto queue = (*runtime)->make_queue();
    REQUIRE(queue);
    device_queue& q = **queue;
    REQUIRE(q.enter() == status::ok);
    for (const element type : {element::f16, element::bf16})
        for (const std::int64_t size : {32, 64, 128})
            for (const std::int64_t rows : {7, 128, 197, 384})
                for (const bool masked : {false, true}) {
                    CAPTURE(name_of(type), size, rows, masked);
                    attention_on_cuda_params p;
                    p.type = type, p.batches = p.heads = 2, p.rows = p.keys = rows, p.size = p.value_size = size,
                    p.masked = masked;
                    p.q = p.k = p.v = {2 * rows * size, size, 2 * size};
                    p.mask = {rows, 0, 0, 1};
                    REQUIRE(p.fits_library());
                    std::shared_ptr<bound_attention> by_library;
                    CHECK(bind_attention(p, by_library) == status::ok);
                    CHECK(by_library);
                }
    q.leave();
}
TEST_CASE("Threads run one session at once, each on a stream of its own", "[cuda][device]") {
    need_device();
    const model m = model_of(network(1, "Relu"));
    const inlay::session host{m, quiet, cpu{}};
    const inlay::session device{m, quiet, cuda{}, cpu{}};
    std::vector<tensor> x, expected;
    for (unsigned i = 0; i < 4; ++i) {
        x.push_back(random_tensor({2, 8, 17, 19}, i));
        expected.push_back(host.run({{"x", x.back()}})[0]);
    }
    std::vector<double> worst(4, 0);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                for (int run = 0; run < 50; ++run)
                    worst[i] = std::max(worst[i], distance(device.run({{"x", x[i]}})[0], expected[i]));
            });
    }
    for (double w : worst) CHECK(w < 1e-5);
}
TEST_CASE("A limit that is too small is an error, after which the process goes on", "[cuda][device]") {
    need_device();
    const model m = model_of(network(1, "Relu"));
    const error e = raised([&] {
        inlay::session(m, quiet, cuda{.gpu_mem_limit = 4096, .arena_extend_strategy = arena_extend::kSameAsRequested},
                       cpu{});
    });
    CHECK(e.code == error_code::out_of_memory_limit);
    for (const char* part : {"asked ", "used ", "limit 4096"}) CHECK(has_text(e.text, part));
    const inlay::session device{m, quiet, cuda{}, cpu{}};
    CHECK(device.run({{"x", random_tensor({2, 8, 17, 19}, 1)}}).size() == 1);
}
TEST_CASE("Bytes go to the device and come back as they were", "[cuda][device]") {
    need_device();
    const tensor x = random_tensor({1000}, 3);
    const tensor copy = x.copied_to(space_of<memory::cuda>), pinned(element::f32, {1000}, space_of<memory::pinned>);
    CHECK(!copy.on_host());
    CHECK(raised([&] { (void)copy.as<float>(); }).code == error_code::wrong_memory_space);
    CHECK(floats(copy.copied_to(space_of<memory::host>)) == floats(x));
}
TEST_CASE("Two GPUs share a session, each with its part of the network", "[cuda][device]") {
    need_device();
    if (const std::size_t count = find_cuda().devices.size(); count < 2)
        SKIP("this takes two GPUs, and there is " << count);
    const model m = model_of(network(2, "Sigmoid"));
    const tensor x = random_tensor({2, 8, 17, 19}, 7);
    const inlay::session host{m, quiet, cpu{}};
    const tensor expected = host.run({{"x", x}})[0];
    for (cuda options : {cuda{}, cuda{.do_copy_in_default_stream = false}, cuda{.enable_cuda_graph = true},
                         cuda{.precision = cuda_precision::float16}}) {
        CAPTURE(options.do_copy_in_default_stream, options.enable_cuda_graph, to_text(options.precision));
        const double error = options.precision == cuda_precision::standard ? 1e-5 : 1e-2;
        cuda second = options;
        second.device_id = 1;
        const inlay::session s{m, quiet, part{second, true}, part{options, false}, cpu{}};
        CHECK(s.plan().count("CUDAExecutionProvider:0") > 0);
        CHECK(s.plan().count("CUDAExecutionProvider:1") > 0);
        for (int run = 0; run < 4; ++run) CHECK(distance(s.run({{"x", x}})[0], expected) < error);
        std::atomic<int> wrong{0};
        std::vector<std::thread> callers;
        for (int t = 0; t < 4; ++t)
            callers.emplace_back([&] {
                for (int i = 0; i < 20; ++i)
                    if (!(distance(s.run({{"x", x}})[0], expected) < error)) ++wrong;
            });
        for (auto& c : callers) c.join();
        CHECK(wrong == 0);
        binding b = s.bind();
        const tensor input = x.copied_to(space_on<memory::cuda>(1));  // for the first convolution
        b.set_input("x", input);
        b.set_output("y", space_of<memory::cuda>);
        for (int run = 0; run < 4; ++run) REQUIRE(b.run() == status::ok);
        CHECK(b.output("y").where().name == "cuda");
        CHECK(distance(b.output("y").copied_to(space_of<memory::host>), expected) < error);
        CHECK(floats(input.copied_to(space_of<memory::host>)) == floats(x));
    }
}
TEST_CASE("Bound device memory is read and written where it is", "[cuda][device]") {
    need_device();
    const model m = model_of(network(1, "Relu"));
    const tensor x = random_tensor({2, 8, 17, 19}, 11), z = random_tensor({2, 8, 17, 19}, 12);
    const space& device = space_of<memory::cuda>;
    for (const bool graphs : {false, true}) {
        const inlay::session s{m, quiet, cuda{.enable_cuda_graph = graphs}, cpu{}};
        binding plain = s.bind(), bound = s.bind();
        const tensor y(element::f32, {2, 8}, device);
        bound.set_output("y", y);
        for (const tensor& in : {x, z, x}) {
            plain.set_input("x", in);
            bound.set_input("x", in.copied_to(device));
            for (int run = 0; run < 3; ++run) {
                REQUIRE(plain.run() == status::ok);
                REQUIRE(bound.run() == status::ok);
                CHECK(bound.output("y").data() == y.data());
                CHECK(distance(y.copied_to(space_of<memory::host>), plain.output("y")) < 1e-6);
            }
        }
    }
}
