#include "libraries.hpp"
#include "rounding.hpp"
#include <inlay/cuda/support/product.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::size_t workspace_limit = std::size_t(32) << 20;  // as NVIDIA advises for Hopper
constexpr std::uint32_t alignment = 16;                         // of operands in the arena, and of views into them

// The library ends with the activation; else finish() does.
bool ends_with(const product_shape& p) {
    return !p.rest && (p.activation.kind == plain_activation::gelu_tanh || p.relu());
}
// The library puts columns first, so that our D = A B is its D' = B' A'.
struct description {
    cublasLtMatmulDescOpaque_t work{};
    cublasLtMatrixLayoutOpaque_t a{}, b{}, d{};
    bool good = true;
    static cudaDataType_t type_of(element e) {
        return e == element::f16 ? CUDA_R_16F : e == element::bf16 ? CUDA_R_16BF : CUDA_R_32F;
    }
    description(const product_shape& p, element operands, bool fused, bool tf32, const void* bias) {
        const auto& f = cublaslt();
        const auto check = [&](cublasStatus_t s) { good &= s == CUBLAS_STATUS_SUCCESS; };
        const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& x) {
            check(f.cublasLtMatmulDescSetAttribute(&work, attribute, &x, sizeof x));
        };
        check(f.cublasLtMatmulDescInit_internal(
            &work, sizeof work, tf32 && operands == element::f32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
            CUDA_R_32F));
        set(CUBLASLT_MATMUL_DESC_TRANSA, p.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_TRANSB, p.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N);
        if (fused) {
            std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
            if (ends_with(p) && p.relu()) epilogue = CUBLASLT_EPILOGUE_RELU;
            if (ends_with(p) && !p.relu()) epilogue = CUBLASLT_EPILOGUE_GELU;  // the library's GELU is the one by tanh
            if (p.bias)
                epilogue = epilogue == CUBLASLT_EPILOGUE_DEFAULT ? std::uint32_t(CUBLASLT_EPILOGUE_BIAS)
                                                                 : epilogue | CUBLASLT_EPILOGUE_BIAS;
            set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
            if (p.bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
        }
        const auto layout = [&](cublasLtMatrixLayoutOpaque_t& l, element type, std::int64_t rows, std::int64_t columns,
                                std::int64_t row, std::int64_t step) {
            check(f.cublasLtMatrixLayoutInit_internal(&l, sizeof l, type_of(type), std::uint64_t(columns),
                                                      std::uint64_t(rows), row));
            if (p.batches == 1) return;
            const auto count = std::int32_t(p.batches);
            check(f.cublasLtMatrixLayoutSetAttribute(&l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
            check(f.cublasLtMatrixLayoutSetAttribute(&l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step,
                                                     sizeof step));
        };
        layout(a, operands, p.trans_a ? p.k : p.m, p.trans_a ? p.m : p.k, p.a_row, p.a_step);
        layout(b, operands, p.trans_b ? p.n : p.k, p.trans_b ? p.k : p.n, p.b_row, p.b_step);
        layout(d, p.type, p.m, p.n, p.d_row, p.d_step);
    }
};
bool same(const product_shape& x, const product_shape& y) {
    return x.m == y.m && x.n == y.n && x.k == y.k && x.a_row == y.a_row && x.b_row == y.b_row && x.d_row == y.d_row &&
           x.trans_a == y.trans_a && x.trans_b == y.trans_b && x.batches == y.batches && x.a_step == y.a_step &&
           x.b_step == y.b_step && x.d_step == y.d_step && (x.beta == 0) == (y.beta == 0) && x.bias == y.bias &&
           x.activation.kind == y.activation.kind && x.rest == y.rest;
}
bool aligned_to(const void* p, std::uintptr_t bytes) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; }
}  // namespace

status bound_product::take(const void* b, std::int64_t elements, element type, element operands,
                           const setup& u) noexcept try {
    cuda_queue* const q = current_queue();
    const space& memory = q->memory();
    const auto room = [&](std::size_t n) {
        std::shared_ptr<void> p(memory.allocate(n), [&memory](void* q) { memory.release(q); });
        if (!p && u.failure) *u.failure = memory.refused(n);
        return p;
    };
    const std::size_t bytes = std::size_t(elements) * std::size_t(bits_of(type)) / 8;
    const std::shared_ptr<void> whole = room(bytes);
    if (!whole) return status::out_of_memory;
    if (!memory.from_host(whole.get(), b, bytes)) return status::failed;
    b_ = whole;
    if (operands == type) return status::ok;
    const std::shared_ptr<void> rounded = room(rounded_bytes(elements));
    if (!rounded) return status::out_of_memory;
    b_ = rounded;
    context c;
    c.stream = q->stream();
    const status s = round_on_device(c, whole.get(), elements, operands, rounded.get());
    return s == status::ok ? q->wait() : s;  // before the floats go
} catch (...) {
    return status::out_of_memory;
}

