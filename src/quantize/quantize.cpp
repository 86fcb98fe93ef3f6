#include "measure.hpp"
#include "write.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
void check(bool good, const char* text, const char* hint) {
    if (!good) refuse(error_code::invalid_argument, text, hint);
}
void check_options(const quantize_options& o) {
    const bool weights = o.kind == quantization::weights_only;
    const bool feedback = weights && o.rounding == weight_rounding::error_feedback;
    const bool has_data = o.data.count > 0 && o.data.sample;
    check(o.data.count == 0 || o.data.sample, "the calibration data have a count, but no function for the samples",
          "set calibration_data::sample");
    check(has_data || o.kind != quantization::statically,
          "a static quantization needs calibration data, and there are none",
          "give inputs like those that the model will see, or quantize dynamically");
    check(has_data || !feedback, "rounding with error feedback needs calibration data, and there are none",
          "give inputs like those that the model will see, or round to nearest");
    check(has_data || o.keep_worst == 0,
          "to find the nodes whose quantization does most harm takes calibration data, and there are none",
          "give inputs like those that the model will see, or exclude nodes by name");
    check(o.keep_worst >= 0, "the number of nodes that stay float is negative", "");
    check(o.activations == element::u8 || o.activations == element::i8, "activations can be uint8 or int8 only", "");
    check(o.percentile > 0 && o.percentile <= 100, "the percentile is not within 0 to 100", "99.99 is usual");
    check(o.bits == 4 || o.bits == 8, "weights can have 4 or 8 bits only", "");
    const bool power = o.block_size >= 16 && (o.block_size & (o.block_size - 1)) == 0;
    check(power || o.block_size == 0, "the block size is no power of two from 16 on", "32 is usual; 0: no blocks");
    check(!weights || !o.matmul_nbits || o.block_size > 0, "MatMulNBits has blocks, and the block size is 0",
          "32 is usual");
    check(std::isfinite(o.damping) && o.damping > 0, "the damping is not positive", "0.01 is usual");
}
void check_not_quantized(const source_model& m) {
    constexpr std::string_view marks[] = {
        "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul",
        "MatMulInteger",  "ConvInteger",      "MatMulNBits",           "QGemm",       "DynamicQuantizeMatMul"};
    for (const NodeProto& n : m.graph().node())
        if (std::ranges::find(marks, n.op_type()) != std::end(marks))
            refuse(error_code::unsupported_model, "the model is quantized already: " + loading::text_of(n),
                   "quantize the float model that it was made of");
}
void check_opset(const source_model& m, const quantize_options& o) {
    const bool weights = o.kind == quantization::weights_only && !o.matmul_nbits;
    const bool blocks = weights && (o.bits == 4 || o.block_size > 0);
    const auto [needed, feature] = blocks ? std::pair(21, "integers of 4 bits and blocks")
                                   : weights || (o.kind == quantization::statically && o.per_channel)
                                       ? std::pair(13, "scales per channel")
                                   : o.kind == quantization::dynamically ? std::pair(11, "DynamicQuantizeLinear")
                                   : o.kind == quantization::statically  ? std::pair(10, "QuantizeLinear")
                                                                         : std::pair(7, "MatMulNBits");
    if (m.opset() >= needed) return;
    std::string hint = "convert it (onnx.version_converter.convert_version(model, " + std::to_string(needed) + "))";
    if (blocks) hint += ", or write MatMulNBits";
    if (needed == 13 && !weights) hint += ", or quantize per tensor";
    refuse(error_code::unsupported_model,
           "the model is of opset " + std::to_string(m.opset()) + ", and " + feature + " are of opset " +
               std::to_string(needed),
           hint);
}

// The quantization of one model.
class quantizer {
    const source_model m_;
    const quantize_options& o_;
    candidates candidates_;
    ranges ranges_;
    rounded rounded_;
    std::set<int> floats_;  // nodes that stay float32, since they would harm accuracy most

    void keep(const candidate& c, std::string reason) {
        const NodeProto& n = m_.graph().node(c.node);
        if (!c.follows) candidates_.float_nodes.push_back({name_of(n), n.op_type(), std::move(reason)});
    }
    // A value that a candidate quantizes and that has no range; empty: all have one.
    std::string without_range(const candidate& c) const {
        const NodeProto& n = m_.graph().node(c.node);
        std::vector<std::string> names(n.output().begin(), n.output().end());
        for (const int k : c.inputs) {
            const auto constant = m_.constant(n.input(k));
            if (!constant)
                names.push_back(n.input(k));
            else if (constant->elements() == 0 || !all_finite(*constant))
                return "its constant `" + n.input(k) + "` is empty, or has infinite numbers or NaN";
        }
        for (const std::string& name : names)
            if (const auto at = ranges_.find(name); at != ranges_.end() && !at->second.why_none.empty())
                return at->second.why_none;
        return {};
    }
    void find_ranges() {
        name_set values;
        for (const candidate& c : candidates_.list) {
            const NodeProto& n = m_.graph().node(c.node);
            for (const int k : c.inputs)
                if (!m_.constant(n.input(k))) values.insert(n.input(k));
            for (auto& y : n.output())
                if (!y.empty()) values.insert(y);
        }
        ranges_ = measure_ranges(m_, values, o_);
        std::erase_if(candidates_.list, [&](const candidate& c) {
            std::string reason = without_range(c);
            const bool lacks_range = !reason.empty();
            if (lacks_range) keep(c, std::move(reason));
            return lacks_range;
        });
    }
    tensor matrix(const candidate& c) const {  // with a row for each number of the input's last axis
        const NodeProto& n = m_.graph().node(c.node);
        const tensor w = *m_.constant(n.input(c.weights));
        return c.kind == role::gemm && integer_of(n, "transB", 0) ? transposed(w) : w;
    }
    void round_matrices() {
        std::map<std::string, std::int64_t> inputs;
        std::map<std::string, std::vector<const candidate*>> readers;
        const bool feedback = o_.rounding == weight_rounding::error_feedback;
        phase p(o_, "rounding matrices", std::int64_t(candidates_.list.size()));
        for (const candidate& c : candidates_.list) {
            if (feedback) {
                const std::string& x = m_.graph().node(c.node).input(0);
                inputs.emplace(x, matrix(c).shape()[0]);
                readers[x].push_back(&c);
                continue;
            }
            rounded_.emplace(c.node, round_blocks(matrix(c), o_.block_size, o_.bits));
            p.step();
        }
        if (!feedback) return;
        measure_moments(m_, inputs, o_, [&](const std::string& x, std::vector<float>&& moments) {
            for (const candidate* c : readers.at(x)) {
                rounded_.emplace(c->node, round_with_feedback(matrix(*c), o_.block_size, o_.bits, moments, o_.damping));
                p.step();
            }
        });
    }
    written write(const std::function<bool(int node)>& allowed) const {
        if (o_.kind == quantization::statically)
            return write_static(m_, select(m_, candidates_.list, allowed), ranges_, o_);
        std::vector<const candidate*> allowed_candidates;
        for (const candidate& c : candidates_.list)
            if (allowed(c.node)) allowed_candidates.push_back(&c);
        return o_.kind == quantization::dynamically ? write_dynamic(m_, allowed_candidates, o_)
                                                    : write_weights(m_, allowed_candidates, rounded_, o_);
    }
    // Each candidate is quantized alone, and the worst stay float32.
    void find_worst() {
        std::vector<std::pair<double, const candidate*>> harm;
        const name_set outputs = output_names(*m_.message());
        quantize_options silent = o_;
        silent.progress = {};
        phase p(o_, "trying nodes alone", std::int64_t(candidates_.list.size()));
        for (const candidate& c : candidates_.list) {
            if (!c.follows) {
                const written alone = write([&](int node) { return node == c.node; });
                double signal = 0, noise = 0;
                for (const auto& [name, d] : compare_values(m_.message(), alone.message, outputs, silent, "")) {
                    signal += d.signal;
                    noise += d.noise;
                }
                harm.emplace_back(
                    std::isnan(noise) ? std::numeric_limits<double>::infinity() : noise / std::max(signal, 1e-300), &c);
            }
            p.step();
        }
        std::ranges::stable_sort(harm, std::greater<>{}, &std::pair<double, const candidate*>::first);
        if (harm.size() <= std::size_t(o_.keep_worst))
            refuse(error_code::invalid_argument,
                   "with " + std::to_string(o_.keep_worst) + " nodes left as floats, none of the " +
                       std::to_string(harm.size()) + " that can be quantized is",
                   "leave fewer");
        harm.resize(std::size_t(o_.keep_worst));
        for (const auto& [error, c] : harm) {
            floats_.insert(c->node);
            keep(*c, "quantized alone, it does most harm: " + std::to_string(-10 * std::log10(error)) + " dB");
        }
    }
    layer_error error_of(const std::string& value, const difference& d) const {
        const int k = m_.maker(value);
        layer_error e{"", "", value, d.sqnr(), d.largest};
        if (k < 0) return e;
        e.node = name_of(m_.graph().node(k));
        e.op = m_.graph().node(k).op_type();
        return e;
    }
    void compare(const written& w, quantized_model& to) const {
        name_set values = output_names(*m_.message());
        for (const candidate& c : candidates_.list)
            for (auto& y : m_.graph().node(c.node).output()) values.insert(y);
        const auto differences = compare_values(m_.message(), w.message, values, o_, "comparing layers");
        for (auto& n : m_.graph().node())
            for (auto& y : n.output())
                if (const auto at = differences.find(y); at != differences.end())
                    to.layers.push_back(error_of(y, at->second));
        for (auto& y : m_.graph().output())
            if (const auto at = differences.find(y.name()); at != differences.end())
                to.outputs.push_back(error_of(y.name(), at->second));
    }

