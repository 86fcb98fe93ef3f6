// The provider of DirectML as plans have it where its library is not.
#pragma once
#include "contract/contract.hpp"
#include "rules.hpp"
#include <inlay/provider/dml.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view dml_versions[]{"5.1", "6.0", "6.1", "6.2", "6.3", "6.4"};
inline constexpr provider_contract dml_contract{
    .name = dml::name,
    .short_name = "dml",
    .sdk = "DirectML feature level",
    .versions = dml_versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {.space = "d3d12", .alignment = 256},
    .options =
        [] {
            return std::vector<contract_option>{
                {"device_id", "0", "integer"},
                {"performance_preference", "default", "default high_performance minimum_power"},
                {"device_filter", "gpu", "any gpu npu"},
                {"disable_metacommands", "false", "flag"}};
        },
    .rules = &dml_rules,
    .costs = {.device = "a GeForce RTX 3060, half of its data sheet's rates; the host by PCIe 4.0",
              .f32 = 6e12,
              .f16 = 24e12,
              .codes = 48e12,
              .memory = 180e9,
              .node = 8e-6,
              .region = 5e-5,
              .link = 12e9,
              .copy = 2e-5},
};
}  // namespace v1
}  // namespace inlay
