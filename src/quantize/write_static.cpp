#include "write.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace quantizing {
encoding encoding_of(const value_range& r, element type) {
    const double low = std::min(0.f, r.low), high = std::max(0.f, r.high);  // 0 is representable: padding is 0
    const auto usable = [](double scale) {
        return scale < double(std::numeric_limits<float>::min()) ? 1.f : float(scale);
    };
    if (type == element::i8) return {type, usable(std::max(-low, high) / 127), 0};
    const float scale = usable((high - low) / 255);
    return {type, scale, int(std::clamp(std::nearbyint(-low / double(scale)), 0., 255.))};
}

namespace {
tensor bytes_of_codes(const encoding& e, const shape& dims, std::span<const float> x) {
    tensor t(e.type, dims);
    const double least = e.type == element::u8 ? 0 : -128, most = e.type == element::u8 ? 255 : 127;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double code = std::clamp(std::nearbyint(double(x[i]) / double(e.scale)) + e.zero, least, most);
        static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(int(code));
    }
    return t;
}
tensor one_code(element type, int code) {
    tensor t(type, shape{});
    *static_cast<std::uint8_t*>(t.data()) = std::uint8_t(code);
    return t;
}
tensor scales_tensor(const std::vector<float>& scales, int axis) {
    return tensor(axis < 0 ? shape{} : shape{std::int64_t(scales.size())}, scales);
}

class static_writer {
    const source_model& m_;
    const selection& s_;
    const quantize_options& o_;
    std::shared_ptr<ModelProto> to_ = loading::copy_of(*m_.message());
    graph_editor edit_{*to_};
    struct parameters {
        encoding e;
        std::string scale, zero;  // their names
    };
    std::vector<const candidate*> by_node_ = std::vector<const candidate*>(std::size_t(m_.graph().node_size()));
    std::map<std::string, value_range, std::less<>> group_ranges_;
    std::map<std::string, parameters, std::less<>> group_parameters_;
    std::map<std::string, std::string, std::less<>> decoded_;  // of values quantized here: the dequantized one's name
    std::map<std::pair<std::string, std::string>, std::string> weights_;  // by name and scales

