// Values of Ort::, without a session: whose memory they have, what they report, and what they refuse.
#include "programs.hpp"
using namespace inlay::testing;

namespace {
// An allocator of a program, which counts.
struct counting : OrtAllocator {
    Ort::MemoryInfo info = host();
    int allocations = 0, frees = 0;
    bool empty = false;
    counting() : OrtAllocator{} {
        version = ORT_API_VERSION;
        OrtAllocator::Alloc = [](OrtAllocator* self, std::size_t bytes) -> void* {
            auto& a = *static_cast<counting*>(self);
            return a.empty ? nullptr : (++a.allocations, std::malloc(bytes));
        };
        OrtAllocator::Free = [](OrtAllocator* self, void* p) {
            ++static_cast<counting*>(self)->frees;
            std::free(p);
        };
        OrtAllocator::Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
            return static_cast<const counting*>(self)->info;
        };
    }
};
constexpr std::int64_t two_by_three[] = {2, 3};
}  // namespace

TEST_CASE("A value over the program's memory is that memory, and reports its shape, type and place", "[ort]") {
    std::vector<float> data = {1, 2, 3, 4, 5, 6, 7};
    Ort::Value v = Ort::Value::CreateTensor<float>(host(), data.data(), data.size(), two_by_three, 2);
    CHECK(v.IsTensor());
    CHECK_FALSE(v.IsSparseTensor());
    CHECK(v.HasValue());
    CHECK(v.GetTensorData<float>() == data.data());
    CHECK(v.GetTensorMutableData<float>() == data.data());
    CHECK(v.GetTensorRawData() == data.data());
    CHECK(v.GetTensorMutableRawData() == data.data());
    CHECK(v.GetTensorSizeInBytes() == 24);
    CHECK(v.At<float>({1, 2}) == 6);
    v.At<float>({0, 1}) = 9;
    CHECK(data[1] == 9);
    const Ort::TensorTypeAndShapeInfo info = v.GetTensorTypeAndShapeInfo();
    CHECK(info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    CHECK(info.GetElementCount() == 6);
    CHECK(info.GetDimensionsCount() == 2);
    CHECK(info.GetShape() == std::vector<std::int64_t>{2, 3});
    std::int64_t dims[2] = {};
    info.GetDimensions(dims, 2);
    CHECK(dims[1] == 3);
    CHECK(info.GetConst().GetShape() == info.GetShape());
    CHECK(v.GetTypeInfo().GetONNXType() == ONNX_TYPE_TENSOR);
    CHECK(v.GetTensorMemoryInfo().GetAllocatorName() == "Cpu");
    CHECK(v.GetConst().GetTensorData<float>() == data.data());
    CHECK(v.GetUnowned().GetTensorMutableData<float>() == data.data());
    const Ort::Value moved = std::move(v);
    CHECK(moved.GetTensorData<float>() == data.data());
    CHECK(thrown_by([&] { (void)v.IsTensor(); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Elements are read as their own type, as integers of their size or as bytes, and as nothing else", "[ort]") {
    std::vector<std::int64_t> numbers = {1, -1};
    const Ort::Value v = over(numbers, {2});
    CHECK(v.GetTensorData<std::uint64_t>()[1] == ~std::uint64_t(0));
    CHECK(v.GetTensorData<long long>()[0] == 1);
    CHECK(v.GetTensorData<std::uint8_t>()[15] == 255);
    CHECK(v.GetTensorData<char>()[0] == 1);
    CHECK(v.GetTensorData<void>() == numbers.data());
    const auto refusal = thrown_by([&] { (void)v.GetTensorData<float>(); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "int64"));
    CHECK(thrown_by([&] { (void)v.GetTensorData<int>(); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)v.GetTensorData<double>(); }).code == ORT_INVALID_ARGUMENT);
    Ort::Value w = over(numbers, {2});
    CHECK(thrown_by([&] { (void)w.At<std::int64_t>({2}); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)w.At<std::int64_t>({0, 0}); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)w.At<std::int64_t>({-1}); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Memory of a program's allocator goes back to it when the last value that shares it is gone", "[ort]") {
    counting allocator;
    {
        Ort::Value v = Ort::Value::CreateTensor<float>(&allocator, two_by_three, 2);
        CHECK(floats_of(v) == std::vector<float>(6, 0.f));
        CHECK(allocator.allocations == 1);
        std::vector<Ort::Value> members;
        members.push_back(std::move(v));
        Ort::Value sequence = Ort::Value::CreateSequence(members);
        members.clear();
        CHECK(allocator.frees == 0);
        CHECK(sequence.GetCount() == 1);
        const Ort::Value member = sequence.GetValue(0, &allocator);
        sequence = Ort::Value(nullptr);
        CHECK(allocator.frees == 0);
        CHECK(member.GetTensorTypeAndShapeInfo().GetElementCount() == 6);
    }
    CHECK(allocator.frees == 1);
    auto* data = static_cast<float*>(std::malloc(24));
    {
        const Ort::Value v = Ort::Value::CreateTensor<float>(&allocator, data, 6, two_by_three, 2);
        CHECK(v.GetTensorData<float>() == data);
    }
    CHECK(allocator.frees == 2);
    float stays[5] = {};  // too little: the memory stays the caller's
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(&allocator, stays, 5, two_by_three, 2); }).code ==
          ORT_INVALID_ARGUMENT);
    CHECK(allocator.frees == 2);
    allocator.empty = true;
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(&allocator, two_by_three, 2); }).code ==
          ORT_RUNTIME_EXCEPTION);
    allocator.OrtAllocator::Info = nullptr;
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(&allocator, two_by_three, 2); }).code ==
          ORT_INVALID_ARGUMENT);
}

TEST_CASE("What no tensor can be is refused with the reason", "[ort]") {
    std::vector<float> data(6);
    const auto create = [&](std::vector<std::int64_t> dims, std::size_t count, ONNXTensorElementDataType type) {
        return thrown_by([&] {
            Ort::Value::CreateTensor(host(), data.data(), count * sizeof(float), dims.data(), dims.size(), type);
        });
    };
    constexpr auto f32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    CHECK(create({2, 3}, 6, f32).code == ORT_OK);
    CHECK(create({}, 1, f32).code == ORT_OK);
    CHECK(create({0, 3}, 0, f32).code == ORT_OK);
    CHECK(has_text(create({2, 3}, 5, f32).text, "takes 24 bytes, and 20 are given"));
    CHECK(has_text(create({-1, 3}, 6, f32).text, "dimension -1"));
    CHECK(create({std::int64_t(1) << 40, std::int64_t(1) << 40}, 6, f32).code == ORT_INVALID_ARGUMENT);
    CHECK(create(std::vector<std::int64_t>(9, 1), 6, f32).code == ORT_NOT_IMPLEMENTED);
    CHECK(has_text(create({2}, 6, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING).text, "FillStringTensor"));
    CHECK(create({2}, 6, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED).code == ORT_INVALID_ARGUMENT);
    CHECK(create({2}, 6, ONNXTensorElementDataType(30)).code == ORT_INVALID_ARGUMENT);
    const std::int64_t dims[] = {1};
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(host(), nullptr, 1, dims, 1); }).code ==
          ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(host(), data.data(), 6, nullptr, 2); }).code ==
          ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { Ort::Value::CreateTensor<float>(Ort::MemoryInfo(nullptr), data.data(), 6, dims, 1); }).code ==
          ORT_INVALID_ARGUMENT);
}

