namespace Inlay.ML {
/// <summary>How important a line of the log is.</summary>
public enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE = 0,
    ORT_LOGGING_LEVEL_INFO = 1,
    ORT_LOGGING_LEVEL_WARNING = 2,
    ORT_LOGGING_LEVEL_ERROR = 3,
    ORT_LOGGING_LEVEL_FATAL = 4
}
/// <summary>How much of the graph may be rewritten when a model is loaded.</summary>
public enum GraphOptimizationLevel {
    ORT_DISABLE_ALL = 0,
    ORT_ENABLE_BASIC = 1,
    ORT_ENABLE_EXTENDED = 2,
    ORT_ENABLE_LAYOUT = 3,
    ORT_ENABLE_ALL = 99
}
/// <summary>Steps run one after another, each on all threads of the session.</summary>
public enum ExecutionMode {
    ORT_SEQUENTIAL = 0,
    ORT_PARALLEL = 1
}
/// <summary>What a value is.</summary>
public enum OnnxValueType {
    ONNX_TYPE_UNKNOWN = 0,
    ONNX_TYPE_TENSOR = 1,
    ONNX_TYPE_SEQUENCE = 2,
    ONNX_TYPE_MAP = 3,
    ONNX_TYPE_OPAQUE = 4,
    ONNX_TYPE_SPARSETENSOR = 5,
    ONNX_TYPE_OPTIONAL = 6
}
/// <summary>What is done while a model is loaded and a session is created.</summary>
public enum SessionStage {
    Load = 0,
    Passes = 1,
    Partition = 2,
    Plan = 3,
    Pack = 4
}
/// <summary>Kinds of allocators; there is one, and both names stand for it.</summary>
public enum OrtAllocatorType {
    DeviceAllocator = 0,
    ArenaAllocator = 1
}
/// <summary>Kinds of memory.</summary>
public enum OrtMemType {
    CpuInput = -2,
    CpuOutput = -1,
    Cpu = -1,
    Default = 0
}
}
