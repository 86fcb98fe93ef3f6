package ai.inlay.providers;

/** ONNX Runtime's flags for CoreML, each an option with its text; those that the provider lacks are an OrtException. */
public enum CoreMLFlags {
    CPU_ONLY("MLComputeUnits", "CPUOnly"),
    ENABLE_ON_SUBGRAPH("EnableOnSubgraphs", "1"),
    ONLY_ENABLE_DEVICE_WITH_ANE("MLComputeUnits", "CPUAndNeuralEngine"),
    ONLY_ALLOW_STATIC_INPUT_SHAPES("RequireStaticInputShapes", "true"),
    CREATE_MLPROGRAM("ModelFormat", "MLProgram"),
    CPU_AND_GPU("MLComputeUnits", "CPUAndGPU");

    private final String option;
    private final String text;

    CoreMLFlags(String option, String text) {
        this.option = option;
        this.text = text;
    }

    public String getOption() { return option; }

    public String getText() { return text; }
}
