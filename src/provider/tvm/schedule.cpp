// The loops of a step's function: tiles of sums in registers, what comes after them on the same tile, vectors along the
// last axis.
#include "compiler.hpp"

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using tvm_calls::array;
using tvm_calls::call;
using tvm_calls::elements;
using tvm_calls::object;
using objects = std::vector<object>;

class scheduling {
    object schedule_;
    const lowered& l_;
    const shape& result_;
    const compiler& c_;

    object block(const char* name) { return call("s_tir.schedule.ScheduleGetSBlock", schedule_, name, "main"); }
    objects loops(const object& block) { return elements(call("s_tir.schedule.ScheduleGetLoops", schedule_, block)); }
    object place(const object& block) { return call("s_tir.schedule.ScheduleGetSRef", schedule_, block); }
    objects split(const object& loop, std::int64_t outer, std::int64_t inner) {
        const std::int64_t factors[] = {outer, inner};
        return elements(call("s_tir.schedule.ScheduleSplit", schedule_, loop, array(factors), true, false));
    }
    void vectorize(const object& loop) { call("s_tir.schedule.ScheduleVectorize", schedule_, loop); }
    void unroll(const object& loop) { call("s_tir.schedule.ScheduleUnroll", schedule_, loop); }
    void reorder(const objects& order) { call("s_tir.schedule.ScheduleReorder", schedule_, array(order)); }
    // Threads share out these loops, the outermost ones.
    void share(const objects& outer) {
        if (!c_.parallel || outer.empty()) return;
        call("s_tir.schedule.ScheduleParallel", schedule_,
             outer.size() == 1 ? outer[0] : call("s_tir.schedule.ScheduleFuse", schedule_, array(outer), true));
    }
    // What has one reader, and is no sum, is computed where it is read; which leaves others with one reader.
    bool inline_some(const object& root, const object& output) {
        const void* const pad = l_.pads ? place(block("pad")).address() : nullptr;
        const void* const result = place(output).address();
        bool any = false;
        for (const object& b : elements(call("s_tir.schedule.ScheduleGetChildBlocks", schedule_, root))) {
            const void* const location = place(b).address();
            if (location == pad || location == result) continue;
            if (call("s_tir.schedule.IsReductionBlock", schedule_, b, root).integer()) continue;
            const object readers = call("s_tir.schedule.ScheduleGetConsumers", schedule_, b);
            if (call("ffi.ArraySize", readers).integer() != 1) continue;
            call("s_tir.schedule.ScheduleComputeInline", schedule_, b);
            any = true;
        }
        return any;
    }
    void tile_sums(const object& output) {
        const object sums = block("sums");
        objects axes = loops(output);
        const int rank = int(axes.size());
        const object columns = axes.back();
        const objects c = split(columns, result_[rank - 1] / l_.in_registers.columns, l_.in_registers.columns);
        objects outer, inner;
        if (rank > 1) {
            const objects r =
                split(axes[std::size_t(rank - 2)], result_[rank - 2] / l_.in_registers.rows, l_.in_registers.rows);
            for (int i = 0; i < rank - 2; ++i) outer.push_back(axes[std::size_t(i)]);
            outer.insert(outer.begin(), c[0]);  // the same columns of weights for all rows
            inner = {r[0], r[1], c[1]};
        } else {
            const objects parts = split(c[0], 1, result_[0] / l_.in_registers.columns);
            outer = {parts[0]};
            inner = {parts[1], c[1]};
        }
        objects order = outer;
        order.insert(order.end(), inner.begin(), inner.end());
        reorder(order);
        call("s_tir.schedule.ScheduleSetScope", schedule_, sums, 0, "local");
        call("s_tir.schedule.ScheduleComputeAt", schedule_, sums, inner[0], true, -1);
        share(outer);
        const objects nest = loops(sums);
        const auto first_sum = nest.end() - l_.summed_axes, first_axis = first_sum - rank;
        objects reordered(first_sum, nest.end());
        reordered.insert(reordered.end(), first_axis, first_sum);
        reorder(reordered);
        for (auto a = first_axis; a + 1 != first_sum; ++a) unroll(*a);
        vectorize(*(first_sum - 1));
        call("s_tir.schedule.ScheduleDecomposeReduction", schedule_, sums, *first_sum);
        vectorize(inner.back());
        if (inner.size() > 2) unroll(inner[1]);
    }
    void vectorize_last(const object& output) {
        objects axes = loops(output);
        if (axes.empty()) return;
        const std::int64_t length = result_[result_.rank - 1];
        std::int64_t width = 1;
        for (std::int64_t w = 1; w <= c_.vectors.lanes; ++w)
            if (length % w == 0) width = w;
        if (2 * width >= c_.vectors.lanes) {  // else the code generator finds vectors itself, or there are none
            const objects parts = split(axes.back(), length / width, width);
            vectorize(parts[1]);
        }
        axes.pop_back();
        share(axes);
    }

  public:
    scheduling(const lowered& l, const shape& result, const compiler& c) : l_(l), result_(result), c_(c) {
        const std::pair main(std::string("main"), l.function);
        const object module = tvm_calls::module_of(std::span(&main, 1));
        schedule_ = call("s_tir.schedule.ConcreteSchedule", module, -1, 0, 0, true);
    }
    object operator()() {
        const object root = block("root");
        const object output = elements(call("s_tir.schedule.ScheduleGetOutputBlocks", schedule_, root)).back();
        while (inline_some(root, output)) {
        }
        if (l_.pads) {
            objects axes = loops(block("pad"));
            axes.pop_back();
            share(axes);
        }
        if (l_.sums)
            tile_sums(output);
        else
            vectorize_last(output);
        return call("ir.Module_Lookup_str", call("s_tir.schedule.ScheduleGetMod", schedule_), "main");
    }
};
}  // namespace

object schedule(const lowered& l, const shape& result, const compiler& c) { return scheduling(l, result, c)(); }
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
