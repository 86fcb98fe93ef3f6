// What moves elements: shapes, transpositions, joins.
#include "writer.hpp"
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/transpose.hpp>
#include <arm_compute/runtime/NEON/functions/NEConcatenateLayer.h>
#include <arm_compute/runtime/NEON/functions/NEPermute.h>

namespace inlay {
inline namespace v1 {
namespace {
void write_reshape(const node_writer& a) {
    if (!a.only_first_output()) refuse("its mask is wanted, which ACL has not");
    if (a.n.record.op == "Dropout" && !op::dropout::passes_through(a.n)) refuse("it may be training");
    a.put(a.input(0));
}
// Axis k of the result is axis order[k] of the input; the library counts axes from the last one.
void write_transpose(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    const auto order = a.n.integers("perm");
    arm::PermutationVector axes;
    for (int k = 0; k < x.rank; ++k) {
        const int from = order.empty() ? x.rank - 1 - k : int(order[std::size_t(k)]);
        axes.set(std::size_t(x.rank - 1 - k), std::uint32_t(x.rank - 1 - from));
    }
    a.put(a.through<arm::NEPermute>(a.input(0), a.output_info(), axes));
}
void write_concat(const node_writer& a) {
    const int rank = a.n.output(0).dims.rank, axis = normal_axis(a.n.integer("axis", 1), rank);
    std::vector<stream> parts;
    for (int k = 0; k < a.n.input_count(); ++k) parts.push_back(a.input(k));
    if (parts.size() == 1) return a.put(parts[0]);
    const stream y = a.to.tensor(a.output_info());
    a.to.call<arm::NEConcatenateLayer>(parts, y, std::size_t(rank - 1 - axis));
    a.put(y);
}
}  // namespace

writer_function find_movement(std::string_view op) {
    static constexpr named_writer all[] = {{"Reshape", write_reshape},     {"Flatten", write_reshape},
                                           {"Squeeze", write_reshape},     {"Unsqueeze", write_reshape},
                                           {"Identity", write_reshape},    {"Dropout", write_reshape},
                                           {"Transpose", write_transpose}, {"Concat", write_concat}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
