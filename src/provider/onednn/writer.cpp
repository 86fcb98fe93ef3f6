// Which primitives end others.
#include "primitive_writer.hpp"
#include "writer.hpp"
#include <numeric>

namespace inlay {
inline namespace v1 {
using namespace dnnl_writing;
namespace {
// Of a region: who reads each value.
class value_readers {
    std::map<int, std::vector<int>> readers_{};

  public:
    value_readers(std::span<const primitive> primitives, std::span<const int> results) {
        for (std::size_t k = 0; k < primitives.size(); ++k) {
            const auto reads = [&](const operand& x) { readers_[x.id].push_back(int(k)); };
            primitive p = primitives[k];
            std::visit(
                [&](auto& prim) {
                    each_input(prim, reads);
                    each_parameter(prim, reads);
                },
                p);
        }
        for (int id : results) readers_[id].push_back(-1);
    }
    int only(int id) const {  // or -1
        const auto at = readers_.find(id);
        return at == readers_.end() || at->second.size() != 1 ? -1 : at->second[0];
    }
};
bool has_epilogues(const primitive& p) {
    const kind k = kind_of(p);
    return k == kind::conv || k == kind::deconv || k == kind::dense || k == kind::matmul;
}
// A primitive and those that end it.
class chain {
    const primitive& first_;
    operand y_;

    bool is_product() const { return kind_of(first_) == kind::dense || kind_of(first_) == kind::matmul; }
    bool takes_bias(const binary_prim& p, const operand& addend) const {
        const auto* const dense = std::get_if<dense_prim>(&first_);
        return dense && !dense->bias && !ends.bias && ends.list.empty() && p.does == arithmetic::add &&
               addend.constant && addend.dims.elements() == y_.dims[y_.dims.rank - 1] && is_row(addend);
    }
    bool is_row(const operand& x) const {
        const std::int64_t columns = x.dims.rank ? x.dims[x.dims.rank - 1] : 1;
        return columns == x.dims.elements() && (columns == 1 || columns == y_.dims[y_.dims.rank - 1]);
    }
    bool add(const dnnl_epilogue& epilogue) {
        ends.list.push_back({epilogue});
        return true;
    }
    // Integers of one scale are limited as the floats before them.
    bool keeps_scale(const operand& y) const { return !y_.is_quantized() || y.quantized == y_.quantized; }
    bool take(const unary_prim& p) {
        return (!y_.is_quantized() || p.does == function::relu) && keeps_scale(p.y) && add(epilogue_of(p));
    }
    bool take(const clamp_prim& p) { return keeps_scale(p.y) && add(epilogue_of(p)); }
    bool take(const quantize_prim&) { return !y_.is_quantized(); }
    // One other operand broadcasts; that of a product is a row, or as large as the result.
    bool take(const binary_prim& p) {
        const bool first = p.a.id == y_.id;
        const operand& second = first ? p.b : p.a;
        const dnnl_alg_kind_t algorithm = algorithm_of(p.does);
        const bool fits = algorithm != dnnl_alg_kind_undef && (first || may_swap(p.does)) && p.y.dims == y_.dims;
        if (!fits || p.y.is_quantized() || second.id == y_.id) return false;
        if (takes_bias(p, second)) {
            ends.bias = second;
            return true;
        }
        const bool has_operand = std::ranges::any_of(ends.list, [](const auto& e) { return e.second.has_value(); });
        if (has_operand || (is_product() && !is_row(second) && second.dims != y_.dims)) return false;
        ends.list.push_back({{algorithm}, second});
        return true;
    }
    template <class P> bool take(const P&) { return false; }

  public:
    primitive_ends ends{};
    std::vector<int> members{};  // but the first

    explicit chain(const primitive& first) : first_(first), y_(result_of(first)) {}
    static operand result_of(const primitive& p) {
        return std::visit([](const auto& prim) { return prim.y; }, p);
    }
    const operand& y() const { return y_; }
    // Whether it ends the chain.
    bool add(int k, const primitive& p) {
        constexpr std::size_t most = 3;
        if (ends.list.size() >= most || !std::visit([&](const auto& prim) { return take(prim); }, p)) return false;
        members.push_back(k);
        y_ = result_of(p);
        ends.y = y_;
        return true;
    }
};
}  // namespace

// Each chain is written in the place of its last member.
dnnl_program onednn_writer::finish() {
    const value_readers readers(primitives_, results_);
    const auto count = int(primitives_.size());
    std::vector<int> written_at(primitives_.size());
    std::vector<std::optional<chain>> chains(primitives_.size());
    std::iota(written_at.begin(), written_at.end(), 0);
    for (int k = count - 1; k >= 0; --k) {
        if (!has_epilogues(primitives_[std::size_t(k)])) continue;
        chain c(primitives_[std::size_t(k)]);
        for (int next = readers.only(c.y().id); next >= 0 && written_at[std::size_t(next)] == next;
             next = readers.only(c.y().id))
            if (!c.add(next, primitives_[std::size_t(next)])) break;
        if (c.members.empty()) continue;
        for (const int member : c.members) written_at[std::size_t(member)] = -1;
        written_at[std::size_t(k)] = -1;
        written_at[std::size_t(c.members.back())] = k;
        const auto last_index = std::size_t(c.members.back());
        chains[last_index].emplace(std::move(c));
    }
    primitive_writer w(to_);
    for (int k = 0; k < count; ++k)
        if (const int from = written_at[std::size_t(k)]; from >= 0)
            w.write(primitives_[std::size_t(from)],
                    chains[std::size_t(k)] ? chains[std::size_t(k)]->ends : primitive_ends{});
    return to_.finish();
}
}  // namespace v1
}  // namespace inlay
