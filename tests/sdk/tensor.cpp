// Mirrors include/inlay/tensor.hpp.
#include "../catch.hpp"
#include "../elements.hpp"
#include <inlay/tensor.hpp>
#include <cstdlib>
#include <cstring>
using namespace inlay;
using inlay::testing::elements;

namespace {
struct shelves {};     // memory of several devices
struct far_memory {};  // a memory space like a device's: its contents are moved through copies only
int live = 0;
std::vector<int> used_shelves;  // the shelves that were used
bool broken = false;
template <class T>
concept spannable = requires(tensor x) {
    x.as<T>();
};
template <class Tensor>
concept gives_spans = requires(Tensor&& x) {
    std::forward<Tensor>(x).template as<float>();
};
template <class F> error_code code_of(F f) {
    try {
        f();
    } catch (const error& e) {
        CHECK(!e.text.empty());
        return e.code;
    }
    FAIL("no error");
    return error_code::invalid_argument;
}
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct memory_space<far_memory> {
    static constexpr std::string_view name = "other";
    static void* allocate(std::size_t bytes) noexcept {
        if (broken) return nullptr;
        ++live;
        return std::malloc(bytes);
    }
    static void release(void* p) noexcept {
        --live;
        std::free(p);
    }
};
template <> struct memory_space<shelves> {
    static constexpr std::string_view name = "shelf";
    static void* allocate(std::size_t bytes, int device) noexcept {
        used_shelves.push_back(device);
        return device < 3 ? std::malloc(bytes) : nullptr;
    }
    static void release(void* p, int device) noexcept {
        used_shelves.push_back(device);
        std::free(p);
    }
    static error refused(std::size_t, int device) {
        return {error_code::provider_unavailable, "there is no shelf " + std::to_string(device)};
    }
};
template <> struct transfer<memory::host, shelves> {
    static bool copy(void* to, const void* from, std::size_t n, int device) noexcept {
        used_shelves.push_back(device);
        std::memcpy(to, from, n);
        return true;
    }
};
template <> struct transfer<shelves, memory::host> : transfer<memory::host, shelves> {};
template <> struct transfer<memory::host, far_memory> {
    static bool copy(void* to, const void* from, std::size_t n) noexcept {
        std::memcpy(to, from, n);
        return !broken;
    }
};
template <> struct transfer<far_memory, memory::host> {
    static bool copy(void* to, const void* from, std::size_t n) noexcept {
        std::memcpy(to, from, n);
        return !broken;
    }
};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A tensor that owns its memory starts with zeros, aligned to 64 bytes") {
    tensor t(element::f32, {3, 5});
    CHECK(t.type() == element::f32);
    CHECK(t.shape() == shape{3, 5});
    CHECK(t.elements() == 15);
    CHECK(t.bytes() == 60);
    CHECK(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0);
    CHECK(t.on_host());
    CHECK(bool(t));
    for (float x : t.as<float>()) CHECK(x == 0);
    const tensor raw = tensor::uninitialized(element::i64, {4});
    CHECK(raw.as<std::int64_t>().size() == 4);
}
TEST_CASE("A tensor may have no type, no elements or no dimensions") {
    CHECK(!tensor());
    CHECK(tensor().elements() == 0);
    CHECK(elements<double>(tensor(element::f64, {0, 3})).empty());
    CHECK(elements<double>(tensor(element::f64, {})).size() == 1);
    CHECK(elements<float>(tensor(shape{}, {2.f}))[0] == 2);
}
TEST_CASE("A tensor is made of values") {
    const tensor t({2, 2}, {1, 2, 3, 4});
    CHECK(t.type() == element::i32);
    CHECK(t.as<std::int32_t>()[3] == 4);
    CHECK(elements<double>(tensor({2}, std::vector<double>{1, 2}))[1] == 2);
    CHECK(elements<bool>(tensor({2}, {true, false}))[0]);
    const tensor words({2}, {std::string("a"), std::string(100, 'b')});
    CHECK(words.as<std::string>()[1] == std::string(100, 'b'));
    CHECK(code_of([] { tensor({3}, {1.f, 2.f}); }) == error_code::shape_mismatch);
}
TEST_CASE("A tensor of packed elements keeps them packed") {
    const tensor t({3}, {int4{1}, int4{-2}, int4{7}});
    CHECK(t.bytes() == 2);
    CHECK(int(load<int4>(t.data(), 1)) == -2);
    CHECK(static_cast<const std::uint8_t*>(t.data())[0] == 0xe1);
    STATIC_REQUIRE(!spannable<int4>);
    STATIC_REQUIRE(spannable<float8e4m3fn>);
}
TEST_CASE("A tensor of unknown shape is refused") {
    CHECK(code_of([] { tensor(element::f32, {2, -1}); }) == error_code::invalid_argument);
    CHECK(code_of([] { tensor(element::f32, shape::unknown()); }) == error_code::invalid_argument);
}
TEST_CASE("A temporary tensor gives no span, for its memory may end with it") {
    STATIC_REQUIRE(gives_spans<tensor&>);
    STATIC_REQUIRE(gives_spans<const tensor&>);
    STATIC_REQUIRE(!gives_spans<tensor>);
    STATIC_REQUIRE(!gives_spans<const tensor>);
    float numbers[]{1, 2};
    const auto view = [&] { return tensor_view(tensor::borrow(numbers, {2})); };
    view().as<float>()[1] = 3;
    CHECK(numbers[1] == 3);
    const tensor_view fixed = view();
    STATIC_REQUIRE(std::same_as<decltype(fixed.as<float>()), std::span<const float>>);
    CHECK(fixed.as<float>()[1] == 3);
    CHECK(code_of([&] { view().as<int>(); }) == error_code::type_mismatch);
}
TEST_CASE("A tensor gives its elements in their own type only") {
    tensor t(element::i32, {2});
    CHECK(code_of([&] { (void)t.as<float>(); }) == error_code::type_mismatch);
    CHECK(code_of([&] { (void)std::as_const(t).as<std::uint32_t>(); }) == error_code::type_mismatch);
    CHECK(code_of([] { elements<float>(tensor()); }) == error_code::type_mismatch);
    try {
        (void)t.as<float>();
    } catch (const error& e) {
        CHECK(e.text == "inlay::tensor: its elements are int32, not float");
    }
}
TEST_CASE("Copies of a tensor share its memory, clones do not") {
    tensor a({2}, {1.f, 2.f}), b = a, c = a.clone();
    b.as<float>()[0] = 9;
    CHECK(a.as<float>()[0] == 9);
    CHECK(c.as<float>()[0] == 1);
    const tensor words({1}, {std::string("text")}), other_words = words.clone();
    CHECK(other_words.as<std::string>()[0] == "text");
    CHECK(other_words.data() != words.data());
}
TEST_CASE("A tensor lives as long as its last copy") {
    tensor copy;
    {
        tensor t({1}, {std::string(100, 'x')});
        copy = t.reshaped({1, 1});
    }
    CHECK(copy.as<std::string>()[0] == std::string(100, 'x'));
}
TEST_CASE("A tensor borrows the caller's memory") {
    float x[4] = {1, 2, 3, 4};
    tensor t = tensor::borrow(x, {2, 2});
    t.as<float>()[2] = 7;
    CHECK(x[2] == 7);
    CHECK(t.data() == x);
    const float y[2] = {1, 2};
    CHECK(std::as_const(t).as<float>()[3] == 4);
    CHECK(tensor::borrow(element::f32, {2}, y).data() == y);
    bool released = false;
    {
        const auto keep = std::shared_ptr<void>(x, [&](void*) { released = true; });
        t = tensor::borrow(element::f32, {4}, x, space_of<memory::host>, keep);
    }
    CHECK(!released);
    t = tensor();
    CHECK(released);
}
TEST_CASE("A tensor is reshaped to as many elements") {
    const tensor t({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    const tensor r = t.reshaped({3, 2, 1});
    CHECK(r.shape() == shape{3, 2, 1});
    CHECK(r.data() == t.data());
    CHECK(code_of([&] { (void)t.reshaped({4}); }) == error_code::shape_mismatch);
}
TEST_CASE("A tensor in another memory space is copied, never read") {
    const tensor host_tensor({3}, {1.f, 2.f, 3.f});
    {
        const tensor far = host_tensor.copied_to(space_of<far_memory>);
        CHECK(live == 1);
        CHECK(!far.on_host());
        CHECK(far.where().name == "other");
        CHECK(code_of([&] { (void)far.as<float>(); }) == error_code::wrong_memory_space);
        CHECK(elements<float>(far.copied_to(space_of<memory::host>))[2] == 3);
        CHECK(code_of([&] { (void)far.clone(); }) == error_code::wrong_memory_space);  // no way within it
        broken = true;
        CHECK(code_of([&] { (void)far.copied_to(space_of<memory::host>); }) == error_code::wrong_memory_space);
        CHECK(code_of([&] { (void)host_tensor.copied_to(space_of<far_memory>); }) == error_code::out_of_memory);
        broken = false;
    }
    CHECK(live == 0);
}
TEST_CASE("Each of several devices has a memory space of its own") {
    STATIC_REQUIRE(memory_of_devices<shelves>);
    STATIC_REQUIRE_FALSE(memory_of_devices<far_memory>);
    const space& second = space_on<shelves>(2);
    CHECK(&second == &space_on<shelves>(2));
    CHECK(&second != &space_on<shelves>(1));
    CHECK(&space_on<shelves>(0) == &space_of<shelves>);
    CHECK(&space_on<far_memory>(2) == &space_of<far_memory>);  // no device's
    CHECK(space_of<shelves>.name == "shelf");
    CHECK(second.name == "shelf:2");
    CHECK(second.device == 2);
    CHECK(space_of<shelves>.device == 0);
    CHECK(space_of<far_memory>.device == -1);
    {
        const tensor far = tensor({2}, {1.f, 2.f}).copied_to(second);
        CHECK(elements<float>(far.copied_to(space_of<memory::host>))[1] == 2);
        CHECK(code_of([&] { (void)far.copied_to(space_of<shelves>); }) == error_code::wrong_memory_space);
    }
    CHECK(used_shelves ==
          std::vector<int>{2, 2, 2, 0, 0,
                           2});  // taken, filled, read; what was taken of the shelf 0 cannot be filled from there
    used_shelves.clear();
    CHECK(code_of([] { tensor(element::f32, {2}, space_on<shelves>(3)); }) == error_code::provider_unavailable);
}
TEST_CASE("Any value holds a tensor, a sequence, a map or an optional") {
    const any_value t = tensor({1}, {5.f});
    REQUIRE(t.as_tensor());
    CHECK(t.as_tensor()->as<float>()[0] == 5);
    CHECK(!t.as_sequence());
    CHECK(any_value().as_tensor());

    const any_value s = sequence{t, tensor(element::i64, {2})};
    REQUIRE(s.as_sequence());
    CHECK(s.as_sequence()->size() == 2);
    CHECK(!s.as_tensor());
    const any_value copy = s;
    CHECK(copy.as_sequence() == s.as_sequence());  // shared

    map m;
    m.emplace(std::int64_t(3), t);
    m.emplace(std::string("key"), s);
    const any_value dictionary = m;
    REQUIRE(dictionary.as_map());
    CHECK(dictionary.as_map()->at(map_key(std::string("key"))).as_sequence()->size() == 2);

    const any_value nothing = optional_value{}, something = optional_value{t};
    CHECK(!nothing.as_optional()->contents);
    CHECK(something.as_optional()->contents->as_tensor()->as<float>()[0] == 5);
    CHECK(!something.as_map());
}
