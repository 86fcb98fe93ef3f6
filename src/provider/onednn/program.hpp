// A region as primitives of oneDNN over memory. Inside, a value has the layout that its primitive requires; those that
// read it take it so, or a reorder stands between. At the region's ends tensors are plain.
#pragma once
#include "library.hpp"
#include <inlay/tensor.hpp>
#include <array>
#include <lowering/region_engine.hpp>
#include <map>

namespace inlay {
inline namespace v1 {
inline const onednn_functions& dnnl() { return onednn_library(); }
using dnnl_layout = std::shared_ptr<const dnnl_memory_desc>;  // type, dimensions and order of elements

tensor room_for(std::size_t bytes);  // at a multiple of 64; throws std::bad_alloc
// Memory of this layout at `elements`.
onednn_ptr<dnnl_memory_t> memory_over(const dnnl_layout&, void* elements);

// The same for all runs.
struct dnnl_program {
    struct storage {
        enum class place : std::uint8_t { constant, input, output, arena };
        place location;
        int index = 0;            // of an input or an output
        std::int64_t offset = 0;  // in the arena
        std::size_t bytes = 0;
        const void* elements = nullptr;  // of a constant: borrowed from the region, or in `memory`
        tensor memory{};
    };
    struct tensor_slot {
        dnnl_layout layout;
        int storage;
    };
    struct argument {
        int name;  // DNNL_ARG_...
        int slot;
    };
    struct step {
        std::vector<argument> arguments;
        onednn_ptr<dnnl_primitive_t> primitive;
        dnnl_layout scratchpad;  // null: it needs none
    };
    std::vector<storage> storages;
    std::vector<tensor_slot> slots;
    std::vector<step> steps;
    std::int64_t arena_bytes = 0, scratchpad_at = 0;  // the scratchpad, one for all steps, ends the arena
};
using dnnl_arguments = std::vector<dnnl_program::argument>;

shape dims_of(const dnnl_layout&);
element stored_type(const dnnl_layout&);
dnnl_layout plain_layout(const shape&, element = element::f32);  // rows behind rows
dnnl_layout any_layout(const shape&, element = element::f32);    // the primitive chooses
bool same_layout(const dnnl_layout&, const dnnl_layout&);
bool is_whole(const dnnl_layout&);  // not that of some elements of another tensor
// The same places for elements of another type, where these are not in blocks; else plain ones.
dnnl_layout like(const dnnl_layout&, element);
inline shape padded(const shape& s, int rank) {  // with axes of length 1 in front
    return lowering::of_rank(s, std::max(rank, s.rank));
}

// A primitive that oneDNN would make.
class planned_primitive {
    onednn_ptr<dnnl_primitive_desc_t> desc_;

  public:
    explicit planned_primitive(dnnl_primitive_desc_t d) : desc_(d) {}
    dnnl_layout argument(int name) const;  // null: it has none such
    dnnl_primitive_desc_t get() const { return desc_.get(); }
    bool has_only_reference_kernels() const;
};
// `create`: of the table; the arguments behind primitive_desc and engine. What has only reference kernels is refused.
template <class F, class... A> planned_primitive plan_primitive(F create, const A&... arguments) {
    dnnl_primitive_desc_t desc = nullptr;
    onednn_check(create(&desc, dnnl().engine, arguments...));
    planned_primitive planned(desc);
    if (planned.has_only_reference_kernels()) refuse("oneDNN has only reference kernels for it");
    return planned;
}

// What is done to a primitive's result before it is written, one after the other.
struct dnnl_epilogue {
    dnnl_alg_kind_t algorithm;
    float alpha = 0, beta = 0;  // of an element-wise function
    int slot = -1;              // of a binary one: its operand, of the result's rank
};
// What integers of an argument stand for.
struct dnnl_scaling {
    int argument;
    std::vector<float> scales;
    int mask = 0;  // the axes that have a scale for each index
    std::int32_t zero = 0;
};
using dnnl_attributes = onednn_ptr<dnnl_primitive_attr_t>;
// Floats are computed as floats, scratchpads are the program's. operands: layouts of the binary epilogues', in order.
dnnl_attributes attributes(std::span<const dnnl_epilogue> = {}, std::span<const dnnl_layout> operands = {},
                           std::span<const dnnl_scaling> = {});

class program_builder {
    using operand = lowering::operand;
    const region& r_;
    lowering::purpose purpose_;
    dnnl_program p_{};
    onednn_ptr<dnnl_stream_t> stream_;
    std::map<int, int> slots_{};                // ids to slots
    std::map<int, std::vector<int>> copies_{};  // slot to those with the same elements in other layouts
    std::vector<operand> results_{};
    int inputs_ = 0;

    int add_slot(dnnl_layout, dnnl_program::storage);
    int add_view(dnnl_layout, int slot);
    dnnl_program::storage& storage_of(int slot) {
        return p_.storages[std::size_t(p_.slots[std::size_t(slot)].storage)];
    }
    bool is_constant(int slot) { return storage_of(slot).location == dnnl_program::storage::place::constant; }
    int inner(dnnl_layout);             // a value between steps
    int packed(int slot, dnnl_layout);  // of a constant: now
    void drop_unread();
    void place_arena();

  public:
    program_builder(const region&, lowering::purpose);
    bool is_trial() const { return purpose_ == lowering::purpose::trial; }
    const region& of() const { return r_; }
    void argument(const operand&);
    void result(const operand& y) { results_.push_back(y); }

    int at(const operand&);  // with its dimensions, of which there is one at least
    // A constant; elements() is not called for a trial.
    template <class Make> int constant(const shape& dims, element type, Make elements) {
        dnnl_program::storage s{dnnl_program::storage::place::constant};
        if (!is_trial()) {
            const auto values = elements();
            s.memory = room_for(values.size() * sizeof(values[0]));
            std::copy_n(reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(values[0]),
                        static_cast<std::byte*>(s.memory.data()));
            s.elements = s.memory.data();
        }
        return add_slot(plain_layout(dims, type), std::move(s));
    }
    // A constant of the graph as it lies there, or as what it is made of.
    int constant(const operand&);

    const dnnl_layout& layout(int slot) const { return p_.slots[std::size_t(slot)].layout; }
    shape dims(int slot) const { return dims_of(layout(slot)); }
    bool is_plain(int slot) const {
        return same_layout(layout(slot), plain_layout(dims(slot), stored_type(layout(slot))));
    }
    dnnl_layout any_if_constant(int slot) {  // so that it is packed
        return is_constant(slot) ? any_layout(dims(slot), stored_type(layout(slot))) : layout(slot);
    }
    int as(int slot, const dnnl_layout&);  // reordered where it lies otherwise
    int plain(int slot) { return as(slot, plain_layout(dims(slot), stored_type(layout(slot)))); }
    int from_first(int slot);              // copied where it is a part that does not begin at the first element
    int reshaped(int slot, const shape&);  // reordered where that is no view
    int permuted(int slot, std::span<const int> places);  // a view: axis i becomes axis places[i]
    int part(int slot, const shape& dims, const shape& start);

    int written(const operand& y, dnnl_layout);  // where a primitive writes it, or as many elements
    void give(const operand& y, int slot);       // what it is, as a slot with as many elements
    void add(const planned_primitive&, dnnl_arguments);
    void reorder(int from, int to, std::span<const dnnl_scaling> = {});
    dnnl_arguments arguments_of(std::span<const dnnl_scaling>);

    // f(slot) with the slot as it lies, and plain where oneDNN does not take that.
    template <class F> auto as_it_lies_or_plain(int slot, F f) {
        try {
            return f(slot);
        } catch (const refused_node&) {
            return f(plain(slot));
        }
    }
    // The same for a slot that is all of a tensor, a copy if need be: primitives but products and reorders are not
    // trusted with gaps. Before plain, channels last are tried.
    template <class F> auto in_some_layout(int slot, F f) {
        if (!is_whole(layout(slot))) return f(plain(slot));
        if (dims(slot).rank < 3) return as_it_lies_or_plain(slot, f);
        try {
            return f(slot);
        } catch (const refused_node&) {
        }
        try {
            return f(channels_last(slot));
        } catch (const refused_node&) {
            return f(plain(slot));
        }
    }
    int channels_last(int slot);
    dnnl_program finish();  // outputs that no primitive writes are copied, and the arena is laid out
};
}  // namespace v1
}  // namespace inlay
