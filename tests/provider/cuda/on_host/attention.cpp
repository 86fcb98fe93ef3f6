// What src/provider/cuda calls cuDNN for, calculated by simple loops, where a test says that the library has a plan.
#include "attention.hpp"
#include <inlay/cuda/fused/attention.hpp>
#include <cmath>
#include <vector>

namespace inlay {
bool testing::library_has_plan = false, testing::library_takes_pointers = true;
int testing::runs_of_library = 0;

inline namespace v1 {
using namespace testing;
struct bound_attention {};
status bind_attention(const attention_on_cuda_params&, std::shared_ptr<bound_attention>& to) noexcept {
    if (library_has_plan) to = std::make_shared<bound_attention>();
    return status::ok;
}
status run_attention(const attention_on_cuda_params& p, bound_attention&, const void* q, const void* k, const void* v,
                     const void* mask, void* y, context&) noexcept {
    if (!library_takes_pointers) return status::unsupported;
    ++runs_of_library;
    const auto calculate = [&]<class T>(T) {
        const auto at = [](const void* x, std::int64_t i) { return float(static_cast<const T*>(x)[i]); };
        std::vector<float> scores(std::size_t(p.keys));
        for (std::int64_t b = 0; b < p.batches; ++b)
            for (std::int64_t h = 0; h < p.heads; ++h)
                for (std::int64_t i = 0; i < p.rows; ++i) {
                    float sum = 0;
                    for (std::int64_t t = 0; t < p.keys; ++t) {
                        float score = 0;
                        for (std::int64_t d = 0; d < p.size; ++d)
                            score += at(q, p.first(p.q, b, h, i) + d) * at(k, p.first(p.k, b, h, t) + d);
                        sum += scores[std::size_t(t)] =
                            std::exp(score * float(p.scale) + (p.masked ? at(mask, p.first(p.mask, b, h, i) + t) : 0));
                    }
                    for (std::int64_t d = 0; d < p.value_size; ++d) {
                        float total = 0;
                        for (std::int64_t t = 0; t < p.keys; ++t)
                            total += scores[std::size_t(t)] / sum * at(v, p.first(p.v, b, h, t) + d);
                        static_cast<T*>(y)[((b * p.rows + i) * p.heads + h) * p.value_size + d] = static_cast<T>(total);
                    }
                }
    };
    if (p.type == element::f16)
        calculate(float16());
    else
        calculate(bfloat16());
    return status::ok;
}
}  // namespace v1
}  // namespace inlay
