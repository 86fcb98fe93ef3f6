// Tensors as DLPack has them: the same memory, in whichever order they are freed.
#include "../catch.hpp"
#include <inlay/dlpack.hpp>
using namespace inlay;

namespace {
struct boards {};  // memory of several devices
template <class F> error raised(F f) {
    try {
        f();
    } catch (const error& e) {
        return e;
    }
    FAIL("no error was raised");
    return {error_code::invalid_argument, ""};
}
struct foreign {  // another library's tensor, on the stack
    std::vector<float> data{1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> shape{2, 3}, strides{3, 1};
    int deleted = 0;
    DLManagedTensor managed{{data.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), strides.data(), 0},
                            this,
                            [](DLManagedTensor* m) { ++static_cast<foreign*>(m->manager_ctx)->deleted; }};
};
}  // namespace
namespace inlay {
inline namespace v1 {
template <> struct memory_space<boards> {
    static constexpr std::string_view name = "board";
    static void* allocate(std::size_t bytes, int) noexcept { return std::malloc(bytes); }
    static void release(void* p, int) noexcept { std::free(p); }
};
template <> struct transfer<memory::host, boards> {
    static bool copy(void* to, const void* from, std::size_t n, int) noexcept {
        std::memcpy(to, from, n);
        return true;
    }
};
template <> struct transfer<boards, memory::host> : transfer<memory::host, boards> {};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A tensor taken from DLPack is the other library's memory", "[dlpack]") {
    foreign f;
    {
        tensor t = from_dlpack(&f.managed);
        CHECK(t.type() == element::f32);
        CHECK(t.shape() == shape{2, 3});
        CHECK(t.data() == f.data.data());
        const tensor copy = t;
        t = {};
        CHECK(f.deleted == 0);
        CHECK(copy.as<float>()[5] == 6.f);
    }
    CHECK(f.deleted == 1);
    f.managed.dl_tensor.strides = nullptr;
    f.managed.dl_tensor.ndim = 1;
    f.managed.dl_tensor.byte_offset = 4;
    {
        const tensor shifted = from_dlpack(&f.managed);
        CHECK(shifted.as<float>()[0] == 2.f);
    }
    CHECK(f.deleted == 2);
}

TEST_CASE("A tensor given to DLPack lives until its deleter is called", "[dlpack]") {
    DLManagedTensor* m;
    const void* data;
    {
        const tensor t({2, 2}, {std::int64_t(1), std::int64_t(2), std::int64_t(3), std::int64_t(4)});
        data = t.data();
        m = to_dlpack(t);
    }
    CHECK(m->dl_tensor.data == data);
    CHECK(m->dl_tensor.ndim == 2);
    CHECK(m->dl_tensor.shape[1] == 2);
    CHECK((m->dl_tensor.dtype.code == kDLInt && m->dl_tensor.dtype.bits == 64 && m->dl_tensor.dtype.lanes == 1));
    const tensor back = from_dlpack(m);  // calls the deleter in the end
    CHECK(back.as<std::int64_t>()[3] == 4);
    CHECK(back.data() == data);
}

TEST_CASE("Every element type that DLPack can name comes back as it was", "[dlpack]") {
    int named = 0;
    for (int e = 1; e < int(element::object); ++e) {
        if (!dlpack_type(element(e)).bits) continue;
        ++named;
        CHECK(from_dlpack(to_dlpack(tensor(element(e), {3}))).type() == element(e));
    }
    CHECK(named == 15);
    CHECK(raised([] { (void)to_dlpack(tensor(element::string, {1})); }).code == error_code::type_mismatch);
    CHECK(raised([] { (void)to_dlpack(tensor(element::i4, {2})); }).code == error_code::type_mismatch);
}

TEST_CASE("What DLPack allows and a tensor cannot hold is an error, and is given back", "[dlpack]") {
    const auto check = [](error_code code, auto change) {
        foreign f;
        change(f.managed.dl_tensor, f);
        CHECK(raised([&] { (void)from_dlpack(&f.managed); }).code == code);
        CHECK(f.deleted == 1);
    };
    check(error_code::shape_mismatch, [](DLTensor&, foreign& f) { f.strides = {1, 2}; });
    check(error_code::shape_mismatch, [](DLTensor&, foreign& f) { f.shape = {2, -3}; });
    check(error_code::shape_mismatch, [](DLTensor& t, foreign&) { t.ndim = 9; });
    check(error_code::shape_mismatch, [](DLTensor& t, foreign& f) {
        f.shape = {std::int64_t(1) << 40, std::int64_t(1) << 40};
        t.strides = nullptr;
    });
    check(error_code::type_mismatch, [](DLTensor& t, foreign&) { t.dtype.lanes = 4; });
    check(error_code::type_mismatch, [](DLTensor& t, foreign&) { t.dtype.bits = 24; });
    check(error_code::wrong_memory_space, [](DLTensor& t, foreign&) { t.device.device_type = kDLCUDA; });
    CHECK(raised([] { (void)from_dlpack(nullptr); }).code == error_code::invalid_argument);
    CHECK(raised([] {
              (void)to_dlpack(tensor(element::f32, {1}), {kDLCUDA, 0});
          }).code == error_code::wrong_memory_space);
    foreign odd;  // strides of what has one element, or none, say nothing
    odd.shape = {1, 3};
    odd.strides = {77, 1};
    CHECK(from_dlpack(&odd.managed).elements() == 3);
}

TEST_CASE("Memory of one of several devices keeps its device's number on the way through DLPack", "[dlpack]") {
    const space& second = space_on<boards>(1);
    const tensor t = tensor({2}, {1.f, 2.f}).copied_to(second);
    DLManagedTensor* const m = to_dlpack(t, {kDLOpenCL, 1});
    CHECK(m->dl_tensor.device.device_id == 1);
    const tensor back = from_dlpack(m, space_on<boards>(m->dl_tensor.device.device_id));
    CHECK(&back.where() == &second);
    CHECK(back.data() == t.data());
    const error export_error = raised([&] { (void)to_dlpack(t, {kDLOpenCL, 0}); });
    CHECK(export_error.code == error_code::wrong_memory_space);
    CHECK(export_error.text ==
          "inlay::to_dlpack: the tensor is in the memory space `board:1`, not on DLPack's device 4:0");
    const error import_error = raised([&] { (void)from_dlpack(to_dlpack(t, {kDLOpenCL, 1}), space_of<boards>); });
    CHECK(import_error.code == error_code::wrong_memory_space);
    CHECK(import_error.text == "inlay::from_dlpack: memory of device 4:1 is not in the space `board`");
}
