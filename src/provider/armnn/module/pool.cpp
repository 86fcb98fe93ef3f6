// MaxPool, AveragePool, those over whole images, and ReduceMean.
#include "writer.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
using ::armnn::TensorInfo;
namespace {
using support = network_writer::support;
using reason = network_writer::reason;

void put_pooled(const node_writer& a, const ::armnn::Pooling2dDescriptor& d) {
    a.require_image();
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsPooling2dSupported(x.info, y, d, why); },
        [&](::armnn::INetwork& net) { return net.AddPooling2dLayer(d); }));
}
void write_pool(const node_writer& a) {
    if (!a.only_first_output()) refuse("the indices of the maxima are wanted, which Arm NN's layer does not give");
    pool_windows w;
    require(w.read(a.n));
    for (const window_axis& axis : w.axes) {
        if (axis.dilation != 1)
            refuse("it is dilated by " + std::to_string(axis.dilation) + ", and Arm NN's layer is not");
        if (axis.before >= axis.kernel || axis.after >= axis.kernel)
            refuse("a window may lie in the padding alone, where Arm NN's layer gives 0");
    }
    const window_axis &rows = w.axes[1], &columns = w.axes[2];
    const bool average = a.n.record.op == "AveragePool", same = a.n.text("auto_pad", "NOTSET").starts_with("SAME");
    ::armnn::Pooling2dDescriptor d;
    d.m_PoolType = average ? ::armnn::PoolingAlgorithm::Average : ::armnn::PoolingAlgorithm::Max;
    d.m_PadTop = unsigned(rows.before);
    d.m_PadBottom = unsigned(rows.after);
    d.m_PadLeft = unsigned(columns.before);
    d.m_PadRight = unsigned(columns.after);
    d.m_PoolHeight = unsigned(rows.kernel);
    d.m_PoolWidth = unsigned(columns.kernel);
    d.m_StrideY = unsigned(rows.stride);
    d.m_StrideX = unsigned(columns.stride);
    d.m_PaddingMethod =
        average && w.include_padding ? ::armnn::PaddingMethod::IgnoreValue : ::armnn::PaddingMethod::Exclude;
    d.m_OutputShapeRounding = !same && a.n.integer("ceil_mode", 0) != 0 ? ::armnn::OutputShapeRounding::Ceiling
                                                                        : ::armnn::OutputShapeRounding::Floor;
    put_pooled(a, d);
}
void write_global_pool(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    ::armnn::Pooling2dDescriptor d;
    d.m_PoolType =
        a.n.record.op == "GlobalAveragePool" ? ::armnn::PoolingAlgorithm::Average : ::armnn::PoolingAlgorithm::Max;
    d.m_PoolHeight = unsigned(x[2]);
    d.m_PoolWidth = unsigned(x[3]);
    d.m_StrideX = d.m_StrideY = 1;
    put_pooled(a, d);
}
void write_reduce_mean(const node_writer& a) {
    reduced_axes axes;
    require(axes.read(a.n));
    if (!axes.known) refuse("its axes are no constant");
    shape kept = a.n.input(0).dims;
    require_rank(a, 4);
    ::armnn::MeanDescriptor d;
    d.m_KeepDims = true;
    for (int i = 0; i < kept.rank; ++i)
        if (axes.has(i)) {
            d.m_Axis.push_back(unsigned(i));
            kept[i] = 1;
        }
    const stream x = a.input(0);
    if (d.m_Axis.empty()) return a.put(x);  // Arm NN would reduce all
    const TensorInfo y = info_of(kept, a.n.output(0).type);
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsMeanSupported(x.info, y, d, why); },
        [&](::armnn::INetwork& net) { return net.AddMeanLayer(d); }));
}
}  // namespace

writer_function find_pool(std::string_view op) {
    static constexpr named_writer all[] = {{"MaxPool", write_pool},
                                           {"AveragePool", write_pool},
                                           {"GlobalMaxPool", write_global_pool},
                                           {"GlobalAveragePool", write_global_pool},
                                           {"ReduceMean", write_reduce_mean}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
