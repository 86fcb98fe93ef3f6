// What was built of a region, and what runs it.
#pragma once
#include "driver.hpp"
#include "engine.hpp"
#include <mutex>
#include <optional>

namespace inlay {
inline namespace v1 {
std::optional<nv_type> nv_type_of(element);
std::string nv_failure(std::string otherwise);  // what the library told, as one line, else the other text
// Why the library makes no engines for the device, in its words; empty: it does. Asked once for each.
std::string nv_refusal_of(const nv_library&, const gpu&);
// The name of the k-th input or output, as to_onnx() has it.
std::string nv_input_name(std::size_t k);
std::string nv_output_name(std::size_t k);

class nv_region final : public compiled_region {
    struct port {
        std::string name;
        element type;
        shape dims;
        std::size_t bytes() const { return std::size_t(bytes_of(type, dims.elements())); }
    };
    const nv_library* library_;
    std::shared_ptr<const gpu> gpu_;  // null: it is not run
    nv_run_options options_;
    std::vector<port> inputs_, outputs_;
    std::string owned_;
    std::string_view bytes_;
    std::optional<nv_runtime> runtime_;
    std::optional<nv_engine> engine_;
    std::optional<nv_runtime_config> config_;
    std::optional<nv_runtime_cache> cache_;
    std::size_t cached_bytes_ = 0;  // that the file has
    mutable std::mutex mutex_;      // contexts are made one after another

    class request;
    std::string problem_of(const port&, nv_io) const;
    std::string load();
    std::string configure();
    std::string cache_key() const;
    void keep_cache() const;

  public:
    nv_region(const nv_library&, std::shared_ptr<const gpu>, nv_run_options, const region&);
    nv_region(const nv_region&) = delete;
    ~nv_region() override;
    // Where there is a device, what the library makes of the bytes. Those that are lent live as long as this.
    std::string take(std::string bytes);  // why it cannot be run; empty: it can, or there is no device
    std::string take_lent(std::string_view bytes);
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override { return std::string(bytes_); }
};
}  // namespace v1
}  // namespace inlay
