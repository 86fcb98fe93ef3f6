// Bindings of Ort::: where results are, how long they live, and what repeated runs take.
#include "programs.hpp"
#include <new>
using namespace inlay::testing;

namespace {
std::atomic<bool> counting{false};
std::atomic<long> heap_calls{0};
}  // namespace
void* operator new(std::size_t bytes) {
    if (counting.load(std::memory_order_relaxed)) ++heap_calls;
    if (void* p = std::malloc(bytes ? bytes : 1)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    if (counting.load(std::memory_order_relaxed)) ++heap_calls;
    return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {
constexpr const char* doubled = "g (float[N] x) => (float[N] y, float[N] z) { y = Add(x, x)  z = Neg(y) }";
}

TEST_CASE("A binding reads the memory that is bound and writes the memory that is bound, run after run", "[ort]") {
    Ort::Session session = session_of(doubled);
    std::vector<float> x = {1, 2}, y(2);
    Ort::IoBinding binding(session);
    binding.BindInput("x", over(x, {2}));
    binding.BindOutput("y", over(y, {2}));
    binding.BindOutput("z", host());
    CHECK(binding.GetOutputNames() == std::vector<std::string>{"y", "z"});
    session.Run(Ort::RunOptions{nullptr}, binding);
    CHECK(y == std::vector<float>{2, 4});
    auto results = binding.GetOutputValues();
    CHECK(results[0].GetTensorData<float>() == y.data());
    CHECK(floats_of(results[1]) == std::vector<float>{-2, -4});
    x = {3, 4};
    session.Run({}, binding);
    CHECK(y == std::vector<float>{6, 8});
    CHECK(floats_of(binding.GetConst().GetOutputValues()[1]) == std::vector<float>{-6, -8});
    std::vector<float> longer = {1, 1, 1}, z(3);  // other shapes: bound again
    binding.BindInput("x", over(longer, {3}));
    binding.ClearBoundOutputs();
    binding.BindOutput("z", over(z, {3}));
    session.Run({}, binding);
    CHECK(z == std::vector<float>{-2, -2, -2});
    CHECK(y == std::vector<float>{6, 8});  // it is not written to any more
}

TEST_CASE("Results of a binding live on when it is gone", "[ort]") {
    std::vector<Ort::Value> results;
    {
        Ort::Session session = session_of(doubled);
        std::vector<float> x = {5};
        Ort::IoBinding binding(session);
        binding.BindInput("x", over(x, {1}));
        binding.BindOutput("y", host());
        session.Run({}, binding);
        results = binding.GetUnowned().GetOutputValues();
    }
    CHECK(floats_of(results[0]) == std::vector<float>{10});
}

TEST_CASE("A bound run that is repeated makes no heap call", "[ort]") {
    Ort::Session session = session_of(doubled);
    std::vector<float> x(64, 1.f), y(64);
    Ort::IoBinding binding(session);
    binding.BindInput("x", over(x, {64}));
    binding.BindOutput("y", over(y, {64}));
    const Ort::RunOptions options;
    session.Run(options, binding);
    heap_calls = 0;
    counting = true;
    for (int run = 0; run < 10; ++run) session.Run(options, binding);
    counting = false;
    CHECK(heap_calls == 0);
    counting = true;
    delete new int;
    counting = false;
    CHECK(heap_calls > 0);  // they are counted
}

TEST_CASE("Sizes that depend on data and values that are no tensors are bound too", "[ort]") {
    Ort::Session session = session_of("g (float[4] x) => (int64[R,C] y) { y = NonZero(x) }");
    std::vector<float> x = {0, 1, 0, 2};
    Ort::IoBinding binding(session);
    binding.BindInput("x", over(x, {4}));
    binding.BindOutput("y", host());
    session.Run({}, binding);
    auto first = binding.GetOutputValues();
    CHECK(first[0].GetTensorTypeAndShapeInfo().GetShape() == std::vector<std::int64_t>{1, 2});
    x[0] = 1;
    session.Run({}, binding);
    CHECK(binding.GetOutputValues()[0].GetTensorTypeAndShapeInfo().GetShape() == std::vector<std::int64_t>{1, 3});

    Ort::Session lists =
        session_of("g (seq(float[1]) s, float[1] x) => (seq(float[1]) t) { t = SequenceInsert(s, x) }");
    Ort::IoBinding second(lists);
    std::vector<Ort::Value> members;
    members.push_back(over(x, {1}));
    second.BindInput("s", Ort::Value::CreateSequence(members));
    second.BindInput("x", over(x, {1}));
    second.BindOutput("t", host());
    for (std::size_t run = 0; run < 2; ++run) lists.Run({}, second);
    CHECK(second.GetOutputValues()[0].GetCount() == 2);
}

TEST_CASE("What cannot be bound, or is not bound yet, is refused by name", "[ort]") {
    Ort::Session session = session_of(doubled), another = session_of(doubled);
    std::vector<float> x = {1, 2}, y(3);
    std::vector<double> d(2);
    Ort::IoBinding binding(session);
    CHECK(has_text(thrown_by([&] { binding.BindInput("w", over(x, {2})); }).text, "no input `w`"));
    CHECK(has_text(thrown_by([&] { binding.BindOutput("w", host()); }).text, "no output `w`"));
    CHECK(has_text(thrown_by([&] { session.Run({}, binding); }).text, "no output"));
    binding.BindOutput("y", host());
    CHECK(has_text(thrown_by([&] { session.Run({}, binding); }).text, "`x` is given 0 times"));
    CHECK(has_text(thrown_by([&] { binding.GetOutputValues(); }).text, "`y`"));
    binding.BindInput("x", over(d, {2}));
    CHECK(has_text(thrown_by([&] { session.Run({}, binding); }).text, "double"));
    binding.BindInput("x", over(x, {2}));
    binding.BindOutput("y", over(y, {3}));
    CHECK(has_text(thrown_by([&] { session.Run({}, binding); }).text, "[3]"));
    binding.BindOutput("y", host());
    CHECK(has_text(thrown_by([&] { another.Run({}, binding); }).text, "another session"));
    session.Run({}, binding);
    CHECK(floats_of(binding.GetOutputValues()[0]) == std::vector<float>{2, 4});
    binding.ClearBoundInputs();
    CHECK(thrown_by([&] { session.Run({}, binding); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { binding.BindInput("x", Ort::Value(nullptr)); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([] {
              Ort::Session nothing(nullptr);
              Ort::IoBinding b(nothing);
          }).code == ORT_INVALID_ARGUMENT);
}
