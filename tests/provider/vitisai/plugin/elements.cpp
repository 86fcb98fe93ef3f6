// Functions of one operand and of two, what rounds to codes, and normalizations.
#include "graph.hpp"
#include <algorithm>

namespace test_runner {
namespace {
float codes_of(const operation& o, float x) {  // a half goes up
    if (o.get<std::string>("round_mode") != "DPU_ROUND" || o.get<std::int32_t>("bit_width") != 8 ||
        !o.get<bool>("if_signed"))
        throw std::runtime_error("codes of another kind");
    return std::clamp(std::floor(std::ldexp(x, o.get<std::int32_t>("fix_point")) + 0.5f), -128.f, 127.f);
}
float number_of_code(const operation& o, float code) { return std::ldexp(code, -o.get<std::int32_t>("fix_point")); }
float one(const operation& o, float x) {
    const std::string type = o.type();
    if (type == "fix") return number_of_code(o, codes_of(o, x));
    if (type == "float2fix") return codes_of(o, x);
    if (type == "fix2float") return number_of_code(o, x);
    if (type == "relu") return x < 0 ? 0 : x;
    if (type == "relu6") return std::clamp(x, 0.f, 6.f);
    if (type == "leaky-relu") return x < 0 ? x * o.get<float>("alpha") : x;
    if (type == "elu") return x < 0 ? o.get<float>("alpha") * std::expm1(x) : x;
    if (type == "sigmoid") return 1 / (1 + std::exp(-x));
    if (type == "tanh") return std::tanh(x);
    if (type == "hard-sigmoid") return std::clamp(x + 3, 0.f, 6.f) / 6;
    if (type == "hard-swish") return x * std::clamp(x + 3, 0.f, 6.f) / 6;
    if (type == "exp") return std::exp(x);
    return -x;  // neg
}
tensor map(const operation& o) {
    tensor y = o.input();
    for (float& x : y.elements) x = one(o, x);
    return y;
}
float two(const std::string& type, float a, float b) {
    if (type == "add") return a + b;
    if (type == "sub") return a - b;
    if (type == "mul") return a * b;
    if (type == "div") return a / b;
    return type == "max" ? std::max(a, b) : std::min(a, b);
}
tensor fold(const operation& o) {
    tensor y(o.dims());
    const auto element = [&](const tensor& x, integers at) {  // of dimensions that are counted from the last one
        at.erase(at.begin(), at.end() - std::ptrdiff_t(x.dims.size()));
        for (std::size_t i = 0; i < at.size(); ++i)
            if (x.dims[i] == 1) at[i] = 0;
        return x.elements[std::size_t(number_of(at, x.dims))];
    };
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k) {
        const integers at = place_of(k, y.dims);
        float all = element(o.input("input", 0), at);
        for (int i = 1; i < o.inputs(); ++i) all = two(o.type(), all, element(o.input("input", i), at));
        y.elements[std::size_t(k)] = all;
    }
    return y;
}
tensor softmax(const operation& o) {
    tensor y = o.input();
    const auto axis = std::size_t(o.get<std::int32_t>("axis"));
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k) {
        integers at = place_of(k, y.dims);
        if (at[axis] != 0) continue;
        std::vector<float*> row;
        for (; at[axis] < y.dims[axis]; ++at[axis]) row.push_back(&y.elements[std::size_t(number_of(at, y.dims))]);
        float most = -INFINITY, sum = 0;
        for (float* e : row) most = std::max(most, *e);
        for (float* e : row) sum += * e = std::exp(*e - most);
        for (float* e : row) *e /= sum;
    }
    return y;
}
tensor normalize(const operation& o) {
    tensor y = o.input();
    const auto axis = std::size_t(o.get<std::int32_t>("axis"));
    for (std::int64_t k = 0; k < std::int64_t(y.elements.size()); ++k) {
        const auto c = std::size_t(place_of(k, y.dims)[axis]);
        const auto of = [&](const char* name) { return o.input(name).elements[c]; };
        float& x = y.elements[std::size_t(k)];
        x = (x - of("moving_mean")) / std::sqrt(of("moving_var") + o.get<float>("epsilon")) * of("gamma") + of("beta");
    }
    return y;
}
}  // namespace

rule find_element_rule(const std::string& type) {
    for (const char* name : {"fix", "float2fix", "fix2float", "relu", "relu6", "leaky-relu", "elu", "sigmoid", "tanh",
                             "hard-sigmoid", "hard-swish", "exp", "neg"})
        if (type == name) return map;
    for (const char* name : {"add", "sub", "mul", "div", "max", "min"})
        if (type == name) return fold;
    if (type == "softmax") return softmax;
    return type == "batchnorm" ? normalize : nullptr;
}
}  // namespace test_runner
