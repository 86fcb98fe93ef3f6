// What rules of operators are written with: values of a region as slots of a program, and primitives over them.
#pragma once
#include "partitions.hpp"
#include "program.hpp"
#include <array>
#include <map>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
inline const onednn_functions& dnnl() { return onednn_library(); }
[[noreturn]] inline void refuse(std::string why) { throw onednn_refusal{std::move(why)}; }

shape dims_of(const dnnl_layout&);
dnnl_layout plain_layout(const shape&, element = element::f32);  // rows behind rows
dnnl_layout channels_last_layout(const shape&);                  // of 3 dimensions or more
dnnl_layout any_layout(const shape&);                            // the primitive chooses
bool same_layout(const dnnl_layout&, const dnnl_layout&);
bool is_whole(const dnnl_layout&);     // not that of some elements of another tensor
shape padded(const shape&, int rank);  // with axes of length 1 in front

// A primitive that oneDNN would make.
class planned_primitive {
    onednn_ptr<dnnl_primitive_desc_t> desc_;

  public:
    explicit planned_primitive(dnnl_primitive_desc_t d) : desc_(d) {}
    dnnl_layout argument(int name) const;  // null: it has none such
    dnnl_primitive_desc_t get() const { return desc_.get(); }
    bool has_only_plain_loops() const;
};
// `create`: of the table; the arguments behind primitive_desc and engine. What has only plain loops is refused.
template <class F, class... A> planned_primitive plan_primitive(F create, const A&... arguments) {
    dnnl_primitive_desc_t desc = nullptr;
    onednn_check(create(&desc, dnnl().engine, arguments...));
    planned_primitive planned(desc);
    if (planned.has_only_plain_loops()) refuse("oneDNN has only plain loops for it");
    return planned;
}

// What is done to a primitive's result before it is written, one after the other.
struct ending {
    dnnl_alg_kind_t algorithm;
    float alpha = 0, beta = 0;  // of an element-wise function
    int operand = -1;           // of a binary one: its slot, of the result's rank
};
using endings = std::vector<ending>;
using primitive_attributes = onednn_ptr<dnnl_primitive_attr_t>;
// Floats are computed as floats, scratchpads are the program's. operands: layouts of the binary endings', in order.
primitive_attributes attributes(const endings& = {}, std::span<const dnnl_layout> operands = {});

enum class purpose : std::uint8_t { use, trial };  // trial: oneDNN is asked what it has, and nothing is made

class lowering {
    const region& r_;
    dnnl_program& p_;
    purpose why_;
    onednn_ptr<dnnl_stream_t> stream_;
    std::map<int, int> known_;                           // value to its slot
    std::map<int, std::vector<int>> copies_;             // slot to those with the same elements in other layouts
    std::map<int, dnnl_graph_logical_tensor_t> opaque_;  // values that partitions make for partitions, as they lie

    int add_slot(dnnl_layout, int storage);
    int add_view(dnnl_layout, int storage);
    int add_storage(dnnl_program::storage);
    int storage_of(int slot) const { return p_.slots[std::size_t(slot)].storage; }
    int packed(int slot, const dnnl_layout&);  // of a constant: now
    void reorder(int from, int to);
    int slot_of(int value);
    int inner(const dnnl_graph_logical_tensor_t&);
    int written(int value, dnnl_layout);
    void drop_unread();
    void place_arena();

  public:
    lowering(const region&, dnnl_program&, purpose);

    // Slots of the node's inputs, and others made of them.
    int input(const node_view& n, int k) { return slot_of(n.input_id(k)); }
    const dnnl_layout& layout(int slot) const { return p_.slots[std::size_t(slot)].layout; }
    shape dims(int slot) const { return dims_of(layout(slot)); }
    bool is_constant(int slot) const;
    int as(int slot, const dnnl_layout&);  // reordered where it lies otherwise
    int plain(int slot) { return as(slot, plain_layout(dims(slot))); }
    int from_first(int slot);              // copied where it is a part that does not begin at the first element
    int reshaped(int slot, const shape&);  // reordered where that is no view
    int permuted(int slot, std::span<const int> places);  // a view: axis i becomes axis places[i]
    int part(int slot, const shape& dims, const shape& start);

    // Of the node's results: where a primitive writes one; or what it is, as a slot with as many elements.
    int result(const node_view& n, int k, dnnl_layout);
    void give(const node_view& n, int k, int slot);
    int inner(dnnl_layout);  // a value between its steps

    void add(const planned_primitive&, std::vector<dnnl_program::argument>);
    void add(const dnnl_partition&);
    void finish();  // outputs that no primitive writes are copied, and the arena is laid out
};

// f(slot) with the slot as it lies, and plain where oneDNN does not take that.
template <class F> auto as_it_lies_or_plain(lowering& l, int slot, F f) {
    try {
        return f(slot);
    } catch (const onednn_refusal&) {
        return f(l.plain(slot));
    }
}
// The same for a slot that is all of a tensor, a copy if need be: primitives but products and reorders are not trusted
// with gaps. Before plain, channels last are tried.
template <class F> auto in_some_layout(lowering& l, int slot, F f) {
    if (!is_whole(l.layout(slot))) return f(l.plain(slot));
    const shape dims = l.dims(slot);
    if (dims.rank < 3) return as_it_lies_or_plain(l, slot, f);
    try {
        return f(slot);
    } catch (const onednn_refusal&) {
    }
    try {
        return f(l.as(slot, channels_last_layout(dims)));
    } catch (const onednn_refusal&) {
        return f(l.plain(slot));
    }
}

// A primitive whose result of these dimensions has endings. plan(attributes) asks for it; arguments(planned) are all
// but the result's and the endings'. Returns the result's slot, written where it is the node's output 0 if that has
// these dimensions. Endings that the primitive does not take are primitives behind it.
int add_with_endings(lowering&, const node_view&, const endings&, const shape& dims,
                     const std::function<planned_primitive(const_dnnl_primitive_attr_t)>& plan,
                     const std::function<std::vector<dnnl_program::argument>(const planned_primitive&)>& arguments);
// The same for a slot: an element-wise function of it, or it and another operand, as primitives. Returns the result's.
int add_ending(lowering&, const node_view&, const ending&, int slot);
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