TEST_CASE("Strings are filled and read one by one or all together", "[ort]") {
    Ort::AllocatorWithDefaultOptions allocator;
    const std::int64_t dims[] = {3};
    Ort::Value v = Ort::Value::CreateTensor(allocator, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    const char* words[] = {"one", "", "three"};
    v.FillStringTensor(words, 3);
    CHECK(v.GetStringTensorDataLength() == 8);
    CHECK(v.GetStringTensorElement(2) == "three");
    CHECK(v.GetStringTensorElementLength(0) == 3);
    char text[8];
    std::size_t offsets[3];
    v.GetStringTensorContent(text, sizeof text, offsets, 3);
    CHECK(std::string(text, 8) == "onethree");
    CHECK(std::vector<std::size_t>(offsets, offsets + 3) == std::vector<std::size_t>{0, 3, 3});
    char three[5];
    v.GetStringTensorElement(5, 2, three);
    CHECK(std::string(three, 5) == "three");
    v.FillStringTensorElement("two", 1);
    CHECK(v.GetStringTensorElement(1) == "two");
    std::memcpy(v.GetResizedStringTensorElementBuffer(1, 4), "four", 4);
    CHECK(v.GetStringTensorElement(1) == "four");
    CHECK(v.GetTensorData<std::string>()[2] == "three");
    CHECK(thrown_by([&] { v.GetStringTensorElement(3); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { v.GetStringTensorElement(4, 2, three); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { v.GetStringTensorContent(text, 7, offsets, 3); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { v.GetStringTensorContent(text, 8, offsets, 2); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { v.FillStringTensor(words, 2); }).code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(thrown_by([&] { (void)v.GetTensorData<char>(); }).text, "GetStringTensorElement"));
    std::vector<float> x(1);
    CHECK(thrown_by([&] { over(x, {1}).GetStringTensorElement(0); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Maps are made of two rows and give them back in the order of the keys", "[ort]") {
    Ort::AllocatorWithDefaultOptions allocator;
    std::vector<std::int64_t> keys = {7, 3};
    std::vector<float> values = {0.5f, 0.25f};
    const Ort::Value map = Ort::Value::CreateMap(over(keys, {2}), over(values, {2}));
    CHECK_FALSE(map.IsTensor());
    CHECK(map.GetCount() == 2);
    const float* row = map.GetValue(1, allocator).GetTensorData<float>();  // of a value that is gone: the map has it
    CHECK(std::vector<float>(row, row + 2) == std::vector<float>{0.25f, 0.5f});
    CHECK(map.GetValue(0, allocator).GetTensorData<std::int64_t>()[0] == 3);
    const Ort::TypeInfo type = map.GetTypeInfo();
    REQUIRE(type.GetONNXType() == ONNX_TYPE_MAP);
    CHECK(type.GetMapTypeInfo().GetMapKeyType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
    CHECK(type.GetMapTypeInfo().GetMapValueType().GetTensorTypeAndShapeInfo().GetElementType() ==
          ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    CHECK(thrown_by([&] { map.GetValue(2, allocator); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { Ort::Value::CreateMap(over(values, {2}), over(values, {2})); }).code == ORT_INVALID_ARGUMENT);
    std::vector<float> three(3);
    CHECK(thrown_by([&] { Ort::Value::CreateMap(over(keys, {2}), over(three, {3})); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)map.GetTensorData<float>(); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { (void)over(values, {2}).GetCount(); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Memory is named by its kind and device, and compared by them", "[ort]") {
    const Ort::MemoryInfo info = host();
    CHECK(info.GetAllocatorName() == "Cpu");
    CHECK(info.GetAllocatorType() == OrtArenaAllocator);
    CHECK(info.GetDeviceId() == 0);
    CHECK(info.GetDeviceType() == OrtMemoryInfoDeviceType_CPU);
    CHECK(info.GetMemoryType() == OrtMemTypeDefault);
    CHECK(info == host());
    CHECK(info == info.GetConst());
    CHECK_FALSE(info == Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault));
    const auto refusal = thrown_by([] { Ort::MemoryInfo("Imaginary", OrtDeviceAllocator, 0, OrtMemTypeDefault); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "`Imaginary`"));
    CHECK(thrown_by([] { Ort::MemoryInfo("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault); }).code == ORT_OK);
}

TEST_CASE("Allocators give aligned memory, which an allocation gives back", "[ort]") {
    Ort::AllocatorWithDefaultOptions allocator;
    void* const p = allocator.Alloc(100);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
    allocator.Free(p);
    Ort::MemoryAllocation a = allocator.GetAllocation(10);
    CHECK(a.size() == 10);
    Ort::MemoryAllocation b = std::move(a);
    CHECK(a.get() == nullptr);
    CHECK(b.get() != nullptr);
    CHECK(allocator.GetInfo().GetAllocatorName() == "Cpu");
    const auto copy = allocator;  // of a view: the same allocator
    CHECK(static_cast<OrtAllocator*>(copy) == static_cast<OrtAllocator*>(allocator));
    CHECK(thrown_by([] { Ort::AllocatorWithDefaultOptions(nullptr).Alloc(1); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Small floats are those of Inlay, bit by bit", "[ort]") {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto h = Ort::Float16_t::FromBits(std::uint16_t(bits));
        const auto b = Ort::BFloat16_t::FromBits(std::uint16_t(bits));
        const float x = inlay::float16::of_bits(std::uint16_t(bits)), y = inlay::bfloat16::of_bits(std::uint16_t(bits));
        const bool agree = h.IsNaN() == std::isnan(x) && b.IsNaN() == std::isnan(y) &&
                           h.IsInfinity() == std::isinf(x) && b.IsFinite() == std::isfinite(y) &&
                           (h.IsNaN() || (h.ToFloat() == x && Ort::Float16_t(x).val == bits)) &&
                           (b.IsNaN() || (float(b) == y && Ort::BFloat16_t(y).val == bits)) &&
                           h.IsSubnormal() == (x != 0 && std::abs(x) < 6.103515625e-5f) &&
                           h.IsNegative() == std::signbit(h.IsNaN() && bits & 0x8000 ? -1.f : x);
        if (!agree) FAIL("bits " << bits);
    }
    const Ort::Float16_t unit(1.f), nan = Ort::Float16_t::FromBits(0x7e00), zero(0.f);
    CHECK(unit == Ort::Float16_t(1.f));
    CHECK(zero < unit);
    CHECK(unit != nan);
    CHECK_FALSE(nan == nan);
    CHECK(zero == zero.Negate());
    CHECK(Ort::Float16_t::AreZero(zero, zero.Negate()));
    CHECK(unit.Negate().Abs() == unit);
    CHECK(Ort::Float16_t(1e9f).IsPositiveInfinity());
    CHECK(Ort::BFloat16_t(std::numeric_limits<float>::lowest()).IsNegativeInfinity());
    static_assert(Ort::TypeToTensorType<Ort::BFloat16_t>::type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16);
    static_assert(Ort::TypeToTensorType<Ort::Float8E5M2_t>::type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2);
    static_assert(Ort::TypeToTensorType<unsigned long long>::type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64);
}
