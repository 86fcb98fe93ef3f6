// One node of any operator with any attributes, types, shapes and contents, from a string of bytes.
#pragma once
#include <inlay/plan/partition.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <attribute_names.hpp>

namespace inlay::testing {
inline constexpr std::string_view attribute_texts[] = {"",
                                                       "NOTSET",
                                                       "SAME_UPPER",
                                                       "SAME_LOWER",
                                                       "VALID",
                                                       "linear",
                                                       "cubic",
                                                       "nearest",
                                                       "reverse",
                                                       "bidirectional",
                                                       "forward",
                                                       "half_pixel",
                                                       "align_corners",
                                                       "tf_crop_and_resize",
                                                       "pytorch_half_pixel",
                                                       "asymmetric",
                                                       "half_pixel_symmetric",
                                                       "floor",
                                                       "ceil",
                                                       "round_prefer_floor",
                                                       "not_larger",
                                                       "not_smaller",
                                                       "stretch",
                                                       "Relu",
                                                       "Tanh",
                                                       "Sigmoid",
                                                       "Gelu",
                                                       "x",
                                                       "TO_FLOAT",
                                                       "TO_INT64",
                                                       "DENSE",
                                                       "SPARSE",
                                                       "LOWER",
                                                       "SOFTMAX",
                                                       "LOGISTIC",
                                                       "PROBIT",
                                                       "POLY",
                                                       "RBF",
                                                       "L1",
                                                       "MAX",
                                                       "TF",
                                                       "TFIDF",
                                                       "BRANCH_LEQ",
                                                       "LEAF",
                                                       "SUM",
                                                       "AVERAGE",
                                                       "int64_t",
                                                       "bicubic",
                                                       "border",
                                                       "reflection",
                                                       "circular",
                                                       "avg",
                                                       "swiglu",
                                                       "PER_CHANNEL",
                                                       "zeros",
                                                       "bilinear",
                                                       "max",
                                                       "output_half_pixel",
                                                       "Grayscale"};

class nonsense {
    std::span<const std::uint8_t> bytes_;

