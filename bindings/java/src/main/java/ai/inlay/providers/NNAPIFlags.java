package ai.inlay.providers;

/** ONNX Runtime's flags for NNAPI, each an option. */
public enum NNAPIFlags {
    USE_FP16("use_fp16"),
    USE_NCHW("use_nchw"),
    CPU_DISABLED("cpu_disabled"),
    CPU_ONLY("cpu_only");

    private final String option;

    NNAPIFlags(String option) { this.option = option; }

    public String getOption() { return option; }
}
