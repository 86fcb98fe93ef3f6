// A server takes whole models; what it takes them of is its own.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/remote.hpp>

namespace inlay {
inline namespace v1 {
namespace remote_table {
constexpr std::string_view versions[]{"2"};
}  // namespace remote_table
inline constexpr provider_contract remote_contract{
    .name = remote::name,
    .short_name = remote::short_name,
    .sdk = "Open Inference Protocol",
    .versions = remote_table::versions,
    .source = "the protocol's REST text: a model is named, and runs whole",
    .memory = {},
    .options = contract_options_of<remote>,
    .costs = {.device = "eight cores of a server, behind 1 Gbit/s and 1 ms; tensors go along as bytes",
              .f32 = 800e9,
              .f16 = 800e9,
              .codes = 2000e9,
              .memory = 100e6,
              .node = 1e-6,
              .region = 2e-3},
    .whole_models = true,
};
}  // namespace v1
}  // namespace inlay
