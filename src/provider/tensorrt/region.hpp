// What was built of a region, and what runs it.
#pragma once
#include "driver.hpp"
#include "engine.hpp"
#include <lowering/onnx_region_engine.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr auto nv_types = lowering::numbers_of_elements<nv_type>({{element::f32, nv_type::f32},
                                                                         {element::f16, nv_type::f16},
                                                                         {element::bf16, nv_type::bf16},
                                                                         {element::i8, nv_type::i8},
                                                                         {element::u8, nv_type::u8},
                                                                         {element::i32, nv_type::i32},
                                                                         {element::i64, nv_type::i64},
                                                                         {element::boolean, nv_type::boolean}});
inline std::span<const std::int64_t> sizes_of(const nv_dims& d) { return {d.sizes, std::size_t(std::max(d.rank, 0))}; }
std::string nv_failure(std::string otherwise);  // what the library reported, as one line, else the other text
// Why the library makes no engines for the device, in its words; empty: it does. Queried once for each.
std::string nv_refusal_of(const nv_library&, const gpu&);

// What runs an engine, of bytes that it owns or of others, which live as long; where there is no device, what only
// saves it. An error of the code provider_failed where the library does not take the bytes.
lowering::region_result load_nv_region(const nv_library&, std::shared_ptr<const gpu>, nv_run_options, const region&,
                                       std::string owned, std::string_view borrowed = {});
}  // namespace v1
}  // namespace inlay
