// Plans of convolutions and attention in files, so that the next process need not time them again: one file per shape,
// device and version of the libraries.
#pragma once
#include "dnn_graph.hpp"
#include <filesystem>

namespace inlay {
inline namespace v1 {
class plan_cache {
    std::filesystem::path folder_;
    std::string device_;  // the device and the libraries that plans were made with
    std::filesystem::path file_of(const std::string& key) const;

  public:
    plan_cache(std::filesystem::path folder, std::string device)
        : folder_(std::move(folder)), device_(std::move(device)) {}
    std::string key(const cuda& options,
                    const conv_on_cuda_params&) const;  // everything that the choice of a plan depends on
    std::string key(const cuda& options, const attention_on_cuda_params&) const;
    // Null: there is none, or one that this cuDNN does not take; then it is to be made again. A product is still to be
    // bound.
    std::shared_ptr<dnn_plan> find(const dnn_target&, const std::string& key) const;
    // False: it could not be written. Whole files appear at once, so that processes may share the folder.
    bool keep(const dnn_plan&, const std::string& key) const noexcept;
};
}  // namespace v1
}  // namespace inlay
