// What a decoder keeps from run to run: inputs that the model returns with more rows, such as the keys and values of
// attention.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "tensor.hpp"

namespace inlay {
inline namespace v1 {
struct feed;

// Belongs to the session that created it, which need not outlive it; one run at a time. Each pair of past and present
// is one buffer with capacity for more rows: where kernels support an in-place KV cache, a run writes new rows and
// copies no old ones. A run that fails keeps the earlier rows.
class kv_cache {
  public:
    kv_cache(kv_cache&&) noexcept;
    kv_cache& operator=(kv_cache&&) noexcept;
    ~kv_cache();
    std::int64_t rows() const;     // held: along the growing axis, of every pair
    std::int64_t room() const;     // rows at most
    void keep(std::int64_t rows);  // the first ones; the others are forgotten
    void assign(std::span<const feed>
                    pasts);  // the rows of these tensors in place of all that is held: every past, of one length
    tensor past(std::string_view input) const;  // a copy of the rows held
    struct pair {
        std::string past, present;  // an input and an output
        bool in_place = false;      // in the last run: no old row was copied
        std::string reason;         // where some were: what needs them elsewhere
    };
    std::vector<pair> pairs() const;

  private:
    friend class session_base;
    struct impl;
    std::unique_ptr<impl> impl_;
    explicit kv_cache(std::unique_ptr<impl>);
};
}  // namespace v1
}  // namespace inlay
