// Attention as cuDNN knows it: two products with a scale, a sum with the mask and a softmax in single steps between
// them, for its engines to recognise.
#include "dnn_graph.hpp"

namespace inlay {
inline namespace v1 {
namespace {
constexpr cudnnDataType_t type_of_sums = CUDNN_DATA_FLOAT;
void add_product(dnn_operations& g, const dnn_descriptor& a, const dnn_descriptor& b, const dnn_descriptor& c) {
    dnn_descriptor matmul(CUDNN_BACKEND_MATMUL_DESCRIPTOR), d(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    matmul.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type_of_sums);
    matmul.finalize();
    d.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, g.add(std::move(matmul)));
    d.finalize();
    g.operation(std::move(d));
}
void add_reduction(dnn_operations& g, cudnnReduceTensorOp_t by, const dnn_descriptor& x, const dnn_descriptor& y) {
    dnn_descriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR), d(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    reduction.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &by);
    reduction.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type_of_sums);
    reduction.finalize();
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, g.add(std::move(reduction)));
    d.finalize();
    g.operation(std::move(d));
}
}  // namespace

bool describe_attention(const dnn_target& t, const attention_on_cuda_params& p, dnn_operations& g) {
    using sizes = dnn_operations::sizes;
    const sizes score_dims{p.batches, p.heads, p.rows, p.keys},
        score_strides{p.heads * p.rows * p.keys, p.rows * p.keys, p.keys, 1};
    const sizes row_dims{p.batches, p.heads, p.rows, 1}, row_strides{p.heads * p.rows, p.rows, 1, 1};  // row
    const auto reduce = [&](cudnnReduceTensorOp_t by, const dnn_descriptor& x) -> const dnn_descriptor& {
        const auto& y = g.inner(element::f32, row_dims, row_strides);
        add_reduction(g, by, x, y);
        return y;
    };
    const auto map = [&](cudnnPointwiseMode_t mode, const dnn_descriptor& x, const dnn_descriptor* operand,
                         const dnn_descriptor& y) -> const dnn_descriptor& {
        g.point(mode, x, operand, y);
        return y;
    };
    const auto scores = [&](element type = element::f32) -> const dnn_descriptor& {
        return g.inner(type, score_dims, score_strides);
    };

    const auto& q =
        g.tensor(p.type, dnn_id::q, {p.batches, p.heads, p.rows, p.size}, {p.q.batch, p.q.head, p.q.row, 1});
    const auto& k =
        g.tensor(p.type, dnn_id::k, {p.batches, p.heads, p.size, p.keys}, {p.k.batch, p.k.head, 1, p.k.row});  // K'
    const auto& v =
        g.tensor(p.type, dnn_id::v, {p.batches, p.heads, p.keys, p.value_size}, {p.v.batch, p.v.head, p.v.row, 1});
    const auto& y = g.tensor(p.type, dnn_id::y, {p.batches, p.heads, p.rows, p.value_size},
                             {p.rows * p.heads * p.value_size, p.value_size, p.heads * p.value_size, 1});
    const dnn_descriptor* score = &scores();
    add_product(g, q, k, *score);
    score = &map(CUDNN_POINTWISE_MUL, *score, &g.number(dnn_id::scale), scores());
    if (p.masked) {  // repeats along batches and heads by a size of 1, which the library documents, along rows by a
                     // stride of 0
        const std::int64_t mask_size = p.rows * p.keys;
        const sizes dims{p.mask.batch ? p.batches : 1, p.mask.head ? p.heads : 1, p.rows, p.keys},
            strides{p.mask.batch ? p.mask.batch : mask_size, p.mask.head ? p.mask.head : mask_size, p.mask.row, 1};
        const auto& mask = g.tensor(p.type, dnn_id::mask, dims, strides);
        score = &map(CUDNN_POINTWISE_ADD, *score, &mask, scores());
    }
    const auto& most = reduce(CUDNN_REDUCE_TENSOR_MAX, *score);
    const auto& less = map(CUDNN_POINTWISE_SUB, *score, &most, scores());
    const auto& powers = map(CUDNN_POINTWISE_EXP, less, nullptr, scores());
    const auto& sum = reduce(CUDNN_REDUCE_TENSOR_ADD, powers);
    const auto& logarithm = map(CUDNN_POINTWISE_LOG, sum, nullptr, g.inner(element::f32, row_dims, row_strides));
    map(CUDNN_POINTWISE_ADD, most, &logarithm, g.inner(element::f32, row_dims, row_strides));
    add_product(g, map(CUDNN_POINTWISE_DIV, powers, &sum, scores(p.type)), v, y);
    return g.finish(t);
}

std::vector<dnn_descriptor> attention_ways(const dnn_target& t, const cuda& options, const dnn_operations& g,
                                           element type) {
    std::vector<dnn_descriptor> ways;
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
        for (dnn_descriptor& c : configurations(t, g, mode))
            if (allowed(c, type, options)) ways.push_back(std::move(c));
    return ways;
}
}  // namespace v1
}  // namespace inlay
