// How each operator of ONNX becomes nodes of XNNPACK: a rule in a list of its file.
#pragma once
#include "lowering.hpp"
#include <algorithm>
#include <limits>
#include <provider/channel_order.hpp>
#include <span>
#include <support/shape_text.hpp>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
inline constexpr float endless = std::numeric_limits<float>::infinity();
inline const xnnpack_functions& xnn() { return xnnpack_library(); }

inline std::vector<std::size_t> dims_of(const shape& s) {
    if (is_image(s)) return {std::size_t(s[0]), std::size_t(s[2]), std::size_t(s[3]), std::size_t(s[1])};
    if (s.rank == 0) return {1};  // XNNPACK aborts where a tensor has no dimensions
    return {s.begin(), s.end()};
}

// Writes a region's recipe: where its values are, what its constants are, and each node's steps.
class lowering {
    const region& r_;
    recipe& out_;
    quantised_graph graph_;
    std::map<int, int> known_;                // value to its place in the recipe
    std::vector<char> in_bytes_;              // nodes that are computed in 8 bits
    std::vector<char> absorbed_;              // nodes that encode what such a node already gives in 8 bits
    std::vector<int> encoded_;                // by value: what it is in 8 bits, or -1
    std::deque<std::vector<float>> decoded_;  // elements of constants that are kept while the region is lowered
    purpose why_;
    bool bytes_ = false;  // the node that is lowered is one of them

    recipe::tensor_value blank(int id) const;
    int add_value(recipe::tensor_value);
    template <class T> const void* keep(const std::vector<T>& elements);
    void find_bytes();
    int place(int id);  // of a value that is no constant

  public:
    lowering(const region&, recipe&, purpose);
    void lower(int node, void (*)(lowering&, const node_view&));

    // Places in the recipe, for the node that is lowered.
    int input(const node_view& n, int k) { return place_of(n.input_id(k)); }
    int output(const node_view& n) { return place_of(n.output_id(0)); }
    int inner(std::vector<std::size_t> dims);  // a value between its steps
    int constant(std::vector<std::size_t> dims, std::vector<float> elements);
    // Input k, constant or not, as an operand that is broadcast to `rank` dimensions.
    int operand(const node_view&, int k, int rank);
    // The weights of the node, in the order of `dims`, whose dimension `channel` is the output's channels.
    int weights(const node_view&, std::vector<std::size_t> dims, std::vector<float> elements, std::size_t channel);
    int bias(const node_view&, std::vector<float> elements);

    const float* elements(const node_view&, int k);  // of an input that is a constant
    void add(recipe::step s) { out_.steps.push_back(std::move(s)); }

  private:
    int place_of(int id) { return place(bytes_ ? encoded_[std::size_t(id)] : id); }
};

// Which inputs are tensors that XNNPACK gets: the others are small constants, which are read here.
enum class operands : std::uint8_t {
    all,
    first,
    pair,  // two, of which one may be a constant
    bytes  // the first, which is of 8 bits, as the result is
};
struct rule {
    std::string_view op;
    std::string (*refuse)(const node_view&);  // empty: it is taken
    void (*lower)(lowering&, const node_view&);
    operands reads = operands::all;
};
std::span<const rule> convolution_rules();
std::span<const rule> element_wise_rules();
std::span<const rule> image_rules();
std::span<const rule> movement_rules();
std::span<const rule> product_rules();

// --- what several of them need
std::string needs_image(const node_view&, int k = 0);
std::string needs_constant(const node_view&, int k);
// What is missing behind the input for windows at all outputs.
inline std::int64_t end_pad(std::int64_t in, std::int64_t out, std::int64_t reach, std::int64_t stride,
                            std::int64_t before) {
    return std::max<std::int64_t>(0, (out - 1) * stride + reach - in - before);
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay
