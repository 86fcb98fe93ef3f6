// Nodes as operations of a graph of XIR. The same code asks whether XIR has what a node becomes, in a graph that is
// thrown away, and writes regions. XIR has images with their channels last: a tensor of four dimensions is turned where
// the first operation wants it so, and stays so until one wants it as ONNX has it. Codes of 8 bits are floats behind
// an operation `fix`, which rounds them as the codes do; the tensors that go in and out are the codes themselves.
#pragma once
#include <UniLog/UniLog.hpp>
#include <provider/channel_order.hpp>
#include <provider/coded_graph.hpp>
#include <provider/node_writer.hpp>
#include <unordered_map>
#include <xir/graph/graph.hpp>

namespace inlay {
inline namespace v1 {
// XIR's errors are exceptions of its own, where it does not end the process.
template <class F> auto xir_call(F f) try { return f(); } catch (const ErrorCode& e) {
    refuse("XIR: " + e.getErrID() + ": " + e.getErrDsp());
}

// What the elements are by their dimensions in ONNX's order.
struct xir_tensor {
    shape dims;
    bool channels_last = false;
};
inline xir_tensor with_dims(const xir_tensor&, const shape& dims) { return {dims}; }

// A value inside a graph. Codes: it is of the type XINT8, else of floats. point: a `fix` has made it, with so many
// binary digits behind the point.
struct stream {
    xir::Op* op = nullptr;
    xir_tensor info;
    bool codes = false;
    std::optional<int> point{};
};
using xir_inputs = std::map<std::string, std::vector<xir::Op*>>;
class xir_attributes {
    std::unique_ptr<xir::Attrs> all_ = xir::Attrs::create();

  public:
    template <class T> xir_attributes& set(const std::string& name, const T& x) {
        all_->set_attr<T>(name, x);
        return *this;
    }
    std::unique_ptr<xir::Attrs> take() { return std::move(all_); }
};
using xir_integers = std::vector<std::int32_t>;
// Left, right, top, bottom, as XIR has them, from those of rows and of columns.
struct xir_window {
    std::array<std::int64_t, 2> kernel{1, 1}, strides{1, 1}, before{}, after{};
    xir_attributes attributes() const;
};

enum class xir_target : std::uint8_t { dpu, processor };
// The codes of one scale that is a power of two, as DPUs have them; refuses others. Gives the digits behind the point.
int point_of(const quantisation&);
shape padded_to(const shape&, int rank);  // ones before the dimensions

class graph_writer {
  public:
    static constexpr std::string_view piece = "XIR's operation";

    graph_writer(const graph_view& g, const constant_source* constants, xir_target target)
        : graph_(g),
          constants_(constants),
          target_(target),
          codes_(g, {}, constants, {}),
          xir_(xir::Graph::create("region")) {}

    // The operations of a node, whose results are values of the graph after that. Throws refused_node.
    void write(const node&);
    void add_input(int value, int argument);
    void add_output(int value, int argument);
    std::unique_ptr<xir::Graph> take() { return std::move(xir_); }

    // The value, which is what a node made, an input of the region, a constant, or in a question just asked about.
    stream value(int id);
    // The same with as many dimensions, in the other order if so wanted: operands that are broadcast.
    stream operand(int id, int rank, bool channels_last);
    xir_tensor info_of_value(int id) const;
    void put(int id, stream s) { values_.insert_or_assign(id, std::move(s)); }
    bool for_dpu() const { return target_ == xir_target::dpu; }
    bool is_channels_last(int id) const;

    stream plain(const stream&);
    stream image(const stream&);
    stream reshaped(const stream&, const xir_tensor&);
    // One operation with the result `info`, which XIR has to find as well.
    stream made(const std::string& type, xir_attributes, const xir_inputs&, const xir_tensor& info,
                const std::string& name = {});
    stream numbers(const shape& dims, const std::vector<float>& elements);
    // The model's constant id in this shape. For a DPU it has to be decoded from codes, and has a fix behind it.
    stream constant(int id, const shape& dims, const std::vector<float>& elements);
    // For a DPU they have to be codes with some point.
    stream bias(const std::vector<float>& elements);
    stream fixed(const stream&, int point);
    stream decoded(const stream&, int point);
    const float* floats(int id) const;  // of a constant
    std::optional<quantisation> quantised(const node_view& n) const { return read_quantisation(n, constants_); }
    std::optional<quantisation> quantised_as(int id) const { return codes_.of(id); }

  private:
    const graph_view& graph_;
    const constant_source* constants_;
    xir_target target_;
    coded_graph codes_;
    std::unique_ptr<xir::Graph> xir_;
    std::unordered_map<int, stream> values_;
    int names_ = 0;

    stream input(int id, const std::string& name);
};

struct node_writer : node_writer_to<graph_writer> {
    stream plain(int k) const { return to.plain(input(k)); }
    stream image() const {
        require_image();
        return to.image(input(0));
    }
    const float* floats(int k) const { return to.floats(n.input_id(k)); }
    // What a DPU's description says of an attribute's numbers.
    void require_on_dpu(std::string_view name, const std::array<std::int64_t, 2>& numbers, std::int64_t most) const {
        for (std::int64_t x : numbers)
            if (to.for_dpu() && (x < 1 || x > most))
                refuse(std::string(name) + " is " + std::to_string(x) + ", and a DPU takes 1 to " +
                       std::to_string(most));
    }
    void refuse_on_dpu(bool fault, std::string_view why) const {
        if (fault && to.for_dpu()) refuse(std::string(why));
    }
};
inline int place_of_axis(int axis, const xir_tensor& t) {
    constexpr int places[] = {0, 3, 1, 2};
    return t.channels_last ? places[axis] : axis;
}
}  // namespace v1
}  // namespace inlay
