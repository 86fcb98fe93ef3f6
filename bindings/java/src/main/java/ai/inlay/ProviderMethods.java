package ai.inlay;

import ai.inlay.providers.CoreMLFlags;
import ai.inlay.providers.NNAPIFlags;
import ai.inlay.providers.OrtCUDAProviderOptions;
import ai.inlay.providers.OrtTensorRTProviderOptions;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A method for each provider, by ONNX Runtime's names. The order of the calls is the priority. Options are ONNX
 * Runtime's, by name; a provider that the build lacks and an unknown option are an OrtException at once.
 */
public abstract class ProviderMethods {
    ProviderMethods() {}

    /** Appends any provider by either of its names, as "CPUExecutionProvider" or "cpu", with options by name. */
    public abstract void addProvider(String name, Map<String, String> options) throws OrtException;

    public void addProvider(String name) throws OrtException { addProvider(name, Map.of()); }

    private void add(OrtProvider provider, Map<String, String> options) throws OrtException {
        addProvider(provider.getName(), options);
    }

    private void add(OrtProvider provider) throws OrtException { add(provider, Map.of()); }

    private void addDevice(OrtProvider provider, int device) throws OrtException {
        add(provider, Map.of("device_id", Integer.toString(device)));
    }

    /** useArena has no effect: memory of a run is always planned, in one arena. */
    public void addCPU(boolean useArena) throws OrtException { add(OrtProvider.CPU); }

    public void addCPU(Map<String, String> options) throws OrtException { add(OrtProvider.CPU, options); }

    /** Inlay's reference kernels. */
    public void addReference() throws OrtException { add(OrtProvider.REFERENCE); }

    public void addCUDA() throws OrtException { add(OrtProvider.CUDA); }

    public void addCUDA(int device) throws OrtException { addDevice(OrtProvider.CUDA, device); }

    public void addCUDA(OrtCUDAProviderOptions options) throws OrtException {
        add(OrtProvider.CUDA, options.getOptions());
    }

    public void addCUDA(Map<String, String> options) throws OrtException { add(OrtProvider.CUDA, options); }

    public void addROCM() throws OrtException { add(OrtProvider.ROCM); }

    public void addROCM(int device) throws OrtException { addDevice(OrtProvider.ROCM, device); }

    public void addROCM(Map<String, String> options) throws OrtException { add(OrtProvider.ROCM, options); }

    public void addMIGraphX(Map<String, String> options) throws OrtException { add(OrtProvider.MI_GRAPH_X, options); }

    public void addTensorrt(int device) throws OrtException { addDevice(OrtProvider.TENSOR_RT, device); }

    public void addTensorrt(OrtTensorRTProviderOptions options) throws OrtException {
        add(OrtProvider.TENSOR_RT, options.getOptions());
    }

    public void addTensorrt(Map<String, String> options) throws OrtException { add(OrtProvider.TENSOR_RT, options); }

    public void addNvTensorRtRtx(Map<String, String> options) throws OrtException {
        add(OrtProvider.NV_TENSOR_RT_RTX, options);
    }

    public void addDnnl(boolean useArena) throws OrtException {
        add(OrtProvider.DNNL, Map.of("use_arena", Boolean.toString(useArena)));
    }

    public void addDnnl(Map<String, String> options) throws OrtException { add(OrtProvider.DNNL, options); }

    /** device: "CPU", "GPU" and so on; empty for the default. */
    public void addOpenVINO(String device) throws OrtException {
        add(OrtProvider.OPEN_VINO, device.isEmpty() ? Map.of() : Map.of("device_type", device));
    }

    public void addOpenVINO(Map<String, String> options) throws OrtException { add(OrtProvider.OPEN_VINO, options); }

    public void addNnapi() throws OrtException { add(OrtProvider.NNAPI); }

    public void addNnapi(EnumSet<NNAPIFlags> flags) throws OrtException {
        Map<String, String> options = new LinkedHashMap<>();
        flags.forEach(flag -> options.put(flag.getOption(), "true"));
        add(OrtProvider.NNAPI, options);
    }

    public void addNnapi(Map<String, String> options) throws OrtException { add(OrtProvider.NNAPI, options); }

    /** settings: options as "target=llvm, opt_level=3"; empty for the defaults. */
    public void addTvm(String settings) throws OrtException {
        Map<String, String> options = new LinkedHashMap<>();
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(",")) {
            int sign = setting.indexOf('=');
            if (sign < 0) {
                throw OrtException.of(FailureCode.INVALID_OPTION, "inlay: `" + setting + "` is not NAME=TEXT");
            }
            options.put(setting.substring(0, sign).trim(), setting.substring(sign + 1).trim());
        }
        add(OrtProvider.TVM, options);
    }

    public void addTvm(Map<String, String> options) throws OrtException { add(OrtProvider.TVM, options); }

    public void addDirectML(int device) throws OrtException { addDevice(OrtProvider.DIRECT_ML, device); }

    public void addDirectML(Map<String, String> options) throws OrtException { add(OrtProvider.DIRECT_ML, options); }

    public void addACL(boolean enableFastMath) throws OrtException {
        add(OrtProvider.ACL, Map.of("enable_fast_math", Boolean.toString(enableFastMath)));
    }

    public void addACL(Map<String, String> options) throws OrtException { add(OrtProvider.ACL, options); }

    /** useArena has no effect: memory of a run is always planned, in one arena. */
    public void addArmNN(boolean useArena) throws OrtException { add(OrtProvider.ARM_NN); }

    public void addArmNN(Map<String, String> options) throws OrtException { add(OrtProvider.ARM_NN, options); }

    public void addCoreML() throws OrtException { add(OrtProvider.CORE_ML); }

    public void addCoreML(EnumSet<CoreMLFlags> flags) throws OrtException {
        Map<String, String> options = new LinkedHashMap<>();
        for (CoreMLFlags flag : flags) {
            if (options.put(flag.getOption(), flag.getText()) != null) {
                throw OrtException.of(FailureCode.INVALID_OPTION,
                    "inlay: of the flags " + flags + " two give the option " + flag.getOption());
            }
        }
        add(OrtProvider.CORE_ML, options);
    }

    public void addCoreML(Map<String, String> options) throws OrtException { add(OrtProvider.CORE_ML, options); }

    public void addXnnpack(Map<String, String> options) throws OrtException { add(OrtProvider.XNNPACK, options); }

    public void addQnn(Map<String, String> options) throws OrtException { add(OrtProvider.QNN, options); }

    public void addAzure(Map<String, String> options) throws OrtException { add(OrtProvider.AZURE, options); }

    public void addCANN(Map<String, String> options) throws OrtException { add(OrtProvider.CANN, options); }

    public void addRknpu(Map<String, String> options) throws OrtException { add(OrtProvider.RK_NPU, options); }

    public void addVitisAI(Map<String, String> options) throws OrtException { add(OrtProvider.VITIS_AI, options); }
}
