// Regions as programs of oneDNN: primitives that end another one's result are computed with it.
#pragma once
#include "program.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
// oneDNN runs on as many threads as OpenMP has for the thread that calls it. Primitives are made for that number.
class thread_count {
    int before_ = 0;

  public:
    explicit thread_count(int count) {
        if (count == 0) return;
        before_ = dnnl().omp_get_max_threads();
        dnnl().omp_set_num_threads(count);
    }
    ~thread_count() {
        if (before_) dnnl().omp_set_num_threads(before_);
    }
    thread_count(const thread_count&) = delete;
    thread_count& operator=(const thread_count&) = delete;
};

// What region_engine writes to.
class onednn_writer {
    thread_count threads_;
    program_builder to_;
    std::vector<lowering::primitive> primitives_{};
    std::vector<int> results_{};

  public:
    onednn_writer(const onednn& options, const region& r, lowering::purpose purpose)
        : threads_(options.num_of_threads), to_(r, purpose) {}
    void argument(const lowering::operand& x) { to_.argument(x); }
    void result(const lowering::operand& y) {
        to_.result(y);
        results_.push_back(y.id);
    }
    void write(const lowering::primitive& p) { primitives_.push_back(p); }
    dnnl_program finish();
};
}  // namespace v1
}  // namespace inlay
