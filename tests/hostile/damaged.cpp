// Files that are no models any more: cut off, with bytes changed, with fields changed.
#include "attempt.hpp"
#include "mutate.hpp"

using namespace inlay::testing;

namespace {
std::string network() {
    auto m = message(R"(g (float[1,3,8,8] x, float[2,4] v) => (float[1,4] y, float[2,?] z) {
        c = Conv<pads = [1,1,1,1], strides = [2,2]>(x, w) r = Relu(c) p = GlobalAveragePool(r) f = Flatten(p) y = Softmax(f)
        s = Shape(v) t = Slice(s, zero, one) u = Concat<axis = 0>(t, minus) q = Reshape(v, u) z = Transpose<perm = [0,1]>(q) })");
    const auto add = [&](const char* name, int type, std::initializer_list<std::int64_t> dims, const auto& values) {
        auto& t = *m.mutable_graph()->add_initializer();
        t.set_name(name);
        t.set_data_type(type);
        for (auto d : dims) t.add_dims(d);
        t.set_raw_data(values.data(), values.size() * sizeof values[0]);
    };
    add("w", 1, {4, 3, 3, 3}, std::vector<float>(108, 0.1f));
    add("zero", 7, {1}, std::vector<std::int64_t>{0});
    add("one", 7, {1}, std::vector<std::int64_t>{1});
    add("minus", 7, {1}, std::vector<std::int64_t>{-1});
    return m.SerializeAsString();
}
}  // namespace

TEST_CASE("The undamaged file runs", "[hostile]") {
    check_hostile("undamaged", network(), "load: ok; cpu: ok; reference: ok");
}

TEST_CASE("A file that is cut off at any of 64 places is refused", "[hostile]") {
    const std::string file = network();
    for (int k = 0; k < 64; ++k) {
        const std::size_t length = file.size() * std::size_t(k) / 64;
        check_hostile("cut off after " + std::to_string(length) + " of " + std::to_string(file.size()) + " bytes",
                      file.substr(0, length), "load: invalid_model");
    }
}

TEST_CASE("A file with changed bytes is loaded or refused, and its run ends", "[hostile]") {
    const std::string file = network();
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::string damaged = file;
        for (unsigned k = 0; k <= seed % 4; ++k) damaged[random() % damaged.size()] = char(random());
        check_hostile("bytes changed with the seed " + std::to_string(seed), damaged);
    }
}

TEST_CASE("A model with changed fields is loaded or refused, and its run ends", "[hostile]") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        onnx::ModelProto m;
        REQUIRE(m.ParseFromString(network()));
        for (unsigned k = 0; k <= seed % 3; ++k) mutate(m, random);
        check_hostile_message("fields changed with the seed " + std::to_string(seed), m);
    }
}
