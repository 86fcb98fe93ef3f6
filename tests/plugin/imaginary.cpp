// A provider in C++ as a plugin.
// >>> plugins
#include "../provider_conformance/imaginary_engine.hpp"
#include <inlay/sdk/plugin_export.hpp>

struct exported_machine : imaginary::provider {
    static constexpr std::string_view library_version = "2.1";
};
BOOST_HANA_ADAPT_STRUCT(exported_machine, longest);
INLAY_EXPORT_PLUGIN(exported_machine)
// <<<
