// Concat and Split along the channels without copies: where every step that writes
// or reads a part supports pixels as wide as the whole, the part is a slice of the
// whole. Parts may be wholes again: all are slices of the outermost one.
#pragma once
#include "schedule.hpp"

namespace inlay {
inline namespace v1 {
struct slice {  // of a value or copy: what it is a part of, and where it begins; itself at 0, if of nothing
    int whole;
    std::int64_t channel;
};

class slicer {
    const graph_view& g_;
    const schedule& s_;
    std::vector<provider_view> views_;
    std::vector<slice> slices_;
    std::vector<char> strided_;  // per graph value: it may be a slice
    std::vector<int> split_of_;  // per graph value: the step that divides, of which it is the first part; or -1

    constexpr bool has_kernel(const step& s) const { return s.unit >= 0 && s.kernel >= 0; }
    constexpr const entry& kernel_of(const step& s) const { return views_[s.provider].kernels[s.kernel]; }
    constexpr node_view view_of(const step& s) const {
        return {g_, g_.unit(s.unit), s_.layouts.data() + s.inputs.first};
    }
    constexpr bool has_pixels(int id) const {
        return id >= 0 && id < int(g_.values.size()) && has_layout_choice(g_.values[id]) &&
               s_.value_layouts[id] == layout::channels_last && !layouts_coincide(g_.values[id].dims);
    }
    constexpr void find_strided() {
        strided_.assign(g_.values.size(), 0);
        for (std::size_t id = 0; id < strided_.size(); ++id) strided_[id] = has_pixels(int(id));
        for (int id : g_.inputs) strided_[id] = 0;
        for (int id : s_.outputs)
            if (id >= 0 && id < int(strided_.size())) strided_[id] = 0;
        for (const step& s : s_.steps) {
            for (int k = 0; k < s.inputs.count + s.outputs.count; ++k) {
                const int id = s_.arguments[s.inputs.first + k];
                if (id < 0 || id >= int(strided_.size()) || !strided_[id]) continue;
                strided_[id] =
                    has_kernel(s) && kernel_of(s).strided(view_of(s), k < s.inputs.count ? k : ~(k - s.inputs.count));
            }
        }
    }
    // The parts lie next to each other along the channels of
    // the whole, and the kernel skips what is in place already.
    constexpr bool divides(int whole, std::span<const int> parts) const {
        if (whole < 0 || parts.empty()) return false;
        shape sum = g_.values[whole].dims;
        std::int64_t channels = 0;
        for (int id : parts) {
            if (id < 0 || id >= int(g_.values.size()) || g_.values[id].type != g_.values[whole].type ||
                g_.values[id].dims.rank != 4)
                return false;
            channels += sum[1] = g_.values[id].dims[1];
            if (g_.values[id].dims != sum) return false;
        }
        return channels == g_.values[whole].dims[1];
    }
    constexpr bool is_free(int id, int whole) const {
        return strided_[id] && slices_[id].whole == id && s_.value_spaces[id] == s_.value_spaces[whole];
    }
    constexpr void place(int part, int whole, std::int64_t channel) {
        if (is_free(part, whole)) slices_[part] = {whole, channel};
    }
    constexpr void divide(int whole, std::span<const int> parts) {
        std::int64_t channel = 0;
        for (int id : parts) {
            place(id, whole, channel);
            channel += g_.values[id].dims[1];
        }
    }
    // All outputs of one Split, in order: then its input becomes a part here.
    constexpr bool join_divided(std::span<const int> parts, int whole, std::int64_t channel) {
        if (split_of_[parts[0]] < 0) return false;
        const step& s = s_.steps[split_of_[parts[0]]];
        const auto divided = s_.list(s.outputs);
        const int from = s_.arguments[s.inputs.first];
        if (divided.size() > parts.size() || !std::ranges::equal(divided, parts.first(divided.size())) ||
            !is_free(from, whole) || !std::ranges::all_of(divided, [&](int id) { return is_free(id, whole); }))
            return false;
        place(from, whole, channel);
        divide(from, divided);
        return true;
    }

  public:
    template <provider_list L> constexpr slicer(const graph_view& g, const schedule& s, const L& list) : g_(g), s_(s) {
        for (int p = 0; p < list.size(); ++p) views_.push_back(list.view(p));
    }
    constexpr std::vector<slice> run() {
        for (int id = 0; id < int(g_.values.size() + s_.copies.size()); ++id) slices_.push_back({id, 0});
        find_strided();
        split_of_.assign(g_.values.size(), -1);
        std::vector<int> joins, splits;
        for (int t = 0; t < int(s_.steps.size()); ++t) {
            const step& s = s_.steps[t];
            if (!has_kernel(s)) continue;
            const reuse shares = kernel_of(s).shares;
            const int in = s_.arguments[s.inputs.first], out = s_.arguments[s.outputs.first];
            if (shares == reuse::joins && has_pixels(out) && divides(out, s_.list(s.inputs))) joins.push_back(t);
            if (shares == reuse::divides && has_pixels(in) && divides(in, s_.list(s.outputs))) {
                splits.push_back(t);
                split_of_[out] = t;
            }
        }
        for (std::size_t i = joins.size(); i-- > 0;) {  // the last one first, so that its parts are wholes of theirs
            const step& s = s_.steps[joins[i]];
            const int out = s_.arguments[s.outputs.first];
            auto parts = s_.list(s.inputs);
            for (std::int64_t channel = 0; !parts.empty();) {
                if (!join_divided(parts, out, channel)) place(parts[0], out, channel);
                channel += g_.values[parts[0]].dims[1];
                parts = parts.subspan(1);
            }
        }
        for (int t : splits) divide(s_.arguments[s_.steps[t].inputs.first], s_.list(s_.steps[t].outputs));
        return std::move(slices_);
    }
};
}  // namespace v1
}  // namespace inlay
