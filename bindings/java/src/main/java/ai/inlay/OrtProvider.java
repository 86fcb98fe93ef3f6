package ai.inlay;

/** Execution providers by name: ONNX Runtime's and Inlay's own. */
public enum OrtProvider {
    CPU("CPUExecutionProvider"),
    CUDA("CUDAExecutionProvider"),
    DNNL("DnnlExecutionProvider"),
    OPEN_VINO("OpenVINOExecutionProvider"),
    VITIS_AI("VitisAIExecutionProvider"),
    TENSOR_RT("TensorrtExecutionProvider"),
    NNAPI("NnapiExecutionProvider"),
    RK_NPU("RknpuExecutionProvider"),
    DIRECT_ML("DmlExecutionProvider"),
    MI_GRAPH_X("MIGraphXExecutionProvider"),
    ACL("AclExecutionProvider"),
    ARM_NN("ArmNNExecutionProvider"),
    ROCM("ROCMExecutionProvider"),
    CORE_ML("CoreMLExecutionProvider"),
    XNNPACK("XnnpackExecutionProvider"),
    AZURE("AzureExecutionProvider"),
    QNN("QNNExecutionProvider"),
    CANN("CANNExecutionProvider"),
    TVM("TvmExecutionProvider"),
    NV_TENSOR_RT_RTX("NvTensorRTRTXExecutionProvider"),
    REFERENCE("ReferenceExecutionProvider");

    private final String name;

    OrtProvider(String name) { this.name = name; }

    public String getName() { return name; }

    /** Throws IllegalArgumentException for a name that none of them has. */
    public static OrtProvider mapFromProviderName(String name) {
        for (OrtProvider provider : values()) {
            if (provider.name.equalsIgnoreCase(name)) {
                return provider;
            }
        }
        throw new IllegalArgumentException("inlay: no provider is called " + name);
    }
}