status bound_product::bind(const product_shape& p, const void* b, std::int64_t elements, const setup& u) noexcept {
    static_assert(sizeof(cublasLtMatmulAlgo_t) == algorithm_bytes);
    cuda_queue* const q = current_queue();
    if (!q || !q->runtime().lt()) return status::failed;
    const auto& f = cublaslt();
    cublasLtMatmulPreferenceOpaque_t preference{};
    bool good = f.cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference) == CUBLAS_STATUS_SUCCESS;
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& x) {
        good &= f.cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &x, sizeof x) == CUBLAS_STATUS_SUCCESS;
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_limit);
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        prefer(attribute, alignment);
    const element operands = q->runtime().options.operands(p.type);
    std::size_t room = 0;
    if (b)
        if (const status s = take(b, elements, p.type, operands, u); s != status::ok) return s;
    if (operands != p.type) room = rounded_bytes(p.a_elements()) + (b ? 0 : rounded_bytes(p.b_elements()));
    if (operands != element::f32)
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
               std::uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));  // parts of a sum are not rounded
    bound_ = p;
    for (const bool fused : {true, false}) {  // not every matmul has every epilogue
        description d(p, operands, fused, q->runtime().options.use_tf32,
                      reinterpret_cast<const void*>(std::uintptr_t(alignment)));
        cublasLtMatmulHeuristicResult_t heuristic{};
        int count = 0;
        if (!good || !d.good ||
            f.cublasLtMatmulAlgoGetHeuristic(q->runtime().lt(), &d.work, &d.b, &d.a, &d.d, &d.d, &preference, 1,
                                             &heuristic, &count) != CUBLAS_STATUS_SUCCESS ||
            count == 0 || heuristic.state != CUBLAS_STATUS_SUCCESS)
            continue;
        std::memcpy(algorithm_, &heuristic.algo, sizeof heuristic.algo);
        fused_ = fused;
        workspace_ = room + heuristic.workspaceSize;
        q->runtime().need_workspace(workspace_);
        return status::ok;
    }
    return status::unsupported;
}

status bound_product::run(const product_shape& p, const void* a, const void* b, std::int64_t first, const void* c,
                          const void* bias, void* d, context& x, const finishing& rest,
                          std::size_t workspace_offset) const noexcept {
    cuda_queue* const q = current_queue();
    if (!q) return x.fail("CUDA cannot be used", status::failed);
    const bool as_bound = same(p, bound_);
    const bool fused = fused_ || !as_bound;
    const element operands = q->runtime().options.operands(p.type);
    std::byte* workspace = static_cast<std::byte*>(q->workspace()) + workspace_offset;
    std::size_t left = q->workspace_bytes() - workspace_offset;
    b = static_cast<const std::byte*>(b_ ? b_.get() : b) + first * bits_of(b_ ? operands : p.type) / 8;
    if (operands != p.type) {
        const std::size_t of_a = rounded_bytes(p.a_elements()), of_b = b_ ? 0 : rounded_bytes(p.b_elements());
        if (left < of_a + of_b) return x.fail("the workspace is too small for rounded operands", status::failed);
        status s = round_on_device(x, a, p.a_elements(), operands, workspace);
        a = workspace;
        if (!b_) {
            if (s == status::ok) s = round_on_device(x, b, p.b_elements(), operands, workspace + of_a);
            b = workspace + of_a;
        }
        if (s != status::ok) return s;
        workspace += of_a + of_b;
        left -= of_a + of_b;
    }
    const description work(p, operands, fused, q->runtime().options.use_tf32, bias);
    if (!work.good) return x.fail("cuBLASLt: the product cannot be described", status::failed);
    cublasLtMatmulAlgo_t algorithm;
    std::memcpy(&algorithm, algorithm_, sizeof algorithm);
    // What was chosen is for this shape and aligned operands; for others the library chooses again.
    const bool fits = as_bound && aligned_to(a, alignment) && aligned_to(b, alignment) && aligned_to(c, alignment) &&
                      aligned_to(d, alignment) && aligned_to(bias, alignment);
    const float beta = c ? p.beta : 0;
    const cublasStatus_t s = cublaslt().cublasLtMatmul(
        q->runtime().lt(), const_cast<cublasLtMatmulDescOpaque_t*>(&work.work), &p.alpha, b,
        const_cast<cublasLtMatrixLayoutOpaque_t*>(&work.b), a, const_cast<cublasLtMatrixLayoutOpaque_t*>(&work.a),
        &beta, c ? c : d, const_cast<cublasLtMatrixLayoutOpaque_t*>(&work.d), d,
        const_cast<cublasLtMatrixLayoutOpaque_t*>(&work.d), fits ? &algorithm : nullptr, workspace, left,
        static_cast<cudaStream_t>(x.stream));
    if (s != CUBLAS_STATUS_SUCCESS)
        return x.fail(s == CUBLAS_STATUS_NOT_SUPPORTED ? "cuBLASLt: no way to calculate this product"
                                                       : "cuBLASLt: the product failed",
                      status::failed);
    if (fused && ends_with(p)) return status::ok;
    finishing epilogue = rest;
    if (!fused && bias) {
        epilogue.c = bias;  // a product with a bias of its own leaves C to the library
        epilogue.c_row = 0;
        epilogue.c_column = 1;
        epilogue.beta = 1;
    }
    if (!epilogue.adds() && p.activation.kind == plain_activation::none) return status::ok;
    if (p.d_row != p.n || (p.batches > 1 && p.d_step != p.m * p.n))
        return x.fail("the rest of a product must lie in one piece", status::unsupported);
    return finish(x, p.type, d, p.m * p.batches, p.n, epilogue, p.activation);
}
}  // namespace v1
}  // namespace inlay
