#include "onnx.pb.h"
#include <typeinfo>

extern "C" const void* messages_hold() {  // null if not
    plugin::ModelProto written, read;
    written.set_ir_version("none");
    written.mutable_graph()->add_node(0.5);
    return read.ParseFromString(written.SerializeAsString()) && read.ir_version() == "none" &&
                   read.graph().node(0) == 0.5 && read.GetTypeName() == "plugin.ModelProto"
               ? &typeid(read)
               : nullptr;
}
