// Bindings: runs that make no heap call and take no lock, over memory that stays in place. And how many threads a
// session makes.
#include "../heap_calls.hpp"
#include "../models.hpp"
#include <filesystem>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
int threads_of_process() {
    int n = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        (void)task;
        ++n;
    }
    return n;
}
const char* const convolutions =
    "g (float[1,3,16,16] x) => (float[1,4,14,14] y, float[1,4] pooled) <float[4,3,3,3] w, float[4] b> {"
    " c = Conv(x, w, b) r = Relu(c) y = Add(r, r) p = GlobalAveragePool(r) flat = Constant <value = int64[2] {1, 4}> "
    "() pooled = Reshape(p, flat) }";
std::string with_weights() {  // w and b are small numbers
    std::string text(convolutions), numbers;
    for (int i = 0; i < 108; ++i) numbers += (i ? ", " : "") + std::to_string(i % 7 - 3);
    text.replace(text.find(" w,"), 3, " w = {" + numbers + "},");
    return text.replace(text.find(" b>"), 3, " b = {1, 0, -1, 2}>");
}
}  // namespace

TEST_CASE("A bound run makes no heap call and takes no lock", "[binding]") {
    CHECK(counted([] {
              std::vector<int> v(100);
              CHECK(v.size() == 100);
          }).calls == [] {  // the counter counts
#ifdef COUNTED
        return 2;
#else
        return 0;
#endif
    }());
    const model m = model_of(with_weights());
    for (const int threads : {1, 2}) {
        CAPTURE(threads);
        const inlay::session s{m, cpu{.threads = threads}};
        binding b = s.bind();
        const auto x = b.input("x").as<float>();
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(int(i % 5) - 2);
        REQUIRE(b.run() == status::ok);
        const tally t = counted([&] {
            for (int i = 0; i < 100; ++i)
                if (b.run() != status::ok) std::abort();
        });
        CHECK(t.calls == 0);
        CHECK(t.locks == 0);
        const fetched y = s.run({{"x", b.input("x")}});
        CHECK(floats(b.output("y")) == floats(y[0]));
        CHECK(floats(b.output("pooled")) == floats(y[1]));
    }
}

TEST_CASE("Nor does one in 16 bits, whose values lie over each other", "[binding]") {
    std::string text = with_weights();
    const std::string
        body = "c = Conv(x, w, b) r = Relu(c) y = Add(r, r) p = GlobalAveragePool(r)",
        casts =
            "x16 = Cast<to = 10>(x) w16 = Cast<to = 10>(w) b16 = Cast<to = 10>(b) c = Conv(x16, w16, b16) r = Relu(c) "
            "d = Add(r, r)"
            " t = Tanh(d) a = Abs(t) y = Cast<to = 1>(a) p16 = GlobalAveragePool(a) p = Cast<to = 1>(p16)";
    REQUIRE(text.find(body) != text.npos);
    text.replace(text.find(body), body.size(), casts);
    const model m = model_of(text, {.without = {"fuse_element_wise"}});
    const inlay::session plain{m, reference{}};
    for (const int threads : {1, 2}) {
        CAPTURE(threads);
        const inlay::session s{m, cpu{.threads = threads}};
        binding b = s.bind();
        const auto x = b.input("x").as<float>();
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(int(i % 5) - 2) / 32;
        REQUIRE(b.run() == status::ok);
        CHECK(s.plan().aliased >= 3);
        CHECK(counted([&] {
                  for (int i = 0; i < 100; ++i)
                      if (b.run() != status::ok) std::abort();
              }).calls == 0);
        const fetched y = plain.run({{"x", b.input("x")}});
        for (const char* name : {"y", "pooled"}) {
            const auto actual = floats(b.output(name)), expected = floats(y.at(name));
            for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(2e-3));
        }
    }
}
TEST_CASE("A bound run whose shapes depend on data makes no heap call while they stay", "[binding]") {
    const inlay::session s{model_of("g (int64[] first, int64[] last) => (int64[N] y, int64[N] z) { one = Constant "
                                    "<value_int = 1> () y = Range(first, last, one) z = Add(y, one) }"),
                           cpu{.threads = 1}};
    const std::vector<std::pair<std::string_view, shape>> scalars{{"first", shape{}}, {"last", shape{}}};
    binding b = s.bind(scalars);
    const auto set = [&](std::int64_t first, std::int64_t end) {
        b.input("first").as<std::int64_t>()[0] = first;
        b.input("last").as<std::int64_t>()[0] = end;
    };
    using list = std::vector<std::int64_t>;
    set(0, 3);
    REQUIRE(b.run() == status::ok);
    CHECK(counted([&] {
              for (int i = 0; i < 100; ++i)
                  if (b.run() != status::ok) std::abort();
          }).calls == 0);
    const tensor result = b.output("z");
    set(5, 8);
    REQUIRE(b.run() == status::ok);
    CHECK(elements<std::int64_t>(result) == list{1, 2, 3});  // memory that the caller holds is not written to
    CHECK(elements<std::int64_t>(b.output("z")) == list{6, 7, 8});
    set(2, 7);
    REQUIRE(b.run() == status::ok);
    CHECK(elements<std::int64_t>(b.output("z")) == list{3, 4, 5, 6, 7});
}

