#include "program.hpp"
#include <lowering/weights.hpp>
#include <provider/arena_blocks.hpp>

namespace inlay {
inline namespace v1 {
using lowering::operand;
using place = dnnl_program::storage::place;

tensor room_for(std::size_t bytes) { return tensor(element::u8, {std::int64_t(std::max<std::size_t>(bytes, 1))}); }
onednn_ptr<dnnl_memory_t> memory_over(const dnnl_layout& l, void* elements) {
    dnnl_memory_t memory = nullptr;
    onednn_check(dnnl().dnnl_memory_create(&memory, l.get(), dnnl().engine, elements));
    return onednn_ptr<dnnl_memory_t>(memory);
}

namespace {
dnnl_layout owned(dnnl_memory_desc_t d) { return {d, onednn_deleter{}}; }
std::size_t size_of(const dnnl_layout& l) { return dnnl().dnnl_memory_desc_get_size(l.get()); }
dnnl_layout strided_layout(const shape& dims, const shape& strides, element type) {
    const dnnl_sizes d(dims), s(strides);
    dnnl_memory_desc_t desc = nullptr;
    onednn_check(dnnl().dnnl_memory_desc_create_with_strides(&desc, d.rank, d.list, dnnl_type_of(type), s.list));
    return owned(desc);
}
template <class T> T queried(const dnnl_layout& l, dnnl_query_t query) {
    T answer{};
    onednn_check(dnnl().dnnl_memory_desc_query(l.get(), query, &answer));
    return answer;
}
// Dimensions, padded ones or strides.
shape dims_of(const dnnl_layout& l, dnnl_query_t query) {
    const int rank = queried<int>(l, dnnl_query_ndims_s32);
    const auto* const dims = queried<const dnnl_dims_t*>(l, query);
    shape s = shape::of_rank(rank);
    std::copy(*dims, *dims + rank, s.dims.begin());
    return s;
}
std::int64_t offset_of(const dnnl_layout& l) { return queried<dnnl_dim_t>(l, dnnl_query_submemory_offset_s64); }
bool has_blocks(const dnnl_layout& l) { return queried<int>(l, dnnl_query_inner_nblks_s32) != 0; }
// Each element lies where it does in the plain one.
bool same_places(const dnnl_layout& l, const dnnl_layout& plain) {
    if (has_blocks(l) || offset_of(l) != 0) return false;
    const shape dims = dims_of(l, dnnl_query_dims), steps = dims_of(l, dnnl_query_strides),
                plain_steps = dims_of(plain, dnnl_query_strides);
    for (int i = 0; i < dims.rank; ++i)
        if (dims[i] > 1 && steps[i] != plain_steps[i]) return false;
    return true;
}
planned_primitive plan_reorder(const dnnl_layout& from, const dnnl_layout& to,
                               std::span<const dnnl_scaling> scalings = {}) {
    dnnl_primitive_desc_t desc = nullptr;
    onednn_check(dnnl().dnnl_reorder_primitive_desc_create(&desc, from.get(), dnnl().engine, to.get(), dnnl().engine,
                                                           attributes({}, {}, scalings).get()));
    return planned_primitive(desc);
}
onednn_ptr<dnnl_primitive_t> primitive_of(const planned_primitive& p) {
    dnnl_primitive_t primitive = nullptr;
    onednn_check(dnnl().dnnl_primitive_create(&primitive, p.get()));
    return onednn_ptr<dnnl_primitive_t>(primitive);
}
void append(dnnl_post_ops_t list, const dnnl_epilogue& e, std::span<const dnnl_layout>& operands) {
    if (e.slot < 0) return onednn_check(dnnl().dnnl_post_ops_append_eltwise(list, e.algorithm, e.alpha, e.beta));
    onednn_check(dnnl().dnnl_post_ops_append_binary(list, e.algorithm, operands.front().get()));
    operands = operands.subspan(1);
}
}  // namespace

shape dims_of(const dnnl_layout& l) { return dims_of(l, dnnl_query_dims); }
element stored_type(const dnnl_layout& l) {
    switch (queried<dnnl_data_type_t>(l, dnnl_query_data_type)) {
        case dnnl_f32: return element::f32;
        case dnnl_s8: return element::i8;
        default: return element::u8;
    }
}
dnnl_layout plain_layout(const shape& dims, element type) {
    return strided_layout(dims, dims.rank ? strides_of(dims, layout::plain) : shape{1}, type);
}
dnnl_layout any_layout(const shape& dims, element type) {
    const dnnl_sizes d(dims);
    dnnl_memory_desc_t desc = nullptr;
    onednn_check(
        dnnl().dnnl_memory_desc_create_with_tag(&desc, d.rank, d.list, dnnl_type_of(type), dnnl_format_tag_any));
    return owned(desc);
}
bool same_layout(const dnnl_layout& a, const dnnl_layout& b) {
    return dnnl().dnnl_memory_desc_equal(a.get(), b.get()) != 0;
}
bool is_whole(const dnnl_layout& l) {
    const shape dims = dims_of(l, dnnl_query_padded_dims);
    return offset_of(l) == 0 && std::int64_t(size_of(l)) == bytes_of(stored_type(l), dims.elements());
}
dnnl_layout like(const dnnl_layout& l, element type) {
    const shape dims = dims_of(l);
    return has_blocks(l) || !is_whole(l) ? plain_layout(dims, type)
                                         : strided_layout(dims, dims_of(l, dnnl_query_strides), type);
}

dnnl_layout planned_primitive::argument(int name) const {
    const const_dnnl_memory_desc_t d = dnnl().dnnl_primitive_desc_query_md(get(), dnnl_query_exec_arg_md, name);
    if (!d || dnnl().dnnl_memory_desc_get_size(d) == 0) return nullptr;
    dnnl_memory_desc_t copy = nullptr;  // the other one goes with the primitive's description
    onednn_check(dnnl().dnnl_memory_desc_clone(&copy, d));
    return owned(copy);
}
bool planned_primitive::has_only_reference_kernels() const {
    const char* name = nullptr;
    onednn_check(dnnl().dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, static_cast<void*>(&name)));
    return name && std::string_view(name).starts_with("ref");
}
dnnl_attributes attributes(std::span<const dnnl_epilogue> ends, std::span<const dnnl_layout> operands,
                           std::span<const dnnl_scaling> scalings) {
    dnnl_primitive_attr_t a = nullptr;
    onednn_check(dnnl().dnnl_primitive_attr_create(&a));
    dnnl_attributes owner(a);
    onednn_check(dnnl().dnnl_primitive_attr_set_scratchpad_mode(a, dnnl_scratchpad_mode_user));
    onednn_check(dnnl().dnnl_primitive_attr_set_fpmath_mode(a, dnnl_fpmath_mode_strict));
    for (const dnnl_scaling& s : scalings) {
        onednn_check(dnnl().dnnl_primitive_attr_set_scales_mask(a, s.argument, s.mask));
        if (s.zero != 0) onednn_check(dnnl().dnnl_primitive_attr_set_zero_points_mask(a, s.argument, 0));
    }
    if (ends.empty()) return owner;
    dnnl_post_ops_t list = nullptr;
    onednn_check(dnnl().dnnl_post_ops_create(&list));
    const onednn_ptr<dnnl_post_ops_t> list_owner(list);
    for (const dnnl_epilogue& e : ends) append(list, e, operands);
    onednn_check(dnnl().dnnl_primitive_attr_set_post_ops(a, list));
    return owner;
}

program_builder::program_builder(const region& r, lowering::purpose purpose) : r_(r), purpose_(purpose) {
    dnnl_stream_t stream = nullptr;
    onednn_check(dnnl().dnnl_stream_create(&stream, dnnl().engine, dnnl_stream_default_flags));
    stream_.reset(stream);
}
int program_builder::add_slot(dnnl_layout l, dnnl_program::storage s) {
    p_.storages.push_back(std::move(s));
    p_.slots.push_back({std::move(l), int(p_.storages.size()) - 1});
    return int(p_.slots.size()) - 1;
}
// A step along an axis of one element is the plain one: the other one confuses primitives.
int program_builder::add_view(dnnl_layout l, int slot) {
    const dnnl_layout plain = plain_layout(dims_of(l), stored_type(l));
    p_.slots.push_back({same_places(l, plain) ? plain : std::move(l), p_.slots[std::size_t(slot)].storage});
    return int(p_.slots.size()) - 1;
}
int program_builder::inner(dnnl_layout l) {
    if (!is_whole(l)) refuse("oneDNN would leave gaps between its elements");
    dnnl_program::storage s{place::arena};
    s.bytes = size_of(l);
    return add_slot(std::move(l), std::move(s));
}
void program_builder::argument(const operand& x) {
    slots_[x.id] = add_slot(plain_layout(x.dims, x.type), {place::input, inputs_++});
}
int program_builder::at(const operand& x) {
    const auto entry = slots_.find(x.id);
    if (entry == slots_.end() && !x.constant) refuse("a value is not there");
    const int slot = entry != slots_.end() ? entry->second : slots_[x.id] = constant(x);
    const shape target_dims = padded(x.dims, 1);
    return dims(slot) == target_dims ? slot : reshaped(slot, target_dims);
}
int program_builder::constant(const operand& x) {
    if (x.elements || x.is_quantized())
        return constant(x.dims, x.type, [&] { return lowering::stored_elements(r_, x); });
    dnnl_program::storage s{place::constant};
    if (!is_trial()) s.elements = lowering::constant_of(r_, x);
    return add_slot(plain_layout(x.dims, x.type), std::move(s));
}
dnnl_arguments program_builder::arguments_of(std::span<const dnnl_scaling> scalings) {
    dnnl_arguments arguments;
    for (const dnnl_scaling& s : scalings) {
        const shape count{std::int64_t(s.scales.size())};
        arguments.push_back(
            {DNNL_ARG_ATTR_SCALES | s.argument, constant(count, element::f32, [&] { return s.scales; })});
        if (s.zero == 0) continue;
        const auto zero = [&] { return std::vector{s.zero}; };
        arguments.push_back({DNNL_ARG_ATTR_ZERO_POINTS | s.argument, constant({1}, element::i32, zero)});
    }
    return arguments;
}
void program_builder::reorder(int from, int to, std::span<const dnnl_scaling> scalings) {
    dnnl_arguments arguments = arguments_of(scalings);
    arguments.insert(arguments.end(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    add(plan_reorder(layout(from), layout(to), scalings), std::move(arguments));
}
int program_builder::packed(int slot, dnnl_layout target) {
    const planned_primitive planned = plan_reorder(layout(slot), target);
    dnnl_program::storage s{place::constant};
    if (!is_trial()) {
        s.memory = room_for(size_of(target));
        s.elements = s.memory.data();
        const dnnl_layout pad = planned.argument(DNNL_ARG_SCRATCHPAD);
        tensor scratch = room_for(pad ? size_of(pad) : 0);
        const auto from = memory_over(layout(slot), const_cast<void*>(storage_of(slot).elements)),
                   to = memory_over(target, s.memory.data());
        onednn_ptr<dnnl_memory_t> room;
        std::vector<dnnl_exec_arg_t> arguments{{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
        if (pad) {
            room = memory_over(pad, scratch.data());
            arguments.push_back({DNNL_ARG_SCRATCHPAD, room.get()});
        }
        onednn_check(dnnl().dnnl_primitive_execute(primitive_of(planned).get(), stream_.get(), int(arguments.size()),
                                                   arguments.data()));
        onednn_check(dnnl().dnnl_stream_wait(stream_.get()));
    }
    return add_slot(std::move(target), std::move(s));
}
int program_builder::as(int slot, const dnnl_layout& target) {
    if (same_layout(layout(slot), target)) return slot;
    for (int candidate : copies_[slot])
        if (same_layout(layout(candidate), target)) return candidate;
    int copy;
    if (is_constant(slot)) {
        copy = packed(slot, target);
    } else {
        copy = inner(target);
        reorder(slot, copy);
    }
    copies_[slot].push_back(copy);
    return copy;
}
int program_builder::channels_last(int slot) {
    const shape dims = this->dims(slot);
    return as(slot, strided_layout(dims, strides_of(dims, layout::channels_last), stored_type(layout(slot))));
}
int program_builder::from_first(int slot) { return offset_of(layout(slot)) == 0 ? slot : plain(slot); }
int program_builder::reshaped(int slot, const shape& dims) {
    const dnnl_sizes d(dims);
    dnnl_memory_desc_t desc = nullptr;
    // oneDNN 3.2 takes what pads a block of channels for elements.
    int from = has_blocks(layout(slot)) ? plain(slot) : slot;
    if (dnnl().dnnl_memory_desc_reshape(&desc, layout(from).get(), d.rank, d.list) != dnnl_success) {
        from = plain(slot);
        onednn_check(dnnl().dnnl_memory_desc_reshape(&desc, layout(from).get(), d.rank, d.list));
    }
    return add_view(owned(desc), from);
}
int program_builder::permuted(int slot, std::span<const int> places) {
    dnnl_memory_desc_t desc = nullptr;
    onednn_check(dnnl().dnnl_memory_desc_permute_axes(&desc, layout(slot).get(), places.data()));
    return add_view(owned(desc), slot);
}
int program_builder::part(int slot, const shape& dims, const shape& start) {
    const dnnl_sizes d(dims), s(start);
    dnnl_memory_desc_t desc = nullptr;
    if (dnnl().dnnl_memory_desc_create_submemory(&desc, layout(slot).get(), d.list, s.list) == dnnl_success)
        return add_view(owned(desc), slot);
    const int from = plain(slot);  // blocks of channels are cut at their borders only
    onednn_check(dnnl().dnnl_memory_desc_create_submemory(&desc, layout(from).get(), d.list, s.list));
    return add_view(owned(desc), from);
}

int program_builder::written(const operand& y, dnnl_layout l) {
    const auto at = std::ranges::find(results_, y.id, &operand::id);
    const shape layout_dims = dims_of(l);
    if (at == results_.end() || layout_dims.elements() != y.dims.elements() ||
        !same_layout(l, plain_layout(layout_dims, y.type)))
        return inner(std::move(l));
    return add_slot(std::move(l), {place::output, int(at - results_.begin())});
}
void program_builder::give(const operand& y, int slot) {
    const shape target_dims = padded(y.dims, 1);
    slots_[y.id] = dims(slot) == target_dims ? slot : reshaped(slot, target_dims);
}
void program_builder::add(const planned_primitive& planned, dnnl_arguments arguments) {
    if (is_trial()) return;
    p_.steps.push_back({std::move(arguments), primitive_of(planned), planned.argument(DNNL_ARG_SCRATCHPAD)});
}
dnnl_program program_builder::finish() {
    for (std::size_t k = 0; k < results_.size(); ++k) {
        const operand& y = results_[k];
        const int slot = at(y);
        const dnnl_program::storage& s = storage_of(slot);
        if (s.location == place::output && s.index == int(k)) continue;
        reorder(slot, add_slot(plain_layout(y.dims, y.type), {place::output, int(k)}));
    }
    drop_unread();
    place_arena();
    return std::move(p_);
}
void program_builder::drop_unread() {  // what was made for a primitive that oneDNN then did not have
    std::vector<char> is_read(p_.storages.size(), 0);
    for (std::size_t s = p_.steps.size(); s-- > 0;) {
        const auto& arguments = p_.steps[s].arguments;
        const auto storage = [&](int slot) { return std::size_t(p_.slots[std::size_t(slot)].storage); };
        const bool needed = std::ranges::any_of(arguments, [&](const dnnl_program::argument& a) {
            const std::size_t to = storage(a.slot);
            return a.name == DNNL_ARG_DST && (p_.storages[to].location == place::output || is_read[to]);
        });
        if (!needed)
            p_.steps.erase(p_.steps.begin() + std::ptrdiff_t(s));
        else
            for (const dnnl_program::argument& a : arguments)
                if (a.name != DNNL_ARG_DST) is_read[storage(a.slot)] = 1;
    }
    for (std::size_t k = 0; k < is_read.size(); ++k)
        if (!is_read[k]) p_.storages[k].memory = {};
}
void program_builder::place_arena() {
    std::vector<int> block_of(p_.storages.size(), -1), placed;
    std::vector<arena_block> blocks;
    std::size_t scratchpad = 0;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
        if (p_.steps[s].scratchpad) scratchpad = std::max(scratchpad, size_of(p_.steps[s].scratchpad));
        for (const dnnl_program::argument& a : p_.steps[s].arguments) {
            const int storage = p_.slots[std::size_t(a.slot)].storage;
            if (p_.storages[std::size_t(storage)].location != place::arena) continue;
            int& block = block_of[std::size_t(storage)];
            if (block < 0) {
                block = int(blocks.size());
                blocks.push_back({int(s), int(s), std::int64_t(p_.storages[std::size_t(storage)].bytes)});
                placed.push_back(storage);
            }
            blocks[std::size_t(block)].last_step = int(s);
        }
    }
    p_.scratchpad_at = place_blocks(blocks);
    p_.arena_bytes = p_.scratchpad_at + std::int64_t(scratchpad);
    for (std::size_t k = 0; k < placed.size(); ++k) p_.storages[std::size_t(placed[k])].offset = blocks[k].offset;
}
}  // namespace v1
}  // namespace inlay