    void find_ranges(const ranges& measured) {
        const auto range_of = [&](const std::string& name) -> value_range {
            if (const auto c = m_.constant(name)) {
                const auto x = c->as<float>();
                const auto [low, high] = std::ranges::minmax(x);
                return {low, high};
            }
            if (made_here(name) && maker(name)->kind == role::to_one) return {0, 255.f / 256};
            return measured.at(name).range;
        };
        for (const std::string& name : s_.encoded) {
            const value_range r = range_of(name);
            const auto [at, first] = group_ranges_.try_emplace(s_.group.at(name), r);
            if (!first) at->second = {std::min(at->second.low, r.low), std::max(at->second.high, r.high)};
        }
    }
    const parameters& parameters_of(const std::string& name) {
        const std::string& group = s_.group.at(name);
        const auto at = group_parameters_.find(group);
        if (at != group_parameters_.end()) return at->second;
        parameters p{encoding_of(group_ranges_.at(group), o_.activations), {}, {}};
        p.scale = edit_.add_constant(name + "_scale", tensor(shape{}, std::vector{p.e.scale}));
        p.zero = edit_.add_constant(name + "_zero_point", one_code(p.e.type, p.e.zero));
        return group_parameters_.emplace(group, std::move(p)).first->second;
    }
    void encode_and_decode(const std::string& from, const std::string& base, const std::string& to) {
        const parameters& p = parameters_of(base);
        const std::string codes = edit_.fresh(base + "_quantized");
        edit_.add("QuantizeLinear", {from, p.scale, p.zero}, codes);
        edit_.add("DequantizeLinear", {codes, p.scale, p.zero}, to);
    }
    const candidate* maker(const std::string& name) const {
        const int k = m_.maker(name);
        return k < 0 ? nullptr : by_node_[std::size_t(k)];
    }
    bool made_here(const std::string& name) const { return maker(name) != nullptr; }
    // The name that a quantized node reads in place of the value.
    std::string read(const std::string& name) {
        if (!s_.encoded.contains(name) || made_here(name)) return name;
        const auto at = decoded_.find(name);
        if (at != decoded_.end()) return at->second;
        const std::string to = edit_.fresh(name + "_dequantized");
        if (const auto c = m_.constant(name)) {
            const parameters& p = parameters_of(name);
            const std::string codes =
                edit_.add_constant(name + "_quantized", bytes_of_codes(p.e, c->shape(), c->as<float>()));
            edit_.add("DequantizeLinear", {codes, p.scale, p.zero}, to);
            edit_.replaced(name);
        } else
            encode_and_decode(name, name, to);
        return decoded_.emplace(name, to).first->second;
    }
    // The minimum of the weights' scale, so that the bias in its scale fits 32 bits.
    std::vector<float> least_scales(const candidate& c, const tensor* bias, float x_scale, bool per_channel) const {
        if (!bias) return {};
        constexpr double most = 2147483000;  // with a margin for rounding two scales
        std::vector<float> least;
        constexpr double normal = std::numeric_limits<float>::min();  // the minimum of a bias's scale too
        for (const float b : bias->as<float>())
            least.push_back(float(std::max(std::abs(double(b)) / most, normal) / double(x_scale)));
        if (c.axis < 0 || !per_channel) least = {std::ranges::max(least)};
        return least;
    }
    void write_weights(const candidate& c, NodeProto& n) {
        const std::string name = n.input(c.weights);
        const tensor w = *m_.constant(name);
        const int axis = o_.per_channel ? c.axis : -1;
        const float x_scale = scale_of_input(n.input(0));
        const tensor* const bias = bias_of(c, n, w);
        const channel_weights rounded = round_channels(w, axis, least_scales(c, bias, x_scale, axis >= 0));
        const std::string key(reinterpret_cast<const char*>(rounded.scales.data()),
                              rounded.scales.size() * sizeof(float));
        std::string& decoded = weights_[{name, key}];
        if (decoded.empty()) {
            decoded = edit_.fresh(name + "_dequantized");
            decode(name, rounded.codes, rounded.scales, axis, decoded);
        }
        n.set_input(c.weights, decoded);
        if (bias) write_bias(n, c.bias, *bias, x_scale, rounded.scales);
    }
    void decode(const std::string& name, const tensor& codes, const std::vector<float>& scales, int axis,
                const std::string& to) {
        const std::string q = edit_.add_constant(name + "_quantized", codes),
                          scale = edit_.add_constant(name + "_scale", scales_tensor(scales, axis)),
                          zero = edit_.add_constant(
                              name + "_zero_point",
                              tensor(codes.type(), axis < 0 ? shape{} : shape{std::int64_t(scales.size())}));
        NodeProto& n = edit_.add("DequantizeLinear", {q, scale, zero}, to);
        if (axis >= 0) set_integer(n, "axis", axis);
        edit_.replaced(name);
    }
    float scale_of_input(const std::string& decoded) const {
        const auto source = std::ranges::find(decoded_, decoded, [](const auto& p) { return p.second; });
        const std::string& name = source == decoded_.end() ? decoded : source->first;
        return group_parameters_.at(s_.group.at(name)).e.scale;
    }
    std::optional<tensor> bias_;
    const tensor* bias_of(const candidate& c, const NodeProto& n, const tensor& w) {
        if (c.bias < 0) return nullptr;
        bias_ = m_.constant(n.input(c.bias));
        if (bias_->type() != element::f32 || bias_->shape().rank != 1 || bias_->elements() == 0) return nullptr;
        const std::int64_t group = c.kind == role::transposed_convolution ? integer_of(n, "group", 1) : 1,
                           of_group = c.kind == role::transposed_convolution ? w.shape()[1] : w.shape()[c.axis];
        const bool good = group > 0 && bias_->elements() % group == 0 && bias_->elements() / group == of_group;
        return good && all_finite(*bias_) ? &*bias_ : nullptr;  // one that is broadcast stays float32
    }
    void write_bias(NodeProto& n, int input, const tensor& bias, float x_scale, const std::vector<float>& of_weights) {
        const auto b = bias.as<float>();
        std::vector<float> scales;
        for (const float s : of_weights) scales.push_back(x_scale * s);
        tensor codes(element::i32, bias.shape());
        for (std::size_t k = 0; k < b.size(); ++k) {
            const double code = std::nearbyint(double(b[k]) / double(scales[scales.size() == 1 ? 0 : k]));
            codes.as<std::int32_t>()[k] = std::int32_t(std::clamp(code, -2147483647., 2147483647.));
        }
        const std::string name = n.input(input), to = edit_.fresh(name + "_dequantized");
        decode(name, codes, scales, scales.size() == 1 ? -1 : 0, to);
        n.set_input(input, to);
    }
    void write(const candidate& c) {
        const auto copy = loading::copy_of(m_.graph().node(c.node));
        NodeProto& n = *copy;
        for (const int k : c.inputs) n.set_input(k, read(n.input(k)));
        if (c.weights >= 0) write_weights(c, n);
        std::vector<std::pair<std::string, std::string>> encoded;
        for (auto& y : *n.mutable_output())
            if (s_.encoded.contains(y)) {
                encoded.emplace_back(edit_.fresh(y + "_float"), y);
                y = encoded.back().first;
            }
        edit_.add(n);
        for (const auto& [from, name] : encoded) encode_and_decode(from, name, name);
    }

  public:
    static_writer(const source_model& m, const selection& s, const ranges& measured, const quantize_options& o)
        : m_(m), s_(s), o_(o) {
        for (const candidate* c : s.nodes) by_node_[std::size_t(c->node)] = c;
        find_ranges(measured);
    }
    written run() {
        for (int k = 0; k < m_.graph().node_size(); ++k)
            if (const candidate* c = by_node_[std::size_t(k)])
                write(*c);
            else
                edit_.add(m_.graph().node(k));
        edit_.finish();
        return {to_, std::int64_t(s_.nodes.size())};
    }
};
}  // namespace

written write_static(const source_model& m, const selection& s, const ranges& measured, const quantize_options& o) {
    return static_writer(m, s, measured, o).run();
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