TEST_CASE("A run by name allocates its results and little else", "[binding]") {
    const inlay::session s{model_of("g (float[1,16384] x) => (float[1,16384] y) { a = Add(x, x) b = Mul(a, x) c = "
                                    "Relu(b) d = Mul(c, a) y = Add(d, b) }"),
                           cpu{.threads = 1}};
    const tensor x = ones({1, 16384});
    const std::vector<feed> in{{"x", x}};
    for (int i = 0; i < 3; ++i) (void)s.run(in);
    const tally first = counted([&] {
        const fetched y = s.run(in);
        if (y.size() != 1) std::abort();
    });
    const tally again = counted([&] {
        const fetched y = s.run(in);
        if (y.size() != 1) std::abort();
    });
    CHECK(first.calls == again.calls);
    CHECK(first.bytes <= 4 * 16384 + 1024);  // of the result, not of what lies between
    CHECK(first.calls <= 24);                // malloc and free of the result and the lists around it
}

TEST_CASE("A binding reads its inputs where they are and writes its outputs to one place", "[binding]") {
    const inlay::session s{model_of("g (float[2] x, float[2] z) => (float[2] y) { a = Add(x, z) y = Relu(a) }"), cpu{}};
    binding b = s.bind();
    b.input("x").as<float>()[0] = 5.f;
    CHECK(b.run() == status::ok);
    CHECK(floats(b.output("y")) == std::vector{5.f, 0.f});
    const void* place = b.output("y").data();
    float data[] = {1.f, 2.f};
    b.set_input("x", tensor::borrow(data, {2}));
    CHECK(b.input("x").data() == data);
    CHECK(b.run() == status::ok);
    CHECK(floats(b.output("y")) == std::vector{1.f, 2.f});
    data[0] = 7.f;
    CHECK(b.run() == status::ok);
    CHECK(b.run() == status::ok);  // a run leaves its inputs as they were
    CHECK(floats(b.output("y")) == std::vector{7.f, 2.f});
    CHECK(b.output("y").data() == place);
    CHECK(data[0] == 7.f);
    CHECK(raised([&] { (void)b.input("w"); }).code == error_code::not_found);
    CHECK(raised([&] { (void)b.output("x"); }).code == error_code::not_found);
    CHECK(raised([&] { b.set_input("x", ones({3})); }).code == error_code::shape_mismatch);
    CHECK(raised([&] { b.set_input("x", tensor({2}, {1., 2.})); }).code == error_code::type_mismatch);
}

TEST_CASE("Outputs that are inputs or constants can be bound too", "[binding]") {
    const inlay::session s{model_of("g (float[2] x) => (float[2] x, float[2] k, float[1,2] r) <float[2] k = {5, 6}> { "
                                    "s = Constant <value = int64[2] {1, 2}> () r = Reshape(x, s) }"),
                           cpu{}};
    binding b = s.bind();
    float data[] = {1.f, 2.f};
    b.set_input("x", tensor::borrow(data, {2}));
    CHECK(b.run() == status::ok);
    CHECK(floats(b.output("x")) == std::vector{1.f, 2.f});
    CHECK(floats(b.output("k")) == std::vector{5.f, 6.f});
    CHECK(floats(b.output("r")) == std::vector{1.f, 2.f});
}

