#include "onnx.pb.h"
#include <typeinfo>

extern "C" const void* messages_hold() {  // null if not
    plugin::ModelProto written, parsed;
    written.set_ir_version("none");
    written.mutable_graph()->add_node(0.5);
    return parsed.ParseFromString(written.SerializeAsString()) && parsed.ir_version() == "none" &&
                   parsed.graph().node(0) == 0.5 && parsed.GetTypeName() == "plugin.ModelProto"
               ? &typeid(parsed)
               : nullptr;
}
