// Of com.microsoft, since 1: MoE: for each token x the sum over its k experts of weight * FC2 h, h = activation(FC1 x),
// times FC3 x where there is one; for swiglu h = g sigmoid(alpha g) (l + beta), g being FC1 x, at most `limit`, and l
// being FC3 x, within +- limit. With swiglu_fusion both are FC1 x: 1: its even and odd rows, 2: its halves. Weights are
// the softmax of the router's scores over all experts, or with normalize_routing_weights over those that are chosen;
// use_sparse_mixer: as in Phi-3.5-MoE. QMoE: the same with weights (value - zero point) * scale of 2, 4 or 8 bits,
// the first value in the lowest bits, one scale per row or per block_size numbers of a row. Its routing weights are the
// softmax over those that are chosen, or those of router_weights. gelu is the form by tanh.
// Inputs: tokens, scores, then weights and bias of FC1, FC2 and FC3; of QMoE weights, scales and bias of each, zero
// points of each, and router_weights.
#pragma once
#include <inlay/support/activation.hpp>
#include <inlay/support/expert_routing.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct expert_layer {  // FC1, FC2 or FC3 of all experts: rows of `depth` numbers
    static constexpr int absent = 31;
    int weights = absent, bias = absent, scales = absent, zeros = absent;  // inputs
    std::int64_t rows = 0, depth = 0, block = 0;                           // block: numbers that share a scale
    int bits = 0;                                                          // of a quantized value; 0: not quantized
    bool per_block = false;
    constexpr std::int64_t blocks() const { return depth / block; }
    constexpr std::int64_t row_bytes() const { return depth * bits / 8; }
};
struct moe_params {
    std::array<expert_layer, 3> fc{};
    expert_routing routing{};
    std::int64_t hidden = 0, inter = 0;
    plain_activation activation{};
    int swiglu = -1;  // -1: another activation; else swiglu_fusion
    float alpha = 1, beta = 0, limit = std::numeric_limits<float>::infinity();
    presence has{};
    int router_weights = expert_layer::absent;
    element scale_type{};

    constexpr bool gated() const { return has.has_in(fc[2].weights); }
    constexpr float activated(float x) const { return swiglu < 0 ? activation(x) : x / (1 + std::exp(-alpha * x)); }
    constexpr verdict read_attributes(const node_view& n) {
        constexpr float most = std::numeric_limits<float>::infinity();
        has = presence(n);
        const std::string_view name = n.text("activation_type", "relu");
        if (name == "relu")
            activation = {plain_activation::clip, 0, most};
        else if (name == "gelu")
            activation = {plain_activation::gelu_tanh};
        else if (name == "silu")
            activation = {plain_activation::silu};
        else if (name != "swiglu" && name != "identity")
            return no("activation_type must be relu, gelu, silu, swiglu or identity");
        const std::int64_t fusion = n.integer("swiglu_fusion", 0);
        if (fusion < 0 || fusion > 2) return no("swiglu_fusion must be 0, 1 or 2");
        if (name == "swiglu") {
            swiglu = int(fusion);
            if (fusion == 0 && !gated()) return no("swiglu needs FC3 where it is not fused");
            if (fusion != 0 && gated()) return no("swiglu that is fused has no FC3");
        }
        alpha = float(n.real("activation_alpha", 1));
        beta = float(n.real("activation_beta", 0));
        limit = float(n.real("swiglu_limit", double(most)));
        routing.k = n.integer("k", 1);
        routing.normalise = n.integer("normalize_routing_weights", 0) != 0;
        if (n.integer("use_sparse_mixer", 0) == 0) return yes();
        routing.by = expert_routing::weighing::sparse_mixer;
        return routing.k == 2 ? yes() : no("the sparse mixer is for k = 2");
    }
    // Where the inputs' shapes are known.
    constexpr verdict read_shapes(const node_view& n) {
        const shape &x = n.input(0).dims, &scores = n.input(1).dims, &w = n.input(fc[0].weights).dims;
        if (x.rank != 2 && x.rank != 3) return no("the input must be [tokens, hidden] or [batch, rows, hidden]");
        if (!countable(x)) return no("an input is too large");
        hidden = x[x.rank - 1];
        routing.tokens = x.elements(0, x.rank - 1);
        if (scores.rank != 2 || scores[0] != routing.tokens || scores[1] < 1)
            return no("router_probs must have a row per token, and a column per expert");
        if (has.has_in(router_weights) && n.input(router_weights).dims != scores)
            return no("router_weights must have the shape of router_probs");
        routing.experts = scores[1];
        if (routing.k < 1 || routing.k > routing.experts) return no("k must be from 1 to the number of experts");
        const int fused = swiglu > 0 ? 2 : 1;
        if (w.rank != 3 || w[1] % fused != 0) return no("FC1 must be [experts, rows, depth], its rows even for swiglu");
        inter = w[1] / fused;
        fc[0].rows = w[1];
        fc[0].depth = fc[2].depth = fc[1].rows = hidden;
        fc[1].depth = fc[2].rows = inter;
        std::int64_t rows = std::max<std::int64_t>(routing.tokens, 1);
        if (!multiplied(rows, 2 * std::max<std::int64_t>(inter, 1)) || rows > most_elements)
            return no("an input is too large");
        return yes();
    }
    constexpr verdict bias_fits(const node_view& n) const {
        for (const expert_layer& l : fc)
            if (has.has_in(l.bias) && n.input(l.bias).dims != shape{routing.experts, l.rows})
                return no("a bias must be [experts, rows]");
        return yes();
    }
    constexpr bool known(const node_view& n) const {
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return false;
        return true;
    }
    static constexpr verdict of_moe(const node_view& n, moe_params& p) {
        for (int i = 0; i < 3; ++i) p.fc[std::size_t(i)].weights = 2 + 2 * i, p.fc[std::size_t(i)].bias = 3 + 2 * i;
        if (const verdict v = p.read_attributes(n); !v || !p.known(n)) return v;
        if (const verdict v = p.read_shapes(n); !v) return v;
        for (const expert_layer& l : p.fc)
            if (p.has.has_in(l.weights) && n.input(l.weights).dims != shape{p.routing.experts, l.rows, l.depth})
                return no("weights must be [experts, rows, depth]");
        return p.bias_fits(n);
    }
    static constexpr verdict of_qmoe(const node_view& n, moe_params& p) {
        constexpr std::string_view bits[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                             "fc3_expert_weight_bits"};
        const std::int64_t all_bits = n.integer("expert_weight_bits", 4), block = n.integer("block_size", 0);
        for (int i = 0; i < 3; ++i) {
            const std::int64_t bit_count = n.integer(bits[i], all_bits);
            if (bit_count != 2 && bit_count != 4 && bit_count != 8) return no("expert_weight_bits must be 2, 4 or 8");
            p.fc[std::size_t(i)] = {2 + 3 * i, 4 + 3 * i, 3 + 3 * i, 11 + i, 0, 0, block, int(bit_count)};
        }
        p.router_weights = 14;
        if (n.text("quant_type", "int") != "int") return no("quant_type must be int");
        if (n.integer("weights_prepacked", -1) > 0) return no("weights that a provider packed are not supported");
        if (block < 0 || (block > 0 && (block < 16 || (block & (block - 1)))))
            return no("block_size must be a power of two from 16 on");
        if (const verdict v = p.read_attributes(n); !v) return v;
        if (p.has.has_in(14))
            p.routing.by = expert_routing::weighing::given;
        else if (p.routing.by == expert_routing::weighing::softmax)
            p.routing.by = expert_routing::weighing::softmax_of_top;
        if (!p.known(n)) return yes();
        if (const verdict v = p.read_shapes(n); !v) return v;
        for (expert_layer& l : p.fc)
            if (p.has.has_in(l.weights))
                if (const verdict v = p.read_codes(n, l); !v) return v;
        return p.bias_fits(n);
    }

  private:
    constexpr verdict read_codes(const node_view& n, expert_layer& l) const {
        if (!has.has_in(l.scales)) return no("scales are missing");
        if (l.depth % (8 / l.bits) != 0 || n.input(l.weights).dims != shape{routing.experts, l.rows, l.row_bytes()})
            return no("weights must be [experts, rows, depth * bits / 8]");
        l.per_block = l.block > 0;
        if (!l.per_block) l.block = std::max<std::int64_t>(l.depth, 1);
        if (l.depth % l.block != 0) return no("block_size must divide the depth of all layers");
        const shape whole{routing.experts, l.rows}, blocked{routing.experts, l.rows, l.blocks()};
        if (n.input(l.scales).dims != blocked && (l.per_block || n.input(l.scales).dims != whole))
            return no("scales must be [experts, rows], or [experts, rows, blocks]");
        if (!has.has_in(l.zeros)) return yes();
        const shape zeros = l.per_block ? shape{routing.experts, l.rows, (l.blocks() * l.bits + 7) / 8}
                                        : shape{routing.experts, (l.rows * l.bits + 7) / 8};
        return n.input(l.zeros).dims == zeros ? yes() : no("zero points must be those of the scales, packed in bytes");
    }
};