    unsigned next() {
        if (bytes_.empty()) return 0;
        const unsigned b = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return b;
    }
    std::int64_t number() {
        static constexpr std::int64_t list[] = {0,
                                                1,
                                                2,
                                                3,
                                                4,
                                                5,
                                                6,
                                                7,
                                                8,
                                                9,
                                                -1,
                                                -2,
                                                -3,
                                                -4,
                                                12,
                                                15,
                                                16,
                                                17,
                                                31,
                                                64,
                                                100,
                                                255,
                                                1024,
                                                4096,
                                                65535,
                                                1 << 20,
                                                (1 << 20) + 1,
                                                1 << 24,
                                                1 << 30,
                                                INT32_MAX,
                                                std::int64_t(1) << 32,
                                                std::int64_t(1) << 35,
                                                std::int64_t(1) << 36,
                                                (std::int64_t(1) << 36) + 1,
                                                std::int64_t(1) << 40,
                                                std::int64_t(1) << 61,
                                                std::int64_t(1) << 62,
                                                INT64_MAX - 1,
                                                INT64_MAX,
                                                -100,
                                                INT32_MIN,
                                                INT64_MIN,
                                                INT64_MIN + 1,
                                                -(std::int64_t(1) << 36)};
        const unsigned b = next();
        return b < 160 ? std::int64_t(b % 5) : list[b % std::size(list)];
    }
    double real() {
        static constexpr double list[] = {
            0, 1, 0.5, -1, 2, 1e-7, 1e30, -1e30, 1e300, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
        return list[next() % std::size(list)];
    }
    attribute some_attribute() {
        const std::string_view name = attribute_names[(next() + 256 * next()) % std::size(attribute_names)];
        std::vector<std::int64_t> integers;
        std::vector<double> reals;
        switch (next() % 9) {
            case 0:
            case 1: return graph.make(name, number());
            case 2: return graph.make(name, real());
            case 3: return graph.make(name, attribute_texts[next() % std::size(attribute_texts)]);
            case 4:
                for (unsigned k = next() % 6; k; --k) reals.push_back(real());
                return graph.make(name, std::span<const double>(reals));
            case 5: return graph.make(name, tensor(shape{1}, {number()}));
            case 6: {
                std::vector<std::string_view> texts;
                for (unsigned k = next() % 4; k; --k)
                    texts.push_back(attribute_texts[next() % std::size(attribute_texts)]);
                return graph.make(name, std::span<const std::string_view>(texts));
            }
            default:
                for (unsigned k = next() % 9; k; --k) integers.push_back(number());
                return graph.make(name, std::span<const std::int64_t>(integers));
        }
    }
    shape some_shape() {
        const unsigned kind = next();
        shape dims = shape::of_rank(int(kind % 6));
        if (kind > 250) dims = shape::of_rank(int(kind % 9));
        if (kind == 250) return shape::unknown();
        for (int i = 0; i < dims.rank; ++i) {
            dims[i] = number();
            if (dims[i] < -1) dims[i] = -1;
        }
        return dims;
    }
    static bool is_small(const shape& dims) {
        std::int64_t n = 64;
        if (!dims.known()) return false;
        for (std::int64_t d : dims)
            if (__builtin_mul_overflow(n, std::max<std::int64_t>(d, 1), &n) || n > 1 << 20) return false;
        return true;
    }
    static bool is_countable(const shape& dims) {
        std::int64_t n = 1;
        for (std::int64_t d : dims)
            if (d > 0 && (__builtin_mul_overflow(n, d, &n) || n > std::int64_t(1) << 36))
                return false;  // as session_core has it
        return true;
    }
    void fill(tensor& t) {
        for (std::int64_t i = 0; i < t.elements() && i < 64; ++i) switch (t.type()) {
                case element::i64: store<std::int64_t>(t.data(), i, number()); break;
                case element::i32: store<std::int32_t>(t.data(), i, std::int32_t(number())); break;
                case element::f32: store<float>(t.data(), i, float(real())); break;
                case element::f64: store<double>(t.data(), i, real()); break;
                case element::boolean: store<bool>(t.data(), i, next() & 1); break;
                default: return;
            }
    }
    int some_input(element type) {
        const shape dims = some_shape();
        const unsigned kind = next() % 3;
        if (is_small(dims)) {
            tensor t(type, dims);
            fill(t);
            inputs.emplace_back(t);
            return kind ? graph.add_value("x", type, dims) : graph.add_constant("c", t);
        }
        small = false;
        inputs.emplace_back();
        return graph.add_value("x", type, is_countable(dims) ? dims : shape::of_rank(dims.rank, -1));
    }
    static element one_of(element_set s, unsigned start) {
        for (unsigned k = 0; k < 256; ++k)
            if (const auto e = element((start + k) % unsigned(element_count));
                e != element::undefined && e != element::object && s.has(e))
                return e;
        return element::f32;
    }
    static element type_of(const entry& e, int constraint, unsigned type) {
        for (int c = 0; c < e.constraint_count; ++c)
            if (e.constraints[std::size_t(c)] == constraint) return one_of(e.elements[std::size_t(c)], type);
        return one_of(e.elements[0], type);
    }

  public:
    graph_data graph;
    std::vector<any_value> inputs;  // without the large ones
    const entry* rule = nullptr;
    bool small = true;  // all inputs are there

    nonsense(std::span<const std::uint8_t> bytes, std::span<const entry> entries) : bytes_(bytes) {
        const entry& e = entries[(next() + 256 * next()) % entries.size()];
        rule = &e;
        const int version = e.versions.since + int(next() % unsigned(e.versions.through - e.versions.since + 1));
        const unsigned input_count = next() % 8, output_count = 1 + next() % 3, type = next();
        std::vector<int> in, out;
        for (unsigned k = 0; k < input_count; ++k) {
            const unsigned kind = next();
            if (kind > 240) {
                in.push_back(-1);
                inputs.emplace_back();
                continue;
            }
            in.push_back(some_input(kind % 4 == 0 || k == 0
                                        ? type_of(e, int(k), type)
                                        : one_of({1u << int(element::i64) | 1u << int(element::f32)}, kind)));
        }
        for (unsigned k = 0; k < output_count; ++k)
            out.push_back(graph.add_value("y", type_of(e, output(int(k)), type), shape::unknown()));
        while (!in.empty() && in.back() < 0) in.pop_back();
        inputs.resize(in.size());
        std::vector<attribute> list;
        for (unsigned k = next() % 6; k; --k) list.push_back(some_attribute());
        graph.add_node(e.domain, e.name, version, "n", list, in, out);
    }
    // The queries of partitioner and planner; false where the rule or a verdict says no, or a shape stays open.
    bool ask(std::span<const entry> entries) {
        const node n = graph.nodes[0];
        std::vector<shape> y(std::size_t(n.outputs.count), shape::unknown());
        graph_view g = graph.view();
        for (int k = 0; k < rule->required_inputs; ++k)
            if (!node_view{g, n}.has_input(k)) return false;
        if (!rule->shapes(node_view{g, n}, y)) return false;
        for (std::size_t k = 0; k < y.size(); ++k) {
            if (y[k].rank > max_rank) __builtin_trap();
            if (y[k].known() && !is_countable(y[k])) return false;
            graph.values[std::size_t(graph.edges[std::size_t(n.outputs.first) + k])].dims = y[k];
        }
        g = graph.view();
        const node_view view{g, n};
        const int kernel = find_kernel(entries, view).kernel;
        if (kernel < 0) return false;
        (void)entries[std::size_t(kernel)].layouts(view);
        for (int threads : {1, 4})
            if (const bytes_needed b = entries[std::size_t(kernel)].footprint(view, threads);
                b.constant < 0 || b.scratch < 0)
                __builtin_trap();
        return true;
    }
};
}  // namespace inlay::testing
