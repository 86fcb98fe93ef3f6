#include "lowering.hpp"
#include <algorithm>
#include <provider/arena_blocks.hpp>

namespace inlay {
inline namespace v1 {
tensor room_for(std::size_t bytes) { return tensor(element::u8, {std::int64_t(std::max<std::size_t>(bytes, 1))}); }
onednn_ptr<dnnl_memory_t> memory_over(const dnnl_layout& l, void* elements) {
    dnnl_memory_t made = nullptr;
    onednn_check(onednn_library().dnnl_memory_create(&made, l.get(), onednn_library().engine, elements));
    return onednn_ptr<dnnl_memory_t>(made);
}

namespace onednn_rules {
namespace {
dnnl_layout owned(dnnl_memory_desc_t d) { return {d, onednn_deleter{}}; }
std::size_t bytes_of(const dnnl_layout& l) { return dnnl().dnnl_memory_desc_get_size(l.get()); }
dnnl_layout strided_layout(const shape& dims, const shape& strides, element type = element::f32) {
    const dnnl_sizes d(dims), s(strides);
    dnnl_memory_desc_t made = nullptr;
    onednn_check(dnnl().dnnl_memory_desc_create_with_strides(&made, d.rank, d.list, dnnl_type_of(type), s.list));
    return owned(made);
}
template <class T> T told(const dnnl_layout& l, dnnl_query_t what) {
    T answer{};
    onednn_check(dnnl().dnnl_memory_desc_query(l.get(), what, &answer));
    return answer;
}
// Dimensions, padded ones or strides.
shape dims_of(const dnnl_layout& l, dnnl_query_t what) {
    const int rank = told<int>(l, dnnl_query_ndims_s32);
    const auto* const dims = told<const dnnl_dims_t*>(l, what);
    shape s = shape::of_rank(rank);
    std::copy(*dims, *dims + rank, s.dims.begin());
    return s;
}
std::int64_t offset_of(const dnnl_layout& l) { return told<dnnl_dim_t>(l, dnnl_query_submemory_offset_s64); }
element element_of(const dnnl_layout& l) {
    const auto type = told<dnnl_data_type_t>(l, dnnl_query_data_type);
    return type == dnnl_f32 ? element::f32 : type == dnnl_s8 ? element::i8 : element::u8;
}
// Each element lies where it does in the plain one.
bool same_places(const dnnl_layout& l, const dnnl_layout& plain) {
    if (told<int>(l, dnnl_query_inner_nblks_s32) != 0 || offset_of(l) != 0) return false;
    const shape dims = dims_of(l, dnnl_query_dims), steps = dims_of(l, dnnl_query_strides),
                wanted = dims_of(plain, dnnl_query_strides);
    for (int i = 0; i < dims.rank; ++i)
        if (dims[i] > 1 && steps[i] != wanted[i]) return false;
    return true;
}
planned_primitive plan_reorder(const dnnl_layout& from, const dnnl_layout& to) {
    static const primitive_attributes own = attributes();
    dnnl_primitive_desc_t desc = nullptr;
    onednn_check(dnnl().dnnl_reorder_primitive_desc_create(&desc, from.get(), dnnl().engine, to.get(), dnnl().engine,
                                                           own.get()));
    return planned_primitive(desc);
}
onednn_ptr<dnnl_primitive_t> made_of(const planned_primitive& p) {
    dnnl_primitive_t made = nullptr;
    onednn_check(dnnl().dnnl_primitive_create(&made, p.get()));
    return onednn_ptr<dnnl_primitive_t>(made);
}
}  // namespace

shape dims_of(const dnnl_layout& l) { return dims_of(l, dnnl_query_dims); }
dnnl_layout plain_layout(const shape& dims, element type) {
    return strided_layout(dims, dims.rank ? strides_of(dims, layout::plain) : shape{1}, type);
}
dnnl_layout channels_last_layout(const shape& dims) {
    return strided_layout(dims, strides_of(dims, layout::channels_last));
}
dnnl_layout any_layout(const shape& dims) {
    const dnnl_sizes d(dims);
    dnnl_memory_desc_t made = nullptr;
    onednn_check(dnnl().dnnl_memory_desc_create_with_tag(&made, d.rank, d.list, dnnl_f32, dnnl_format_tag_any));
    return owned(made);
}
bool same_layout(const dnnl_layout& a, const dnnl_layout& b) {
    return dnnl().dnnl_memory_desc_equal(a.get(), b.get()) != 0;
}
bool is_whole(const dnnl_layout& l) {
    std::size_t bytes = element_of(l) == element::f32 ? sizeof(float) : 1;
    for (std::int64_t d : dims_of(l, dnnl_query_padded_dims)) bytes *= std::size_t(d);
    return offset_of(l) == 0 && bytes_of(l) == bytes;
}
shape padded(const shape& dims, int rank) {
    shape s;
    for (int i = std::max(dims.rank, 0); i < rank; ++i) s.push_back(1);
    for (std::int64_t d : dims) s.push_back(d);
    return s;
}

dnnl_layout planned_primitive::argument(int name) const {
    const const_dnnl_memory_desc_t d = dnnl().dnnl_primitive_desc_query_md(get(), dnnl_query_exec_arg_md, name);
    if (!d || dnnl().dnnl_memory_desc_get_size(d) == 0) return nullptr;
    dnnl_memory_desc_t copy = nullptr;  // the other one goes with the primitive's description
    onednn_check(dnnl().dnnl_memory_desc_clone(&copy, d));
    return owned(copy);
}
bool planned_primitive::has_only_plain_loops() const {
    const char* name = nullptr;
    onednn_check(dnnl().dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, static_cast<void*>(&name)));
    return name && std::string_view(name).starts_with("ref");
}
primitive_attributes attributes(const endings& ends, std::span<const dnnl_layout> operands) {
    dnnl_primitive_attr_t made = nullptr;
    onednn_check(dnnl().dnnl_primitive_attr_create(&made));
    primitive_attributes owner(made);
    onednn_check(dnnl().dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user));
    onednn_check(dnnl().dnnl_primitive_attr_set_fpmath_mode(made, dnnl_fpmath_mode_strict));
    if (ends.empty()) return owner;
    dnnl_post_ops_t list = nullptr;
    onednn_check(dnnl().dnnl_post_ops_create(&list));
    const onednn_ptr<dnnl_post_ops_t> list_owner(list);
    for (const ending& e : ends)
        if (e.operand < 0)
            onednn_check(dnnl().dnnl_post_ops_append_eltwise(list, e.algorithm, e.alpha, e.beta));
        else {
            onednn_check(dnnl().dnnl_post_ops_append_binary(list, e.algorithm, operands.front().get()));
            operands = operands.subspan(1);
        }
    onednn_check(dnnl().dnnl_primitive_attr_set_post_ops(made, list));
    return owner;
}

lowering::lowering(const region& r, dnnl_program& p, purpose why) : r_(r), p_(p), why_(why) {
    dnnl_stream_t made = nullptr;
    onednn_check(dnnl().dnnl_stream_create(&made, dnnl().engine, dnnl_stream_default_flags));
    stream_.reset(made);
    for (std::size_t k = 0; k < r.inputs.size(); ++k) {
        const value& v = r.graph.values[std::size_t(r.inputs[k])];
        const dnnl_layout l = plain_layout(v.dims, v.type);
        known_[r.inputs[k]] = add_slot(l, add_storage({dnnl_program::storage::place::input, int(k)}));
    }
}
int lowering::add_slot(dnnl_layout l, int storage) {
    p_.slots.push_back({std::move(l), storage});
    return int(p_.slots.size()) - 1;
}
// A step along an axis of one element is the plain one: the other one confuses primitives.
int lowering::add_view(dnnl_layout l, int storage) {
    const dnnl_layout plain = plain_layout(dims_of(l), element_of(l));
    return add_slot(same_places(l, plain) ? plain : std::move(l), storage);
}
int lowering::add_storage(dnnl_program::storage s) {
    p_.storages.push_back(std::move(s));
    return int(p_.storages.size()) - 1;
}
int lowering::inner(dnnl_layout l) {
    if (!is_whole(l)) refuse("oneDNN would leave gaps between its elements");
    dnnl_program::storage s{dnnl_program::storage::place::arena};
    s.bytes = bytes_of(l);
    return add_slot(std::move(l), add_storage(std::move(s)));
}
bool lowering::is_constant(int slot) const {
    return p_.storages[std::size_t(storage_of(slot))].where == dnnl_program::storage::place::constant;
}
int lowering::slot_of(int id) {
    if (const auto at = known_.find(id); at != known_.end()) return at->second;
    const value& v = r_.graph.values[std::size_t(id)];
    dnnl_program::storage s{dnnl_program::storage::place::constant};
    if (why_ == purpose::use) s.elements = r_.constant(id);
    return known_[id] = add_slot(plain_layout(v.dims, v.type), add_storage(std::move(s)));
}
void lowering::reorder(int from, int to) {
    add(plan_reorder(layout(from), layout(to)), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}
int lowering::packed(int slot, const dnnl_layout& wanted) {
    if (!is_whole(wanted)) refuse("oneDNN would leave gaps between its elements");
    const planned_primitive planned = plan_reorder(layout(slot), wanted);
    dnnl_program::storage s{dnnl_program::storage::place::constant};
    if (why_ == purpose::use) {
        s.own = room_for(bytes_of(wanted));
        s.elements = s.own.data();
        const dnnl_layout pad = planned.argument(DNNL_ARG_SCRATCHPAD);
        tensor scratch = room_for(pad ? bytes_of(pad) : 0);
        const auto from = memory_over(layout(slot),
                                      const_cast<void*>(p_.storages[std::size_t(storage_of(slot))].elements)),
                   to = memory_over(wanted, s.own.data());
        onednn_ptr<dnnl_memory_t> room;
        std::vector<dnnl_exec_arg_t> arguments{{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
        if (pad) {
            room = memory_over(pad, scratch.data());
            arguments.push_back({DNNL_ARG_SCRATCHPAD, room.get()});
        }
        onednn_check(dnnl().dnnl_primitive_execute(made_of(planned).get(), stream_.get(), int(arguments.size()),
                                                   arguments.data()));
        onednn_check(dnnl().dnnl_stream_wait(stream_.get()));
    }
    return add_slot(wanted, add_storage(std::move(s)));
}
int lowering::as(int slot, const dnnl_layout& wanted) {
    if (same_layout(layout(slot), wanted)) return slot;
    for (int other : copies_[slot])
        if (same_layout(layout(other), wanted)) return other;
    int made;
    if (is_constant(slot))
        made = packed(slot, wanted);
    else {
        made = inner(wanted);
        reorder(slot, made);
    }
    copies_[slot].push_back(made);
    return made;
}
int lowering::from_first(int slot) { return offset_of(layout(slot)) == 0 ? slot : plain(slot); }
int lowering::reshaped(int slot, const shape& dims) {
    const dnnl_sizes d(dims);
    dnnl_memory_desc_t made = nullptr;
    // oneDNN 3.2 takes what pads a block of channels for elements.
    int from = told<int>(layout(slot), dnnl_query_inner_nblks_s32) ? plain(slot) : slot;
    if (dnnl().dnnl_memory_desc_reshape(&made, layout(from).get(), d.rank, d.list) != dnnl_success) {
        from = plain(slot);
        onednn_check(dnnl().dnnl_memory_desc_reshape(&made, layout(from).get(), d.rank, d.list));
    }
    return add_view(owned(made), storage_of(from));
}
int lowering::permuted(int slot, std::span<const int> places) {
    dnnl_memory_desc_t made = nullptr;
    onednn_check(dnnl().dnnl_memory_desc_permute_axes(&made, layout(slot).get(), places.data()));
    return add_view(owned(made), storage_of(slot));
}
int lowering::part(int slot, const shape& dims, const shape& start) {
    const dnnl_sizes d(dims), s(start);
    dnnl_memory_desc_t made = nullptr;
    if (dnnl().dnnl_memory_desc_create_submemory(&made, layout(slot).get(), d.list, s.list) == dnnl_success)
        return add_view(owned(made), storage_of(slot));
    const int from = plain(slot);  // blocks of channels are cut at their borders only
    onednn_check(dnnl().dnnl_memory_desc_create_submemory(&made, layout(from).get(), d.list, s.list));
    return add_view(owned(made), storage_of(from));
}

int lowering::written(int id, dnnl_layout l) {
    const auto at = std::ranges::find(r_.outputs, id);
    const value& v = r_.graph.values[std::size_t(id)];
    const shape own = dims_of(l);
    if (at == r_.outputs.end() || own.elements() != v.dims.elements() || !same_layout(l, plain_layout(own, v.type)))
        return inner(std::move(l));
    return add_slot(std::move(l), add_storage({dnnl_program::storage::place::output, int(at - r_.outputs.begin())}));
}
int lowering::result(const node_view& n, int k, dnnl_layout l) { return written(n.output_id(k), std::move(l)); }
void lowering::give(const node_view& n, int k, int slot) {
    const shape& dims = n.output(k).dims;
    known_[n.output_id(k)] = padded(dims, 1) == this->dims(slot) ? slot : reshaped(slot, dims);
}
void lowering::add(const planned_primitive& planned, std::vector<dnnl_program::argument> arguments) {
    if (why_ == purpose::trial) return;
    p_.steps.push_back({std::move(arguments), made_of(planned), planned.argument(DNNL_ARG_SCRATCHPAD)});
}
int lowering::inner(const dnnl_graph_logical_tensor_t& t) {
    dnnl_program::storage s{dnnl_program::storage::place::arena};
    onednn_check(dnnl().dnnl_graph_logical_tensor_get_mem_size(&t, &s.bytes));
    return add_slot(nullptr, add_storage(std::move(s)));
}
void lowering::add(const dnnl_partition& p) {
    dnnl_program::step s;
    std::vector<dnnl_graph_logical_tensor_t> inputs = p.inputs, outputs = p.outputs;
    for (auto& t : inputs) {
        const int id = int(t.id);
        if (const auto at = opaque_.find(id); at != opaque_.end()) {
            t = at->second;
            s.arguments.push_back({DNNL_ARG_SRC, known_.at(id)});
        } else {
            const int slot = slot_of(id);
            const element type = r_.graph.values[t.id].type;
            s.arguments.push_back({DNNL_ARG_SRC, as(slot, plain_layout(dims(slot), type))});
        }
    }
    s.partition = compile_partition(p.made.get(), inputs, outputs);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto& t = outputs[k];
        const int id = int(t.id);
        const value& v = r_.graph.values[t.id];
        if (p.outputs[k].layout_type == dnnl_graph_layout_type_any) opaque_[id] = t;
        known_[id] = opaque_.contains(id) ? inner(t) : written(id, plain_layout(v.dims, v.type));
        s.arguments.push_back({DNNL_ARG_DST, known_[id]});
    }
    s.tensors = std::move(inputs);
    s.tensors.insert(s.tensors.end(), outputs.begin(), outputs.end());
    p_.steps.push_back(std::move(s));
}
void lowering::finish() {
    for (std::size_t k = 0; k < r_.outputs.size(); ++k) {
        const int id = r_.outputs[k], slot = known_.at(id);
        const dnnl_program::storage& s = p_.storages[std::size_t(storage_of(slot))];
        if (s.where == dnnl_program::storage::place::output && s.index == int(k)) continue;
        const value& v = r_.graph.values[std::size_t(id)];
        const int out =
            add_slot(plain_layout(v.dims, v.type), add_storage({dnnl_program::storage::place::output, int(k)}));
        reorder(slot, out);
    }
    drop_unread();
    place_arena();
}
void lowering::drop_unread() {  // what was made for a primitive that oneDNN then did not have
    std::vector<char> read(p_.storages.size(), 0);
    for (std::size_t s = p_.steps.size(); s-- > 0;) {
        const auto& arguments = p_.steps[s].arguments;
        const bool needed = std::ranges::any_of(arguments, [&](const dnnl_program::argument& a) {
            const auto to = std::size_t(storage_of(a.slot));
            return a.name == DNNL_ARG_DST &&
                   (p_.storages[to].where == dnnl_program::storage::place::output || read[to]);
        });
        if (!needed)
            p_.steps.erase(p_.steps.begin() + std::ptrdiff_t(s));
        else
            for (const dnnl_program::argument& a : arguments)
                if (a.name != DNNL_ARG_DST) read[std::size_t(storage_of(a.slot))] = 1;
    }
}
void lowering::place_arena() {
    std::vector<int> block_of(p_.storages.size(), -1), placed;
    std::vector<arena_block> blocks;
    std::size_t scratchpad = 0;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
        if (p_.steps[s].scratchpad) scratchpad = std::max(scratchpad, bytes_of(p_.steps[s].scratchpad));
        for (const dnnl_program::argument& a : p_.steps[s].arguments) {
            const int storage = storage_of(a.slot);
            if (p_.storages[std::size_t(storage)].where != dnnl_program::storage::place::arena) continue;
            int& block = block_of[std::size_t(storage)];
            if (block < 0) {
                block = int(blocks.size());
                blocks.push_back({int(s), int(s), std::int64_t(p_.storages[std::size_t(storage)].bytes)});
                placed.push_back(storage);
            }
            blocks[std::size_t(block)].last = int(s);
        }
    }
    p_.scratchpad_at = place_blocks(blocks);
    p_.arena_bytes = p_.scratchpad_at + std::int64_t(scratchpad);
    for (std::size_t k = 0; k < placed.size(); ++k) p_.storages[std::size_t(placed[k])].offset = blocks[k].offset;
}

namespace {
// The primitive with all endings in it.
int add_whole(lowering& l, const node_view& n, const endings& ends, const shape& dims,
              const std::function<planned_primitive(const_dnnl_primitive_attr_t)>& plan,
              const std::function<std::vector<dnnl_program::argument>(const planned_primitive&)>& arguments) {
    std::vector<dnnl_layout> wanted;
    for (const ending& e : ends)
        if (e.operand >= 0) {
            const shape own = l.dims(e.operand);
            wanted.push_back(own == dims ? any_layout(own) : plain_layout(own));
        }
    const planned_primitive planned = plan(attributes(ends, wanted).get());
    std::vector<dnnl_program::argument> all = arguments(planned);
    for (std::size_t k = 0; k < ends.size(); ++k)
        if (ends[k].operand >= 0) {
            const int name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(k)) | DNNL_ARG_SRC_1;
            all.push_back({name, l.as(ends[k].operand, planned.argument(name))});
        }
    const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
    all.push_back({DNNL_ARG_DST, out});
    l.add(planned, std::move(all));
    return out;
}
}  // namespace

int add_with_endings(lowering& l, const node_view& n, const endings& ends, const shape& dims,
                     const std::function<planned_primitive(const_dnnl_primitive_attr_t)>& plan,
                     const std::function<std::vector<dnnl_program::argument>(const planned_primitive&)>& arguments) {
    try {
        return add_whole(l, n, ends, dims, plan, arguments);
    } catch (const onednn_refusal&) {
        if (ends.empty()) throw;
    }
    int at = add_whole(l, n, {}, dims, plan, arguments);
    for (const ending& e : ends) at = add_ending(l, n, e, at);
    return at;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