namespace op {
struct moe : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MoE";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict read(const node_view& n, moe_params& p) { return moe_params::of_moe(n, p); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2, 4})
            if (!n.has_input(k)) return no("an input is missing");
        return n.input_count() > 8 ? no("there are too many inputs") : shapes_of(n, y, &read);
    }
    static constexpr verdict shapes_of(const node_view& n, std::span<shape> y,
                                       verdict (*read)(const node_view&, moe_params&)) noexcept {
        moe_params p;
        if (const verdict v = read(n, p); !v) return v;
        return same_shape(n, y);
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) { return flop_of(n, s, 2, 4); }
    static constexpr double flop_of(const node_view& n, const argument_shapes& s, int first, int second) {
        const shape x = s.input(0), w = s.input(first), v = s.input(second);
        if (x.rank < 1 || w.rank != 3 || v.rank != 3 || !x.known() || !w.known() || !v.known()) return 0;
        const double rows = double(w[1]) * (w[1] == v[2] && n.has_input(second + second - first) ? 3 : 2);
        return 2 * count_of(x) * double(n.integer("k", 1)) * rows;
    }
};
struct qmoe : moe {
    static constexpr std::string_view onnx_name = "QMoE";
    static constexpr operator_facts facts{.mixes_rows = row_mixing::kernels};
    static constexpr verdict read(const node_view& n, moe_params& p) { return moe_params::of_qmoe(n, p); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2, 5})
            if (!n.has_input(k)) return no("an input is missing");
        return n.input_count() > 21 ? no("there are too many inputs") : shapes_of(n, y, &read);
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) { return flop_of(n, s, 2, 5); }
};
}  // namespace op

