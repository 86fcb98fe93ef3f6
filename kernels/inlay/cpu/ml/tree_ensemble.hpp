// The trees of ai.onnx.ml on the CPU, where features are float32 or double: see packed_forest.
#pragma once
#include <inlay/cpu/support/packed_forest.hpp>
#include <inlay/ml/tree_ensemble.hpp>

namespace inlay {
inline namespace v1 {
// Nodes of TreeEnsembleClassifier and Regressor that compare by order: others are left to the reference kernel.
constexpr verdict packable_trees(const node_view& n) {
    for (const std::string_view mode : n.texts("nodes_modes"))
        if (mode == "BRANCH_EQ" || mode == "BRANCH_NEQ") return no("a node compares by equality");
    return yes();
}
template <>
struct kernel<op::tree_ensemble, device::cpu, types<float>> : tree_ensemble_kernel<float, packed_forest<float>> {};
template <>
struct kernel<op::tree_ensemble, device::cpu, types<double>> : tree_ensemble_kernel<double, packed_forest<double>> {};
template <>
struct kernel<op::tree_ensemble_regressor, device::cpu, types<float>>
    : tree_regressor_kernel<float, packed_forest<float>> {
    static constexpr verdict supports(const node_view& n) { return packable_trees(n); }
};
template <>
struct kernel<op::tree_ensemble_regressor, device::cpu, types<double>>
    : tree_regressor_kernel<double, packed_forest<double>> {
    static constexpr verdict supports(const node_view& n) { return packable_trees(n); }
};
template <>
struct kernel<op::tree_ensemble_classifier, device::cpu, types<float>>
    : tree_classifier_kernel<float, packed_forest<float>> {
    static constexpr verdict supports(const node_view& n) { return packable_trees(n); }
};
template <>
struct kernel<op::tree_ensemble_classifier, device::cpu, types<double>>
    : tree_classifier_kernel<double, packed_forest<double>> {
    static constexpr verdict supports(const node_view& n) { return packable_trees(n); }
};
}  // namespace v1
}  // namespace inlay
