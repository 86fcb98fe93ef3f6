// Concat and Split on CUDA: up to 16 pieces of one launch, in either layout. Limit: one read and one write of every
// byte.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <inlay/support/pieces.hpp>

namespace inlay {
inline namespace v1 {
// Between the whole and its pieces, which all have the whole's layout; a piece that is null is left out.
template <int Bits, bool Joins>
status move_pieces_on_cuda(const pieces& p, std::conditional_t<Joins, void*, const void*> whole,
                           const std::conditional_t<Joins, const void*, void*>* parts,
                           context& c) noexcept;  // pieces.cu
}  // namespace v1
}  // namespace inlay