// One expert after another does the matmuls of all tokens routed to it.
template <class T> class expert_run {
    const moe_params& p_;
    const arguments& a_;
    context& c_;
    // In scratch: of each token its k experts and their weights; slots, which are token * k + rank, by expert; rows of
    // the tokens of one expert, and the layers' results; the accumulators.
    std::int64_t *experts_, *slots_, *begins_;
    float *weights_, *sums_, *rows_, *first_, *gate_, *second_;

  public:
    static constexpr std::int64_t bytes(const moe_params& p) {
        const auto& r = p.routing;
        const std::int64_t total = 8 * (2 * r.tokens * r.k + r.experts + 1) +
                                   4 * (r.tokens * r.k + r.tokens * (3 * p.hidden + p.fc[0].rows + p.inter));
        return (total + 63) / 64 * 64;
    }
    expert_run(const moe_params& p, const arguments& a, context& c) noexcept : p_(p), a_(a), c_(c) {
        const auto& r = p.routing;
        experts_ = reinterpret_cast<std::int64_t*>(c.scratch);
        slots_ = experts_ + r.tokens * r.k;
        begins_ = slots_ + r.tokens * r.k;
        weights_ = reinterpret_cast<float*>(begins_ + r.experts + 1);
        sums_ = weights_ + r.tokens * r.k;
        rows_ = sums_ + r.tokens * p.hidden;
        second_ = rows_ + r.tokens * p.hidden;
        first_ = second_ + r.tokens * p.hidden;
        gate_ = first_ + r.tokens * p.fc[0].rows;
    }
    // multiply(layer, expert, x, rows, y): y = x W' of this expert, of all rows. map(x, count): applies the activation.
    template <class F, class G> status operator()(F multiply, G map) noexcept {
        route();
        sort();
        std::fill_n(sums_, p_.routing.tokens * p_.hidden, 0.f);
        for (std::int64_t e = 0; e < p_.routing.experts; ++e) {
            const std::int64_t count = begins_[e + 1] - begins_[e];
            if (count == 0) continue;
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t d = 0, from = token(e, i) * p_.hidden; d < p_.hidden; ++d)
                    rows_[i * p_.hidden + d] = static_cast<float>(a_.in<T>(0)[from + d]);
            multiply(0, e, rows_, count, first_);
            if (p_.gated()) multiply(2, e, rows_, count, gate_);
            c_.split(count, 1, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) activate(e, i, map);
            });
            multiply(1, e, first_, count, second_);
            if (c_.stopped()) return status::stopped;
            add(e, count);
        }
        for (std::int64_t i = 0; i < p_.routing.tokens * p_.hidden; ++i) a_.out<T>(0)[i] = static_cast<T>(sums_[i]);
        return status::ok;
    }

  private:
    std::int64_t token(std::int64_t e, std::int64_t i) const noexcept { return slots_[begins_[e] + i] / p_.routing.k; }
    void route() noexcept {
        const expert_routing& r = p_.routing;
        const T *scores = a_.in<T>(1), *router_weights = p_.has.template in<T>(a_, p_.router_weights);
        c_.split(r.tokens, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c_);
            for (std::int64_t t = first; t < end && !ends(r.k * r.experts); ++t)
                r.choose([&](std::int64_t e) { return static_cast<float>(scores[t * r.experts + e]); },
                         [&](std::int64_t e) {
                             return router_weights ? static_cast<float>(router_weights[t * r.experts + e]) : 0.f;
                         },
                         experts_ + t * r.k, weights_ + t * r.k);
        });
    }
    void sort() noexcept {
        const std::int64_t slots = c_.stopped() ? 0 : p_.routing.tokens * p_.routing.k;
        std::fill_n(begins_, p_.routing.experts + 1, std::int64_t(0));
        for (std::int64_t s = 0; s < slots; ++s) ++begins_[experts_[s] + 1];
        for (std::int64_t e = 0; e < p_.routing.experts; ++e) begins_[e + 1] += begins_[e];
        for (std::int64_t s = 0; s < slots; ++s) slots_[begins_[experts_[s]]++] = s;
        for (std::int64_t e = p_.routing.experts; e > 0; --e) begins_[e] = begins_[e - 1];
        begins_[0] = 0;
    }
    void add_bias(int layer, std::int64_t e, float* x) const noexcept {
        const expert_layer& l = p_.fc[std::size_t(layer)];
        const T* b = p_.has.template in<T>(a_, l.bias);
        for (std::int64_t j = 0; b && j < l.rows; ++j) x[j] += static_cast<float>(b[e * l.rows + j]);
    }
    // In place: fused rows end in their first half.
    template <class G> void activate(std::int64_t e, std::int64_t i, G map) noexcept {
        float *x = first_ + i * p_.fc[0].rows, *gate = gate_ + i * p_.inter;
        add_bias(0, e, x);
        if (p_.gated()) add_bias(2, e, gate);
        for (std::int64_t j = 0; j < p_.inter; ++j) {
            if (p_.swiglu == 1) {
                gate[j] = x[2 * j + 1];
                x[j] = x[2 * j];
            }
            if (p_.swiglu == 2) gate[j] = x[p_.inter + j];
        }
        for (std::int64_t j = 0; p_.swiglu >= 0 && j < p_.inter; ++j) {  // NaN passes
            x[j] = x[j] > p_.limit ? p_.limit : x[j];
            gate[j] = (gate[j] > p_.limit ? p_.limit : gate[j] < -p_.limit ? -p_.limit : gate[j]) + p_.beta;
        }
        map(x, p_.inter);
        for (std::int64_t j = 0; (p_.gated() || p_.swiglu >= 0) && j < p_.inter; ++j) x[j] *= gate[j];
    }
    void add(std::int64_t e, std::int64_t count) noexcept {
        c_.split(count, 16, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const float weight = weights_[slots_[begins_[e] + i]];
                float *sum = sums_ + token(e, i) * p_.hidden, *x = second_ + i * p_.hidden;
                add_bias(1, e, x);
                for (std::int64_t d = 0; d < p_.hidden; ++d) sum[d] += weight * x[d];
            }
        });
    }
};

