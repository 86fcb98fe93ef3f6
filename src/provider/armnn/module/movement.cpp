// What moves elements: shapes, parts, joins, borders, images of other sizes; and the places of maxima.
#include "writer.hpp"
#include <inlay/onnx/arg.hpp>
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/onnx/transpose.hpp>
#include <provider/move_rules.hpp>
#include <provider/resize_rules.hpp>

namespace inlay {
inline namespace v1 {
using ::armnn::INetwork;
using ::armnn::TensorInfo;
namespace {
using support = network_writer::support;
using reason = network_writer::reason;
}  // namespace

std::vector<stream> split(network_writer& net, const stream& x, unsigned axis, const std::vector<TensorInfo>& parts) {
    const unsigned rank = x.info.GetNumDimensions();
    ::armnn::ViewsDescriptor d(unsigned(parts.size()), rank);
    unsigned at = 0;
    for (unsigned k = 0; k < parts.size(); ++k) {
        for (unsigned i = 0; i < rank; ++i) {
            d.SetViewOriginCoord(k, i, i == axis ? at : 0);
            d.SetViewSize(k, i, parts[k].GetShape()[i]);
        }
        at += parts[k].GetShape()[axis];
    }
    std::vector<TensorInfo> infos = parts;
    const std::vector<std::reference_wrapper<TensorInfo>> outputs(infos.begin(), infos.end());
    return net.layers(
        x, parts, [&](const support& s, reason why) { return s.IsSplitterSupported(x.info, outputs, d, why); },
        [&](INetwork& n) { return n.AddSplitterLayer(d); });
}
stream concatenated(network_writer& net, const std::vector<stream>& parts, unsigned axis, const TensorInfo& all) {
    if (parts.size() == 1) return parts[0];
    std::vector<::armnn::TensorShape> shapes;
    std::vector<const TensorInfo*> infos;
    for (const stream& s : parts) {
        shapes.push_back(s.info.GetShape());
        infos.push_back(&s.info);
    }
    const auto d = ::armnn::CreateDescriptorForConcatenation(shapes.begin(), shapes.end(), axis);
    return net.layer(
        parts, all, [&](const support& s, reason why) { return s.IsConcatSupported(infos, all, d, why); },
        [&](INetwork& n) { return n.AddConcatLayer(d); });
}

namespace {
void write_same(const node_writer& a) {
    require_same(a);
    const stream x = a.input(0);
    const ::armnn::ReshapeDescriptor to(a.output_info().GetShape());
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsReshapeSupported(x.info, y, to, why); },
        [&](INetwork& n) { return n.AddReshapeLayer(to); }));
}
void write_transpose(const node_writer& a) {
    const int rank = a.n.input(0).dims.rank;
    std::vector<unsigned> axes;
    for (int i = 0; i < rank; ++i) axes.push_back(unsigned(op::transpose::axis(a.n, i)));
    if (rank < 2) return write_same(a);
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    const ::armnn::TransposeDescriptor d(::armnn::PermutationVector(axes.data(), unsigned(rank)));
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsTransposeSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddTransposeLayer(d); }));
}
bool is_part(const node_view& n, int input) {
    return std::ranges::any_of(n.graph.nodes, [&](const node& maker) {
        return maker.op == "Split" && std::ranges::count(n.graph.list(maker.outputs), n.input_id(input)) > 0;
    });
}
void write_concat(const node_writer& a) {
    std::vector<stream> parts;
    for (int k = 0; k < a.n.input_count(); ++k) parts.push_back(a.input(k));
    const int axis = normal_axis(a.n.integer("axis", 1), a.n.input(0).dims.rank);
    if (parts.size() == 1) return write_same(a);
    for (int k = 0; k < a.n.input_count(); ++k)
        if (is_part(a.n, k))
            a.to.refuse_on_cpu_acc("its layer leaves out input " + std::to_string(k) + ", which Split makes");
    a.put(concatenated(a.to, parts, unsigned(axis), a.output_info()));
}
void write_split(const node_writer& a) {
    std::vector<TensorInfo> parts;
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (!a.n.has_output(k)) refuse("one of its results has no name");
        parts.push_back(a.output_info(k));
    }
    const std::vector<stream> results = split(a.to, a.input(0), unsigned(op::split::axis(a.n)), parts);
    for (int k = 0; k < a.n.output_count(); ++k) a.put(results[std::size_t(k)], k);
}
void write_slice(const node_writer& a) {
    require_rank(a, 4);
    const op::slice::cut c = forward_cut(a.n);
    ::armnn::StridedSliceDescriptor d;
    for (int i = 0; i < c.dims.rank; ++i) {
        d.m_Begin.push_back(int(c.start[i]));
        d.m_End.push_back(int(c.start[i] + (c.dims[i] - 1) * c.step[i] + 1));
        d.m_Stride.push_back(int(c.step[i]));
    }
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsStridedSliceSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddStridedSliceLayer(d); }));
}
bool feeds_convolution(const node_view& n) {
    return std::ranges::any_of(n.graph.nodes, [&](const node& reader) {
        return reader.op == "Conv" && std::ranges::count(n.graph.list(reader.inputs), n.output_id(0)) > 0;
    });
}
void write_pad(const node_writer& a) {
    require_rank(a, 4);
    if (op::pad::mode(a.n) != padding::constant)
        refuse("mode is " + std::string(a.n.text("mode", "constant")) + ", and Arm NN pads with a constant");
    const pad_axes axes = known_pads(a.n);
    const float value = padded_with(a.n);
    ::armnn::PadDescriptor d;
    d.m_PadValue = value;
    bool spatial_zeros = value == 0;
    for (int i = 0; i < a.n.input(0).dims.rank; ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("a pad is negative");
        d.m_PadList.emplace_back(unsigned(p.at), unsigned(p.size - p.at - p.length));
        spatial_zeros &= i >= 2 || p.size == p.length;
    }
    if (!spatial_zeros && feeds_convolution(a.n))
        refuse("Arm NN makes it part of the Conv that reads it, which pads images with zeros only");
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsPadSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddPadLayer(d); }));
}
void write_gather(const node_writer& a) {
    const int axis = op::gather::axis(a.n);
    const shape& dims = a.n.input(0).dims;
    const auto all = constant_places(a.n, dims[axis], "Arm NN");
    const std::vector<std::int32_t> list(all.begin(), all.end());
    shape joined;  // the result with the indices as one axis
    for (int i = 0; i < dims.rank; ++i) joined.push_back(i == axis ? std::int64_t(list.size()) : dims[i]);
    const stream x = a.input(0);
    const TensorInfo places = info_of({std::int64_t(list.size())}, element::i32), y = with_dims(x.info, joined);
    const ::armnn::GatherDescriptor d(axis);
    a.put(a.to.layer(
        {x, a.to.constant(places, list)}, y,
        [&](const support& s, reason why) { return s.IsGatherSupported(x.info, places, y, d, why); },
        [&](INetwork& n) { return n.AddGatherLayer(d); }));
}
void write_depth_to_space(const node_writer& a) {
    if (a.n.text("mode", "DCR") != "DCR") refuse("mode is CRD, and Arm NN's layer has DCR");
    const ::armnn::DepthToSpaceDescriptor d(unsigned(a.n.integer("blocksize", 1)), ::armnn::DataLayout::NCHW);
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsDepthToSpaceSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddDepthToSpaceLayer(d); }));
}
void write_space_to_depth(const node_writer& a) {
    const ::armnn::SpaceToDepthDescriptor d(unsigned(a.n.integer("blocksize", 1)), ::armnn::DataLayout::NCHW);
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsSpaceToDepthSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddSpaceToDepthLayer(d); }));
}

