// MaxPool, AveragePool, and those over whole images.
#include "writer.hpp"
#include <inlay/onnx/pool.hpp>
#include <arm_compute/runtime/NEON/functions/NEPoolingLayer.h>

namespace inlay {
inline namespace v1 {
namespace {
void write_pool(const node_writer& a) {
    a.require_image();
    if (!a.only_first_output()) refuse("the indices of the maxima are wanted, which ACL's function does not give");
    pool_windows w;
    require(w.read(a.n));
    for (const window_axis& axis : w.axes) {
        if (axis.dilation != 1)
            refuse("it is dilated by " + std::to_string(axis.dilation) + ", and ACL's function is not");
        if (axis.before >= axis.kernel || axis.after >= axis.kernel)
            refuse("a window may lie in the padding alone, which ACL fills with elements of the image");
    }
    const window_axis &rows = w.axes[1], &columns = w.axes[2];
    const bool average = a.n.record.op == "AveragePool", same = a.n.text("auto_pad", "NOTSET").starts_with("SAME"),
               up = !same && a.n.integer("ceil_mode", 0) != 0;
    const arm::PadStrideInfo windows(unsigned(columns.stride), unsigned(rows.stride), unsigned(columns.before),
                                     unsigned(columns.after), unsigned(rows.before), unsigned(rows.after),
                                     up ? arm::DimensionRoundingType::CEIL : arm::DimensionRoundingType::FLOOR);
    const arm::PoolingLayerInfo pool(average ? arm::PoolingType::AVG : arm::PoolingType::MAX,
                                     arm::Size2D(std::size_t(columns.kernel), std::size_t(rows.kernel)),
                                     arm::DataLayout::NCHW, windows, average && !w.include_padding);
    a.put(a.through<arm::NEPoolingLayer>(a.input(0), a.output_info(), pool));
}
void write_global_pool(const node_writer& a) {
    a.require_image();
    const bool average = a.n.record.op == "GlobalAveragePool";
    const arm::PoolingLayerInfo pool(average ? arm::PoolingType::AVG : arm::PoolingType::MAX, arm::DataLayout::NCHW);
    a.put(a.through<arm::NEPoolingLayer>(a.input(0), a.output_info(), pool));
}
}  // namespace

writer_function find_pool(std::string_view op) {
    static constexpr named_writer all[] = {{"MaxPool", write_pool},
                                           {"AveragePool", write_pool},
                                           {"GlobalMaxPool", write_global_pool},
                                           {"GlobalAveragePool", write_global_pool}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