// Rows of weights as float32.
template <class T> void expert_row(const arguments& a, const expert_layer& l, std::int64_t row, float* y) noexcept {
    const T* w = a.in<T>(l.weights) + row * l.depth;
    for (std::int64_t k = 0; k < l.depth; ++k) y[k] = static_cast<float>(w[k]);
}
// Quantized weights of a layer; rows are those of all experts, one after another.
struct expert_codes {
    const expert_layer& layer;
    const std::uint8_t *codes, *zeros;
    const void* scales;
    element scale_type;
    expert_codes(const moe_params& p, const expert_layer& l, const auto& inputs) noexcept  // arguments or constants
        : layer(l),
          codes(inputs.template in<std::uint8_t>(l.weights)),
          zeros(p.has.in<std::uint8_t>(inputs, l.zeros)),
          scales(inputs.template in<std::byte>(l.scales)),
          scale_type(p.scale_type) {}
    int code(std::int64_t row, std::int64_t i) const noexcept { return packed(codes + row * layer.row_bytes(), i); }
    float scale(std::int64_t row, std::int64_t block) const noexcept {
        return float(quantized::load(scale_type, scales, row * layer.blocks() + block));
    }
    int zero(std::int64_t row, std::int64_t block) const noexcept {
        const auto bytes = [&](std::int64_t count) { return (count * layer.bits + 7) / 8; };
        return !zeros            ? 1 << (layer.bits - 1)
               : layer.per_block ? packed(zeros + row * bytes(layer.blocks()), block)
                                 : packed(zeros + row / layer.rows * bytes(layer.rows), row % layer.rows);
    }
    void row(std::int64_t row, float* y) const noexcept {
        for (std::int64_t b = 0; b * layer.block < layer.depth; ++b) {
            const float by = scale(row, b);
            const int less = zero(row, b);
            for (std::int64_t k = b * layer.block; k < (b + 1) * layer.block; ++k)
                y[k] = float(code(row, k) - less) * by;
        }
    }

  private:
    int packed(const std::uint8_t* x, std::int64_t i) const noexcept {
        return x[i * layer.bits / 8] >> (i * layer.bits % 8) & ((1 << layer.bits) - 1);
    }
};

template <std::derived_from<op::moe> Op, class T> struct kernel<Op, device::reference, types<T>> : simple_kernel {
    using params = moe_params;
    static constexpr bool of_codes = std::same_as<Op, op::qmoe>;
    static constexpr verdict supports(const node_view& n) {
        params p;
        (void)Op::read(n, p);
        for (const expert_layer& l : p.fc) {
            if (n.has_input(l.weights) && n.input(l.weights).type != (of_codes ? element::u8 : n.input(0).type))
                return no(of_codes ? "weights must be uint8" : "the inputs must have one type");
            if (n.has_input(l.bias) && n.input(l.bias).type != n.input(0).type)
                return no("the inputs must have one type");
            if (n.has_input(l.scales) && (!elements_of<quantized::real>.has(n.input(l.scales).type) ||
                                          n.input(l.scales).type != n.input(p.fc[0].scales).type))
                return no("scales must have one type, float, float16 or bfloat16");
            if (n.has_input(l.zeros) && n.input(l.zeros).type != element::u8) return no("zero points must be uint8");
        }
        for (int k : {1, p.router_weights})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        for (int k = 15; k < n.input_count(); ++k)
            if (n.has_input(k)) return no("scales of activations and of all weights are for other quant_types");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)Op::read(n, p);
        if (of_codes) p.scale_type = n.input(p.fc[0].scales).type;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, expert_run<T>::bytes(p) + std::int64_t(sizeof(float)) * std::max(p.hidden, p.inter) * threads};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        float* decoded = reinterpret_cast<float*>(c.scratch + expert_run<T>::bytes(p));
        const auto multiply = [&](int layer, std::int64_t e, const float* x, std::int64_t count, float* y) {
            const expert_layer& l = p.fc[std::size_t(layer)];
            const std::int64_t step = layer == 1 ? p.fc[0].rows : l.depth;  // from row to row of x
            c.split(l.rows, 1, [&](std::int64_t first, std::int64_t end, int part) {
                stop_check ends(c);
                float* w = decoded + part * std::max(p.hidden, p.inter);
                for (std::int64_t j = first; j < end && !ends(l.depth * (count + 1)); ++j) {
                    if constexpr (of_codes)
                        expert_codes(p, l, a).row(e * l.rows + j, w);
                    else
                        expert_row<T>(a, l, e * l.rows + j, w);
                    for (std::int64_t i = 0; i < count; ++i) {
                        float sum = 0;
                        for (std::int64_t k = 0; k < l.depth; ++k) sum += x[i * step + k] * w[k];
                        y[i * l.rows + j] = sum;
                    }
                }
            });
        };
        return expert_run<T>(p, a, c)(multiply, [&](float* x, std::int64_t count) {
            for (std::int64_t j = 0; j < count; ++j) x[j] = p.activated(x[j]);
        });
    }
};
}  // namespace v1
}  // namespace inlay