// How Arm NN's layer finds places: as the node does, or it is refused.
::armnn::ResizeDescriptor resizing_of(const node_writer& a, const resizing::geometry& p) {
    using namespace resizing;
    require_resizing(a.n, p, "Arm NN", "Arm NN has not");
    ::armnn::ResizeDescriptor d;
    d.m_Method =
        p.mode == interpolation::nearest ? ::armnn::ResizeMethod::NearestNeighbor : ::armnn::ResizeMethod::Bilinear;
    d.m_HalfPixelCenters = p.where == coordinates::half_pixel || p.where == coordinates::pytorch_half_pixel;
    d.m_AlignCorners = p.where == coordinates::align_corners;
    return d;
}
void write_resize(const node_writer& a) {
    resizing::geometry p;
    if (const std::string_view fault = resizing::read(a.n, p); !fault.empty()) refuse(std::string(fault));
    if (p.x.rank != 4) refuse("its input is no image, which Arm NN's layer wants");
    if (!p.decided || p.keep != resizing::policy::stretch)
        refuse("its sizes keep the aspect ratio, which Arm NN has not");
    ::armnn::ResizeDescriptor d = resizing_of(a, p);
    const stream x = a.input(0);
    const TensorInfo y = a.output_info();
    d.m_TargetHeight = y.GetShape()[2];
    d.m_TargetWidth = y.GetShape()[3];
    a.put(a.to.layer(
        {x}, y, [&](const support& s, reason why) { return s.IsResizeSupported(x.info, y, d, why); },
        [&](INetwork& n) { return n.AddResizeLayer(d); }));
}
// Its result, int64 in the model, is int32 here; nothing in the network reads it, and it is widened on leaving.
void write_arg(const node_writer& a) {
    if (a.n.integer("select_last_index", 0) != 0) refuse("select_last_index is set, and Arm NN gives the first");
    const shape& dims = a.n.input(0).dims;
    const int axis = normal_axis(a.n.integer("axis", 0), dims.rank);
    const stream x = a.input(0, {dims.elements(0, axis), dims[axis], dims.elements(axis + 1)});
    const TensorInfo places = info_of({dims.elements(0, axis), dims.elements(axis + 1)}, element::i32);
    ::armnn::ArgMinMaxDescriptor d;
    d.m_Function = a.n.record.op == "ArgMax" ? ::armnn::ArgMinMaxFunction::Max : ::armnn::ArgMinMaxFunction::Min;
    d.m_Axis = 1;
    const stream y = a.to.layer(
        {x}, places, [&](const support& s, reason why) { return s.IsArgMinMaxSupported(x.info, places, d, why); },
        [&](INetwork& n) { return n.AddArgMinMaxLayer(d); });
    a.to.put(a.n.output_id(0), a.to.reshaped(y, info_of(a.n.output(0).dims, element::i32)));
}
}  // namespace

writer_function find_movement(std::string_view op) {
    static constexpr named_writer all[] = {{"Identity", write_same},
                                           {"Reshape", write_same},
                                           {"Flatten", write_same},
                                           {"Squeeze", write_same},
                                           {"Unsqueeze", write_same},
                                           {"Dropout", write_same},
                                           {"Transpose", write_transpose},
                                           {"Concat", write_concat},
                                           {"Split", write_split},
                                           {"Slice", write_slice},
                                           {"Pad", write_pad},
                                           {"Gather", write_gather},
                                           {"DepthToSpace", write_depth_to_space},
                                           {"SpaceToDepth", write_space_to_depth},
                                           {"Resize", write_resize},
                                           {"Upsample", write_resize},
                                           {"ArgMax", write_arg},
                                           {"ArgMin", write_arg}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
