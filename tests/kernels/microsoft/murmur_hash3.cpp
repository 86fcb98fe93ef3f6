// Mirrors kernels/inlay/microsoft/murmur_hash3.hpp. Expected values: ONNX Runtime's.
#include "../../catch.hpp"
#include "../../run_on.hpp"
#include <on_test_devices/microsoft/murmur_hash3.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class T> outcome hashed(const std::vector<T>& x, std::int64_t positive, std::int64_t seed) {
    call c{{tensor({std::int64_t(x.size())}, x)},
           [=](graph_data& g) {
               return std::vector{g.make("positive", positive), g.make("seed", seed)};
           },
           0,
           {positive ? element::u32 : element::i32}};
    return run<op::murmur_hash3, device::reference>(c);
}
template <class T>
void check(const std::vector<T>& x, const std::vector<std::uint32_t>& plain, const std::vector<std::int32_t>& seeded) {
    const auto a = hashed(x, 1, 0), b = hashed(x, 0, 42);
    REQUIRE(a.code == status::ok);
    REQUIRE(b.code == status::ok);
    CHECK(elements<std::uint32_t>(a[0]) == plain);
    CHECK(elements<std::int32_t>(b[0]) == seeded);
}
}  // namespace

TEST_CASE("MurmurHash3 hashes the bytes of numbers and of texts") {
    check<std::int32_t>({1, -2}, {4226891818, 1087594050}, {-559580957, -1160545675});
    check<std::uint32_t>({1, 2}, {4226891818, 1085422463}, {-559580957, 1765031574});
    check<std::int64_t>({1, -2}, {1392991556, 2856891269}, {-1712319331, -981642528});
    check<std::uint64_t>({1, 2}, {1392991556, 3323962100}, {-1712319331, -797927272});
    check<float>({1.f, -2.5f}, {3851923664, 845895142}, {-466301895, 1653708014});
    check<double>({1., -2.5}, {4152582287, 1498942453}, {-460888942, 2027713531});
    check<std::string>({"", "abc", "hello world", "abcdefg"}, {0, 3017643002, 1586663183, 2285673222},
                       {142593372, 1313807976, -368272391, 1781200409});
    CHECK(hashed<float>({}, 1, 0)[0].shape() == shape{0});
}
TEST_CASE("MurmurHash3 gives unsigned numbers unless signed ones are requested, and knows no third way") {
    const tensor x({1}, std::vector<std::int32_t>{1});
    call c{{x}};
    c.outputs = {element::u32};
    CHECK(run<op::murmur_hash3, device::reference>(c)[0].as<std::uint32_t>()[0] == 4226891818);
    CHECK(hashed<float>({1.f}, 2, 0).answer.reason == "positive must be 0 or 1");
}
