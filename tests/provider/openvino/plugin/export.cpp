// OpenVINO as a plugin: the provider as it is, for programs that were built without it.
#include <inlay/provider/openvino.hpp>
#include <inlay/sdk/plugin_export.hpp>

INLAY_EXPORT_PLUGIN(inlay::openvino)
