// Regions as subgraphs of XNNPACK.
#pragma once
#include "library.hpp"
#include "rules.hpp"
#include "shared_bytes.hpp"
#include "version.hpp"
#include <lowering/region_engine.hpp>
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
inline const xnnpack_functions& xnn() { return xnnpack_library(); }
inline void check_xnnpack(xnn_status s) {  // throws refused_node
    if (s != xnn_status_success) refuse(text_of(s));
}

// What a region is: a subgraph is written of it as often as one is wanted, for XNNPACK changes it as it makes a
// runtime.
struct xnnpack_program {
    std::vector<lowering::operand> arguments{}, results{};
    std::vector<lowering::primitive> primitives{};
    struct form {
        xnn_datatype type = xnn_datatype_fp32;
        std::int32_t zero = 0;
        std::vector<float> scales{};  // of integers: one, or one for each index of `channel`
        std::size_t channel = 0;
    };
    struct constant {  // XNNPACK refers to its scales too
        shared_bytes elements;
        form as;
    };
    mutable std::vector<constant> constants{};  // in the order in which they are written

    // The first one gets its constants from the region; later ones have them. Throws refused_node.
    xnnpack_ptr<xnn_subgraph_t> subgraph(lowering::purpose = lowering::purpose::use, const region* = nullptr) const;
    bool is_quantized() const;
    bool reads(const lowering::operand&) const;
};

// What region_engine writes to.
class xnnpack_writer {
    const region& r_;
    lowering::purpose purpose_;
    xnnpack_program out_{};

  public:
    xnnpack_writer(const region& r, lowering::purpose purpose) : r_(r), purpose_(purpose) {}
    void argument(const lowering::operand& x) { out_.arguments.push_back(x); }
    void result(const lowering::operand& y) { out_.results.push_back(y); }
    void write(const lowering::primitive& p) { out_.primitives.push_back(p); }
    xnnpack_program finish();
};
}  // namespace v1
}  // namespace inlay
