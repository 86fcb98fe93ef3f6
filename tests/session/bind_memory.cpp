// Bindings over the caller's memory, on the host and on a board: what is copied, and how often.
#include "../models.hpp"
#include "test_providers.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const space& on_board = space_of<board_memory>;
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});
const char* const all_board = "g (float[4] x) => (float[4] y) { a = Add(x, x) b = Relu(a) y = Add(b, x) }";
const char* const shared =
    "g (float[4] x) => (float[4] y, float[4] z) { y = Add(x, x) z = Mul(y, x) }";  // Mul is no operator of the board:
                                                                                   // the host reads x and y

session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
struct copies {
    int in, out;
    friend bool operator==(const copies&, const copies&) = default;
};
copies copies_of(binding& b) {
    const int in = board_space::to_board, out = board_space::to_host;
    REQUIRE(b.run() == status::ok);
    return {board_space::to_board - in, board_space::to_host - out};
}
std::vector<float> fetched_from(const tensor& t) { return floats(t.copied_to(space_of<memory::host>)); }
}  // namespace

TEST_CASE("A run between memory of the device copies nothing", "[bind_memory]") {
    const inlay::session s{model_of(all_board), quiet(), board{}, cpu{}};
    binding b = s.bind();
    b.set_input("x", x4);
    CHECK(copies_of(b) == copies{1, 1});
    CHECK(floats(b.output("y")) == std::vector<float>{3, -2, 9, -4});

    const tensor x = x4.copied_to(on_board);
    b.set_input("x", x);
    CHECK(copies_of(b) == copies{0, 1});
    CHECK(floats(b.output("y")) == std::vector<float>{3, -2, 9, -4});

    b.set_output("y", on_board);
    CHECK(copies_of(b) == copies{0, 0});
    CHECK(b.output("y").where().name == "board");
    CHECK(fetched_from(b.output("y")) == std::vector<float>{3, -2, 9, -4});

    const tensor y(element::f32, {4}, on_board);
    b.set_output("y", y);
    CHECK(copies_of(b) == copies{0, 0});
    CHECK(b.output("y").data() == y.data());
    CHECK(fetched_from(y) == std::vector<float>{3, -2, 9, -4});
    CHECK(fetched_from(x) == floats(x4));  // a run leaves its inputs as they were

    b.set_output("y", space_of<memory::host>);  // as it was first
    b.set_input("x", tensor({4}, {1.f, 1.f, 1.f, 1.f}));
    CHECK(copies_of(b) == copies{1, 1});
    CHECK(floats(b.output("y")) == std::vector<float>(4, 3.f));
    CHECK(fetched_from(y) == std::vector<float>{3, -2, 9, -4});
}

TEST_CASE("What the host reads as well is fetched once", "[bind_memory]") {
    const inlay::session s{model_of(shared), quiet(), board{}, cpu{}};
    binding b = s.bind();
    b.set_input("x", x4.copied_to(on_board));
    CHECK(copies_of(b) == copies{0, 2});  // x and y, for Mul
    CHECK(floats(b.output("y")) == std::vector<float>{2, -4, 6, -8});
    CHECK(floats(b.output("z")) == std::vector<float>{2, 8, 18, 32});
    const tensor y(element::f32, {4}, on_board);
    b.set_output("y", y);
    CHECK(copies_of(b) == copies{0, 2});
    CHECK(fetched_from(y) == std::vector<float>{2, -4, 6, -8});
    CHECK(floats(b.output("z")) == std::vector<float>{2, 8, 18, 32});
    b.set_output("z", on_board);  // computed on the host, bound on the board
    CHECK(copies_of(b) == copies{1, 2});
    CHECK(fetched_from(b.output("z")) == std::vector<float>{2, 8, 18, 32});
}

TEST_CASE("Results are written into the caller's memory, without a copy", "[bind_memory]") {
    const inlay::session s{model_of("g (float[2,2] x) => (float[2,2] y, float[4] flat) { a = Add(x, x) y = Relu(a) f = "
                                    "Constant <value = int64[1] {4}> () n = Sub(x, y) flat = Reshape(n, f) }"),
                           cpu{.threads = 1}};
    binding b = s.bind();
    b.set_input("x", x4.reshaped({2, 2}));
    const tensor y(element::f32, {2, 2}), flat(element::f32, {4});
    b.set_output("y", y);
    b.set_output("flat", flat);
    REQUIRE(b.run() == status::ok);
    CHECK(b.output("y").data() == y.data());
    CHECK(floats(y) == std::vector<float>{2, 0, 6, 0});
    CHECK(floats(flat) == std::vector<float>{-1, -2, -3, -4});
    const tensor again(element::f32, {2, 2});
    b.set_output("y", again);
    b.set_input("x", tensor({2, 2}, {-1.f, 1.f, 1.f, 1.f}));
    REQUIRE(b.run() == status::ok);
    CHECK(floats(again) == std::vector<float>{0, 2, 2, 2});
    CHECK(floats(y) == std::vector<float>{2, 0, 6, 0});
    CHECK(floats(flat) == std::vector<float>(4, -1.f));
}

