#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/ml/categories.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using ints = std::vector<std::int64_t>;
using reals = std::vector<double>;
using texts = std::vector<std::string_view>;
struct item {
    std::string name;
    std::variant<ints, reals, texts, tensor, std::int64_t, double, std::string_view> content;
};
attributes all(std::vector<item> items) {
    return [=](graph_data& g) {
        std::vector<attribute> list;
        for (const item& i : items)
            list.push_back(std::visit(
                [&]<class T>(const T& x) {
                    if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string_view>)
                        return g.make(i.name, std::span<const typename T::value_type>(x));
                    else
                        return g.make(i.name, x);
                },
                i.content));
        return list;
    };
}
tensor strings(std::vector<std::string> x) { return tensor({std::int64_t(x.size())}, x); }
outcome encoded(const tensor& x, element to, std::vector<item> with, int version = 4) {
    return run<op::label_encoder, device::reference>({{x}, all(std::move(with)), version, {to}});
}
}  // namespace

TEST_CASE("LabelEncoder maps strings, integers and floats to each other") {
    CHECK(same(encoded(strings({"b", "x", "a"}), element::i64,
                       {{"keys_strings", texts{"a", "b"}}, {"values_int64s", ints{5, 6}}})[0],
               list({6, -1, 5})));
    CHECK(same(encoded(list({2, 7}), element::string,
                       {{"keys_int64s", ints{1, 2}}, {"values_strings", texts{"one", "two"}}}, 2)[0],
               strings({"two", "_Unused"})));
    CHECK(same(
        encoded(tensor({4}, {1.5f, NAN, -0.f, 3.f}), element::f32,
                {{"keys_floats", reals{1.5, NAN, 0}}, {"values_floats", reals{1, 2, 3}}, {"default_float", 9.}})[0],
        tensor({4}, {1.f, 2.f, 3.f, 9.f})));
    CHECK(same(encoded(list({1}), element::i64, {{"keys_int64s", ints{1, 1}}, {"values_int64s", ints{5, 6}}})[0],
               list({6})));
}
TEST_CASE("LabelEncoder reads keys, values and default from tensors") {
    CHECK(same(encoded(strings({"c", "?"}), element::i16,
                       {{"keys_tensor", strings({"a", "b", "c"})},
                        {"values_tensor", tensor({3}, {std::int16_t(7), std::int16_t(8), std::int16_t(9)})},
                        {"default_tensor", tensor({1}, {std::int16_t(42)})}})[0],
               tensor({2}, {std::int16_t(9), std::int16_t(42)})));
    tensor keys(element::i32, {1000}), values(element::f64, {1000});  // more than shape rules would read
    for (int i = 0; i < 1000; ++i) {
        keys.as<std::int32_t>()[std::size_t(i)] = -i;
        values.as<double>()[std::size_t(i)] = i * 0.5;
    }
    CHECK(same(encoded(tensor({2}, {-999, 1}), element::f64, {{"keys_tensor", keys}, {"values_tensor", values}})[0],
               tensor({2}, {499.5, -0.})));
    CHECK(same(encoded(tensor({1}, {3.}), element::string,
                       {{"keys_tensor", tensor({1}, {3.})}, {"values_tensor", strings({"y"})}})[0],
               strings({"y"})));
}
TEST_CASE("The first LabelEncoder and CategoryMapper") {
    CHECK(
        same(encoded(strings({"b", "z"}), element::i64, {{"classes_strings", texts{"a", "b"}}}, 1)[0], list({1, -1})));
    CHECK(same(encoded(list({1, 9}), element::string,
                       {{"classes_strings", texts{"a", "b"}}, {"default_string", std::string_view("none")}}, 1)[0],
               strings({"b", "none"})));
    const auto with = all({{"cats_strings", texts{"a", "b"}}, {"cats_int64s", ints{10, 20}}});
    CHECK(same(run<op::category_mapper, device::reference>({{strings({"b", "?"})}, with, 1, {element::i64}})[0],
               list({20, -1})));
    CHECK(same(run<op::category_mapper, device::reference>({{list({10, 11})}, with, 1, {element::string}})[0],
               strings({"a", "_Unused"})));
}
TEST_CASE("Lists of keys that do not fit are refused") {
    CHECK(!encoded(list({1}), element::i64, {{"keys_int64s", ints{1}}, {"values_int64s", ints{1, 2}}}).answer);
    CHECK(!encoded(list({1}), element::i64, {{"keys_strings", texts{"a"}}, {"values_int64s", ints{1}}}).answer);
    CHECK(!encoded(list({1}), element::i64, {}).answer);
    CHECK(encoded(list({1}), element::i64,
                  {{"keys_int64s", ints{1}}, {"values_int64s", ints{1}}, {"default_tensor", strings({"a"})}})
              .code == status::invalid_value);
    CHECK(encoded(list({1}), element::i64,
                  {{"keys_int64s", ints{1}}, {"values_int64s", ints{1}}, {"default_tensor", list({1, 2})}})
              .code == status::invalid_value);
}
TEST_CASE("OneHotEncoder puts a one at the place of the category") {
    const auto encode = [](const tensor& x, std::int64_t zeros = 1) {
        return run<op::one_hot_encoder, device::reference>(
            {{x},
             all({{"cats_int64s", ints{3, 1}}, {"cats_strings", texts{"a", "b"}}, {"zeros", zeros}}),
             1,
             {element::f32}});
    };
    const tensor expected({3, 2}, {0.f, 1.f, 1.f, 0.f, 0.f, 0.f});
    CHECK(same(encode(list({1, 3, 2}))[0], expected));
    CHECK(same(encode(tensor({3}, {1, 3, 2}))[0], expected));
    CHECK(same(encode(tensor({3}, {1.7f, 3.f, NAN}))[0], expected));
    CHECK(same(encode(tensor({3}, {1., 3., 1e300}))[0], expected));
    CHECK(same(encode(strings({"b", "a", ""}))[0], expected));
    CHECK(encode(list({2}), 0).code == status::invalid_value);
    CHECK(encode(tensor(element::i64, {0, 2}))[0].shape() == shape{0, 2, 2});
    CHECK(!run<op::one_hot_encoder, device::reference>({{list({1})}, all({}), 1, {element::f32}}).answer);
}
