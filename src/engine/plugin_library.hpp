// The library of a plugin, and what its functions return.
#pragma once
#include <inlay/plugin.hpp>
#include <inlay/sdk/plugin_errors.hpp>

namespace inlay {
inline namespace v1 {
struct plugin::library : std::enable_shared_from_this<library> {
    void* handle = nullptr;
    const inlay_plugin* source_table = nullptr;  // the table in the library
    inlay_plugin table{};                        // a copy, in which missing functions are null
    onnx_writer write = nullptr;
    std::string path, name, short_name, version;
    option_list defaults;
    std::vector<std::string> types;  // of the options
    provider_factory factory{};

    library() = default;
    library(const library&) = delete;
    library& operator=(const library&) = delete;
    ~library();
    result<void> open(const std::string& file);
    result<option_list> configured(const option_list&) const;  // all options, with these values
};

// The result of a function of the plugin; `f` calls it.
template <class F> result<void> ask_plugin(F f) { return ask_in_c(std::move(f), "its plugin"); }

result<std::shared_ptr<engine>> open_plugin(std::shared_ptr<const plugin::library>, const option_list& settings);

// Options as a plugin gets them.
class plugin_settings {
    std::vector<inlay_setting> settings_;
    std::vector<const inlay_setting*> list_;

  public:
    explicit plugin_settings(const option_list& options) {
        for (const auto& [name, value] : options)
            settings_.push_back({sizeof(inlay_setting), name.c_str(), value.c_str()});
        for (const inlay_setting& s : settings_) list_.push_back(&s);
    }
    const inlay_setting* const* data() const { return list_.data(); }
    std::size_t size() const { return list_.size(); }
};
}  // namespace v1
}  // namespace inlay