  public:
    quantizer(const std::filesystem::path& file, const quantize_options& o) : m_(file), o_(o) {
        check_not_quantized(m_);
        check_opset(m_, o);
        candidates_ = find_candidates(m_, o);
    }
    quantized_model run() {
        require_some("");
        if (o_.kind == quantization::statically) {
            find_ranges();
            drop_ends(m_, candidates_);
        }
        if (o_.kind == quantization::weights_only) round_matrices();
        require_some(" after calibration");
        if (o_.keep_worst > 0) find_worst();
        const written w = write([&](int node) { return !floats_.contains(node); });
        quantized_model output;
        output.nodes = w.nodes;
        output.float_nodes = std::move(candidates_.float_nodes);
        if (o_.data.count > 0 && o_.compared > 0) compare(w, output);
        output.bytes_before = std::int64_t(m_.message()->ByteSizeLong());
        output.file = loading::serialized(*w.message);
        output.bytes_after = std::int64_t(output.file.size());
        return output;
    }

  private:
    void require_some(const char* when) const {
        if (std::ranges::any_of(candidates_.list, [](const candidate& c) { return !c.follows; })) return;
        std::string reason = "no node of the model can be quantized" + std::string(when);
        if (!candidates_.float_nodes.empty())
            reason += "; `" + candidates_.float_nodes.front().node + "` (" + candidates_.float_nodes.front().op +
                      ") for one: " + candidates_.float_nodes.front().reason;
        refuse(error_code::unsupported_model, reason, "docs/how-to/quantize.md lists the operators of each form");
    }
};
}  // namespace
}  // namespace quantizing

quantized_model quantize(const std::filesystem::path& model, const quantize_options& o) {
    return loading::guarded<quantized_model>(loading::error_place{"inlay", &model},
                                             [&]() -> result<quantized_model> {
                                                 quantizing::check_options(o);
                                                 return quantizing::quantizer(model, o).run();
                                             })
        .value_or_raise();
}
}  // namespace v1
}  // namespace inlay