TEST_CASE("Results that no step writes are copied to the caller's memory", "[bind_memory]") {
    const inlay::session s{model_of("g (float[2] x) => (float[2] x, float[2] k, float[1,2] r, float[2] y, float[2,1] "
                                    "again) <float[2] k = {5, 6}>"
                                    " { s = Constant <value = int64[2] {1, 2}> () r = Reshape(x, s) y = Add(x, k) t = "
                                    "Constant <value = int64[2] {2, 1}> () again = Reshape(y, t) }"),
                           cpu{}};
    binding b = s.bind();
    b.set_input("x", tensor({2}, {1.f, 2.f}));
    std::map<std::string, tensor> buffers;
    for (const port& p : s.outputs()) b.set_output(p.name, buffers[p.name] = tensor(p.type, p.shape));
    REQUIRE(b.run() == status::ok);
    CHECK(floats(buffers["x"]) == std::vector<float>{1, 2});
    CHECK(floats(buffers["k"]) == std::vector<float>{5, 6});
    CHECK(floats(buffers["r"]) == std::vector<float>{1, 2});
    CHECK(floats(buffers["y"]) == std::vector<float>{6, 8});
    CHECK(floats(buffers["again"]) == std::vector<float>{6, 8});
}

TEST_CASE("A result may replace the input that it was made from", "[bind_memory]") {
    const inlay::session s{model_of("g (float[2] state, float[2] x) => (float[2] next, float[2] y) { next = Add(state, "
                                    "x) y = Sub(next, state) }"),
                           cpu{}};
    binding b = s.bind();
    const tensor state({2}, {0.f, 10.f});
    b.set_input("state", state);
    b.set_input("x", tensor({2}, {1.f, 2.f}));
    b.set_output("next", state);
    for (int step = 1; step <= 3; ++step) {
        REQUIRE(b.run() == status::ok);
        CHECK(floats(state) == std::vector<float>{float(step), 10.f + 2 * float(step)});
        CHECK(floats(b.output("y")) == std::vector<float>{1, 2});
    }
}

TEST_CASE("Bound convolutions write to the caller's memory at every thread count", "[bind_memory]") {
    std::string text = "g (float[1,3,9,9] x) => (float[1,4,7,7] y, float[1,4,7,7] z) <float[4,3,3,3] w = {";
    for (int i = 0; i < 108; ++i) text += (i ? ", " : "") + std::to_string(i % 5 - 2);
    const model m = model_of(text + "}> { c = Conv(x, w) y = Relu(c) z = Add(y, y) }");
    for (const int threads : {1, 2}) {
        const inlay::session s{m, cpu{.threads = threads}};
        binding plain = s.bind(), bound = s.bind();
        tensor x(element::f32, {1, 3, 9, 9});
        for (std::size_t i = 0; i < 243; ++i) x.as<float>()[i] = float(int(i % 11) - 5);
        const tensor y(element::f32, {1, 4, 7, 7}), z(element::f32, {1, 4, 7, 7});
        for (binding* b : {&plain, &bound}) b->set_input("x", x);
        bound.set_output("y", y);
        bound.set_output("z", z);
        REQUIRE(plain.run() == status::ok);
        REQUIRE(bound.run() == status::ok);
        CHECK(floats(y) == floats(plain.output("y")));
        CHECK(floats(z) == floats(plain.output("z")));
    }
}

TEST_CASE("Tensors that do not fit an output are refused, and the binding stays as it was", "[bind_memory]") {
    const inlay::session s{
        model_of(
            "g (float[2] x, string[1] words, int64 n) => (float[2] y, string[1] said, float[M] late) { y = Add(x, x) "
            "said = Identity(words) s = Constant <value_ints = [1]> () m = Reshape(n, s) late = ConstantOfShape(m) }"),
        quiet(), board{}, cpu{}};
    binding b = s.bind();
    b.input("n").as<std::int64_t>()[0] = 3;
    b.set_input("x", tensor({2}, {1.f, 2.f}));
    CHECK(raised([&] { b.set_output("x", tensor(element::f32, {2})); }).code == error_code::not_found);
    CHECK(raised([&] { b.set_output("y", tensor(element::f32, {3})); }).code == error_code::shape_mismatch);
    CHECK(raised([&] { b.set_output("y", tensor(element::f64, {2})); }).code == error_code::type_mismatch);
    CHECK(raised([&] { b.set_output("y", tensor()); }).code == error_code::invalid_argument);
    CHECK(raised([&] { b.set_output("said", tensor(element::string, {1})); }).text ==
          "inlay: output `said` has no memory that could be bound: it holds strings");
    CHECK(
        raised([&] { b.set_output("late", on_board); }).text ==
        "inlay: output `late` has no memory that could be bound: it holds a tensor whose size only the run determines");
    const error failure = raised([&] {
        (void)s.run({{"x", tensor({2}, {1.f, 2.f}).copied_to(on_board)},
                     {"words", tensor({1}, {std::string("a")})},
                     {"n", tensor(shape{}, {std::int64_t(1)})}});
    });
    CHECK(failure.code == error_code::wrong_memory_space);
    CHECK(failure.hint == "bind it: session.bind(), then binding::set_input()");
    REQUIRE(b.run() == status::ok);
    CHECK(floats(b.output("y")) == std::vector<float>{2, 4});
}