TEST_CASE("A binding is made for given shapes", "[binding]") {
    const inlay::session s{model_of("g (float[N,2] x, float[N,2] z) => (float[N,2] y) { y = Add(x, z) }"), cpu{}};
    CHECK(raised([&] { (void)s.bind(); }).text ==
          "inlay: input `x` has symbolic dimensions [?,2]; give its shape to bind()");
    CHECK(raised([&] {
              (void)s.bind({{"x", {3, 2}}, {"z", {2, 2}}});
          }).text == "inlay: input `z` has shape [2,2], but `N` is 3 in another input");
    CHECK(raised([&] { (void)s.bind({{"w", {3, 2}}}); }).code == error_code::not_found);
    binding three = s.bind({{"x", {3, 2}}, {"z", {3, 2}}}), five = s.bind({{"x", {5, 2}}, {"z", {5, 2}}});
    for (binding* b : {&three, &five})
        for (const char* name : {"x", "z"})
            for (float& f : b->input(name).as<float>()) f = 2.f;
    CHECK(five.run() == status::ok);
    CHECK(three.run() == status::ok);
    CHECK(floats(five.output("y")) == std::vector(10, 4.f));
    CHECK(three.output("y").shape() == shape{3, 2});
    CHECK(floats(three.output("y")) == std::vector(6, 4.f));
}

TEST_CASE("A binding outlives its session and can be moved", "[binding]") {
    std::vector<binding> bindings;
    {
        const inlay::session s{model_of("g (float[2] x) => (float[2] y) { y = Add(x, x) }"), cpu{.threads = 2}};
        bindings.push_back(s.bind());
        bindings.push_back(s.bind());
    }
    bindings[0].input("x").as<float>()[0] = 1.f;
    bindings[1].input("x").as<float>()[0] = 2.f;
    std::swap(bindings[0], bindings[1]);
    for (binding& b : bindings) CHECK(b.run() == status::ok);
    CHECK(bindings[0].output("y").as<float>()[0] == 4.f);
    CHECK(bindings[1].output("y").as<float>()[0] == 2.f);
}

TEST_CASE("Bindings report why a run ended", "[binding]") {
    const inlay::session s{model_of("g (float[3] x, int64[1] at) => (float[1] y) { y = Gather(x, at) }"), cpu{}};
    binding b = s.bind();
    b.input("at").as<std::int64_t>()[0] = 3;
    CHECK(b.run() == status::invalid_value);
    CHECK_FALSE(b.why().empty());
    b.input("at").as<std::int64_t>()[0] = 2;
    CHECK(b.run() == status::ok);
    std::atomic<bool> stop{true};
    CHECK(b.run({.stop = &stop}) == status::stopped);
    CHECK(b.run({.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)}) == status::deadline_passed);
}

TEST_CASE("Models whose shapes the values tell can be bound as well", "[binding]") {
    const inlay::session s{
        model_of("g (int64 n, float[2] x) => (float[M,2] y) { on = Constant <value = bool {1}> ()"
                 " last, y = Loop (n, on, x) <body = b (int64 i, bool go, float[2] v) => (bool again, float[2] next, "
                 "float[2] out) { again = Identity(go) next = Add(v, v) out = Identity(v) }> }"),
        cpu{}};
    binding b = s.bind();
    b.input("x").as<float>()[0] = 1.f;
    for (const std::int64_t n : {3, 1}) {
        b.input("n").as<std::int64_t>()[0] = n;
        CHECK(b.run() == status::ok);
        CHECK(b.output("y").shape() == shape{n, 2});
        CHECK(b.output("y").as<float>()[std::size_t(2 * n - 2)] == float(1 << (n - 1)));
    }
}

TEST_CASE("Bindings of one session run at once", "[binding][threads]") {
    const inlay::session s{model_of(with_weights()), cpu{.threads = 2}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 3; ++t)
        callers.emplace_back([&, t] {
            binding b = s.bind();
            for (float& f : b.input("x").as<float>()) f = float(t);
            if (b.run() != status::ok) ++wrong;
            const std::vector<float> first = floats(b.output("y"));
            for (int i = 0; i < 30; ++i)
                if (b.run() != status::ok || floats(b.output("y")) != first) ++wrong;
        });
    for (auto& c : callers) c.join();
    CHECK(wrong == 0);
}

TEST_CASE("A session creates one thread less than requested, the caller being one", "[binding]") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Add(x, x) }");
    const int before = threads_of_process();
    for (const int count : {1, 4}) {
        CAPTURE(count);
        session_options o;
        o.intra_op_num_threads = count;
        const inlay::session by_options{m, o, cpu{.threads = 7}};
        CHECK(threads_of_process() - before == count - 1);
        (void)by_options.run({{"x", ones({2})}});
        CHECK(threads_of_process() - before == count - 1);
        CHECK(by_options.plan().threads == count);
    }
    CHECK(threads_of_process() == before);
    const inlay::session by_provider{m, reference{}, cpu{.threads = 3}};
    CHECK(threads_of_process() - before == 2);
    CHECK(raised([&] { inlay::session{m, cpu{.threads = -2}}; }).code == error_code::invalid_option);
}
