// What moves elements, and images of other sizes.
#include "host.hpp"

namespace host {
namespace {
void split(const dml_split& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    require(d.OutputCount > 0);
    list start(x.sizes.size(), 0);
    std::vector<primitive> parts;
    for (UINT k = 0; k < d.OutputCount; ++k) {
        list sizes = x.sizes;
        sizes.at(d.Axis) = described(&d.OutputTensors[k]).sizes.at(d.Axis);
        p.out(&d.OutputTensors[k], x.same(), sizes);
        parts.push_back(evaluator::slice(x.sizes, start, list(start.size(), 1), sizes));
        start[d.Axis] += sizes[d.Axis];
    }
    require(start[d.Axis] == x.sizes[d.Axis]);
    p.compute = [=](const values& in, values& out) {
        for (std::size_t k = 0; k < parts.size(); ++k) out[k] = parts[k].compute(in);
    };
}
void join(const dml_join& d, planned& p) {
    std::vector<list> parts;
    for (UINT k = 0; k < d.InputCount; ++k)
        parts.push_back(p.in(&d.InputTensors[k], k == 0 ? any : p.inputs[0]->same()).sizes);
    p.result(d.OutputTensor, p.inputs.at(0)->same(), concat(parts, d.Axis));
}
void slice(const dml_slice& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    list first = list_of(d.InputWindowOffsets, d.DimensionCount), sizes = list_of(d.InputWindowSizes, d.DimensionCount);
    const list steps(d.InputWindowStrides, d.InputWindowStrides + d.DimensionCount);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        require(steps[i] != 0 && sizes[i] > 0 && first[i] + sizes[i] <= x.sizes.at(i));
        if (steps[i] < 0) first[i] += sizes[i] - 1;
        sizes[i] = (sizes[i] - 1) / std::abs(steps[i]) + 1;
    }
    p.result(d.OutputTensor, x.same(), evaluator::slice(x.sizes, first, steps, sizes));
}
void pad(const dml_padding& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    require(d.PaddingValueDataType == x.type);
    const border mode = d.PaddingMode == DML_PADDING_MODE_CONSTANT ? border::constant
                        : d.PaddingMode == DML_PADDING_MODE_EDGE   ? border::edge
                                                                   : border::reflect;
    p.result(d.OutputTensor, x.same(),
             evaluator::pad(x.sizes, list_of(d.StartPadding, d.DimensionCount), list_of(d.EndPadding, d.DimensionCount),
                            mode, number_of(d.PaddingValueDataType, d.PaddingValue.Bytes)));
}
void tile(const dml_tile& d, planned& p) {
    const tensor x = p.in(d.InputTensor);
    p.result(d.OutputTensor, x.same(), evaluator::tile(x.sizes, list_of(d.Repeats, d.RepeatsCount)));
}
template <auto Blocks> void blocks(const dml_depth_space& d, planned& p) {
    require(d.Order == 0 || d.Order == 1);
    const tensor x = p.in(d.InputTensor);
    p.result(d.OutputTensor, x.same(), Blocks(x.sizes, d.BlockSize, d.Order == 1));
}
// Input = (output - OutputPixelOffset) / Scale - InputPixelOffset.
void resample(const dml_resample& d, planned& p) {
    const tensor x = p.in(d.InputTensor, floats | codes);
    const std::size_t rank = x.sizes.size();
    require(d.DimensionCount == rank && rank <= 4);
    using reals = std::vector<float>;
    const reals scale(d.Scales, d.Scales + rank), in_off(d.InputPixelOffsets, d.InputPixelOffsets + rank),
        out_off(d.OutputPixelOffsets, d.OutputPixelOffsets + rank);
    const sampling mode = d.InterpolationMode == 1   ? sampling::linear
                          : d.RoundingDirection == 0 ? sampling::ceil
                                                     : sampling::floor;
    p.result(d.OutputTensor, x.same(),
             resize(x.sizes, described(d.OutputTensor).sizes, mode,
                    [=](std::size_t i, std::int64_t k) { return (float(k) - out_off[i]) / scale[i] - in_off[i]; }));
}
}  // namespace
const planners movement_planners{{DML_OPERATOR_SPLIT, by<split>},
                                 {DML_OPERATOR_JOIN, by<join>},
                                 {DML_OPERATOR_SLICE1, by<slice>},
                                 {DML_OPERATOR_PADDING1, by<pad>},
                                 {DML_OPERATOR_TILE, by<tile>},
                                 {DML_OPERATOR_DEPTH_TO_SPACE1, by<blocks<depth_to_space>>},
                                 {DML_OPERATOR_SPACE_TO_DEPTH1, by<blocks<space_to_depth>>},
                                 {DML_OPERATOR_RESAMPLE2, by<resample>}};
}  // namespace host
