// Regions as models of NNAPI: operands, operations and what they are made of. The same code asks whether a node is
// taken, by a model of that node alone, and writes the region.
#pragma once
#include "bytes.hpp"
#include "library.hpp"
#include <deque>
#include <provider/channel_order.hpp>
#include <provider/node_writer.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
using namespace nnapi_interface;
inline const nnapi_functions& nn() { return nnapi_library(); }

struct model_options {
    bool half = false, channels_first = false;
    std::int64_t level = 0;             // of what the model is for
    std::vector<nnapi_device> devices;  // that it has to run on; empty: those that NNAPI chooses
};
// trial: constants are zeros, which tells as well what is taken.
enum class purpose : std::uint8_t { use, trial };

// A tensor inside a model. Its dimensions are those of ONNX, whatever the order that its elements lie in; only tensors
// of 4 dimensions have their channels last.
struct tensor_info {
    shape dims;
    operand_type type{};
    layout order = layout::plain;
};
tensor_info with_dims(const tensor_info&, const shape&);  // as many elements, in plain order
struct stream {
    std::uint32_t operand = 0;
    tensor_info info;
};
// Where axis i of ONNX is in memory.
constexpr int place_of_axis(int i, layout order) {
    constexpr int places[] = {0, 3, 1, 2};
    return order == layout::channels_last ? places[i] : i;
}
// One for each axis, in the order of memory.
template <class T> std::vector<T> in_order(const std::vector<T>& by_axis, layout order) {
    std::vector<T> all(by_axis.size());
    for (int i = 0; i < int(by_axis.size()); ++i) all[std::size_t(place_of_axis(i, order))] = by_axis[std::size_t(i)];
    return all;
}
std::vector<std::uint32_t> dims_in_memory(const tensor_info&);

// A model, finished, with the elements of its larger constants, which it refers to.
struct written_model {
    nnapi_ptr<ANeuralNetworksModel> model{};
    std::deque<std::vector<float>> floats{};
    std::deque<std::vector<char>> codes{};
};
// Makes the elements of a constant; not called where they are zeros.
using floats_maker = std::function<std::vector<float>()>;
using codes_maker = std::function<std::vector<char>()>;
struct free_memory {
    void operator()(void* p) const { std::free(p); }
};

class model_writer {
    const region& r_;
    const model_options& options_;
    const byte_nodes& bytes_;
    purpose why_;
    written_model out_{};
    std::vector<std::unique_ptr<void, free_memory>> zeros_{};
    std::vector<char> inside_, made_{};  // nodes of the region; operands that operations make
    std::size_t operations_ = 0;
    struct forms {
        std::optional<stream> plain{}, last{};
    };
    std::unordered_map<int, forms> values_{};
    bool in_bytes_ = false;  // the node that is written

  public:
    static constexpr std::string_view piece = "NNAPI's operation";

    model_writer(const region&, const model_options&, const byte_nodes&, purpose);
    written_model write();  // throws refused_node

    std::int64_t level() const { return options_.level; }
    bool in_bytes() const { return in_bytes_; }
    layout image_order() const { return options_.channels_first ? layout::plain : layout::channels_last; }
    void require_level(std::int64_t least, std::string_view what) const;

    // --- operands
    std::uint32_t scalar(std::int32_t);
    std::uint32_t scalar(float);
    std::uint32_t scalar(bool);
    std::uint32_t integers(const std::vector<std::int32_t>&);  // a tensor of one dimension
    std::uint32_t integer_table(const std::vector<std::int32_t>&, std::uint32_t columns);
    stream constant(const tensor_info&, const floats_maker&);  // its elements are in the order of memory
    std::uint32_t floats(const std::vector<std::uint32_t>& dims, const floats_maker&);
    // Integers, as the type says; scales: for each index of dimension `channel`.
    std::uint32_t codes(const std::vector<std::uint32_t>& dims, const operand_type&, const codes_maker&,
                        const std::vector<float>& scales = {}, std::uint32_t channel = 0);
    const float* elements(int id) const;                     // of a constant, for a maker
    std::optional<quantisation> quantised_as(int id) const;  // what a constant was decoded from

    // --- values, by their ids
    stream value(int id);  // in the order that it is there in
    stream value(int id, layout);
    bool is_channels_last(int id);  // and not in plain order too
    void put(int id, const stream&);
    tensor_info info_of_value(int id) const;
    stream reshaped(const stream&, const tensor_info&);
    stream turned(const stream&, layout);

    stream operation(std::int32_t code, std::vector<std::uint32_t> inputs, const tensor_info& output);

  private:
    static void check(int status);
    int source(int id) const { return in_bytes_ && id >= 0 ? bytes_.source[std::size_t(id)] : id; }
    std::uint32_t operand(const operand_type&, const std::vector<std::uint32_t>& dims);
    std::uint32_t operand(const tensor_info&);
    void set(std::uint32_t operand, const void* elements, std::size_t bytes);
    void set_zeros(std::uint32_t operand, std::size_t bytes);
    forms& known(int id);
    stream decoded(int id);
    stream constant_value(int id);
    void write_node(int i);
    std::vector<std::uint32_t> outputs();
    void ask_devices() const;
};

struct node_writer : node_writer_to<model_writer> {
    tensor_info result(layout order) const { return {n.output(0).dims, output_info().type, order}; }
    stream image() const {
        require_image();
        return to.value(n.input_id(0), to.image_order());
    }
    stream plain(int k) const { return to.value(n.input_id(k), layout::plain); }
    const float* elements(int k) const { return to.elements(n.input_id(k)); }
    bool channels_first() const { return to.image_order() == layout::plain; }
    // The flag for the order of images, where the level has it.
    void add_order(std::vector<std::uint32_t>& inputs) const {
        if (to.level() >= 29)
            inputs.push_back(to.scalar(channels_first()));
        else if (channels_first())
            to.require_level(29, "images with their channels first");
    }
};
using writer_function = void (*)(const node_writer&);
struct named_writer {
    std::string_view op;
    writer_function write;
};
writer_function find_writer(std::string_view op);
std::span<const named_writer> convolution_writers();
std::span<const named_writer> pool_writers();
std::span<const named_writer> element_wise_writers();
std::span<const named_writer> normalization_writers();
std::span<const named_writer> movement_writers();

// Why the nodes, as a region, are not taken; empty: they are.
std::string refusal_of_region(const region&, const model_options&, const byte_nodes&);
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay
