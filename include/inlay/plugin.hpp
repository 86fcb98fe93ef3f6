// Providers from shared libraries that were built alone, against <inlay/plugin.h>: docs/how-to/plugins.md.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"
#include "sdk/region_file.hpp"

namespace inlay {
inline namespace v1 {
// A library that is loaded, and the provider in it. Copies share it; what is created from it keeps it loaded: choices,
// handles and sessions. When the last of these is gone, it is unloaded.
//
//     inlay::plugin vendor("./libvendor.so");
//     inlay::any_session session(model, {vendor.with({{"level", "2"}}), "cpu"});
class plugin {
  public:
    struct library;

    // Link inlay::onnx, which writes the ONNX that a plugin may request. Errors are raised, or returned by try_load():
    // not_found, or provider_unavailable where the file is no plugin, or none for this program; its text says why.
    explicit plugin(const std::string& path) : plugin(try_load(path).value_or_raise()) {}
    static result<plugin> try_load(const std::string& path) { return try_load(path, &to_onnx); }
    // With another writer, or with none: plugins that request ONNX then get an error. Needs inlay::engine only.
    using onnx_writer = result<std::string> (*)(const region&, elements_in);
    static result<plugin> try_load(const std::string& path, onnx_writer);

    const std::string& path() const;
    std::string_view name() const;        // "VendorExecutionProvider"
    std::string_view short_name() const;  // an alias of that, or empty
    std::string_view version() const;     // of the library, as it reports; may be empty
    provider_status status() const;
    option_list options() const;              // with their default values
    const provider_factory& factory() const;  // lives as long as this object or a copy

    provider_choice with(option_list options) const;  // for inlay::any_session, in any place of a list
    operator provider_choice() const { return with({}); }
    result<provider_handle> handle(const option_list& = {}) const;  // for inlay::handle_session

  private:
    std::shared_ptr<const library> library_;
    explicit plugin(std::shared_ptr<const library> l) : library_(std::move(l)) {}
};
}  // namespace v1
}  // namespace inlay
