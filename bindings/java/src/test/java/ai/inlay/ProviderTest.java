package ai.inlay;

import static ai.inlay.Models.ENV;
import static ai.inlay.Models.failure;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ai.inlay.providers.CoreMLFlags;
import ai.inlay.providers.NNAPIFlags;
import ai.inlay.providers.OrtCUDAProviderOptions;
import ai.inlay.providers.OrtTensorRTProviderOptions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Assume;
import org.junit.Test;

public class ProviderTest {
    private static List<String> names(List<ProviderInfo> providers) {
        return providers.stream().map(ProviderInfo::getName).collect(Collectors.toList());
    }

    @Test
    public void everyProviderOfTheBuildHasAStatusACheckAndAConstant() throws OrtException {
        List<ProviderInfo> providers = OrtEnvironment.getProviders();
        assertEquals("CPUExecutionProvider", providers.get(0).getName());
        assertEquals("production", providers.get(0).getStatus());
        assertEquals("device", providers.get(0).getCheckedOn());
        assertEquals(providers.size(), OrtEnvironment.getAvailableProviders().size());
        for (ProviderInfo provider : providers) {
            assertTrue(List.of("production", "preview", "deprecated", "community").contains(provider.getStatus()));
            assertTrue(List.of("device", "simulator", "library", "own stand-in").contains(provider.getCheckedOn()));
            assertEquals(provider.getName(), OrtProvider.mapFromProviderName(provider.getName()).getName());
        }
    }

    @Test
    public void everyOptionOfEveryProviderIsSetAndReadBack() throws OrtException {
        int count = 0;
        for (ProviderInfo provider : OrtEnvironment.getProviders()) {
            try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                options.addProvider(provider.getName(), provider.getOptions());
                assertEquals(provider.getOptions(), options.getProviders().get(0).getOptions());
            }
            for (Map.Entry<String, String> option : provider.getOptions().entrySet()) {
                String text = another(option.getValue());
                if (text != null) {
                    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
                        options.addProvider(provider.getName(), Map.of(option.getKey(), text));
                        assertEquals(text, options.getProviders().get(0).getOptions().get(option.getKey()));
                        ++count;
                    }
                }
            }
        }
        assertTrue("only " + count, count >= 30);
    }

    /** Another value of an option that is a flag or a number; null: it is neither. */
    private static String another(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.toString(text.equals("false"));
        }
        return text.matches("[0-9]+") ? Integer.toString(Integer.parseInt(text) == 1 ? 2 : 1) : null;
    }

    private interface Adding {
        void add(OrtSession.SessionOptions options) throws OrtException;
    }

    /** Adds the provider with these options; a build that lacks it has to say so. */
    private static void adds(OrtProvider provider, Map<String, String> expected, Adding adding) throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            if (!OrtEnvironment.getAvailableProviders().contains(provider)) {
                OrtException e = failure(FailureCode.UNKNOWN_PROVIDER, "", () -> adding.add(options));
                assertEquals(provider.getName(), e.getProvider());
                assertTrue(options.getProviders().isEmpty());
                return;
            }
            adding.add(options);
            assertEquals(List.of(provider.getName()), names(options.getProviders()));
            Map<String, String> texts = options.getProviders().get(0).getOptions();
            expected.forEach((name, text) -> assertEquals(name, text, texts.get(name)));
        }
    }

    @Test
    public void onnxRuntimesMethodsAddTheirProvidersWithOptions() throws OrtException {
        adds(OrtProvider.CPU, Map.of(), o -> o.addCPU(true));
        adds(OrtProvider.CUDA, Map.of("device_id", "0"), o -> o.addCUDA());
        adds(OrtProvider.CUDA, Map.of("device_id", "1"), o -> o.addCUDA(1));
        adds(OrtProvider.CUDA, Map.of("device_id", "1"), o -> o.addCUDA(new OrtCUDAProviderOptions(1)));
        adds(OrtProvider.ROCM, Map.of("device_id", "1"), o -> o.addROCM(1));
        adds(OrtProvider.TENSOR_RT, Map.of("device_id", "1"), o -> o.addTensorrt(1));
        OrtTensorRTProviderOptions tensorRt = new OrtTensorRTProviderOptions(2);
        tensorRt.add("trt_fp16_enable", "true");
        assertEquals("device_id=2;trt_fp16_enable=true", tensorRt.getOptionsString());
        adds(OrtProvider.TENSOR_RT, Map.of("device_id", "2", "trt_fp16_enable", "true"), o -> o.addTensorrt(tensorRt));
        adds(OrtProvider.DNNL, Map.of("use_arena", "false"), o -> o.addDnnl(false));
        adds(OrtProvider.OPEN_VINO, Map.of("device_type", "GPU"), o -> o.addOpenVINO("GPU"));
        adds(OrtProvider.OPEN_VINO, Map.of(), o -> o.addOpenVINO(""));
        adds(OrtProvider.NNAPI, Map.of("use_fp16", "true", "cpu_only", "true"),
            o -> o.addNnapi(EnumSet.of(NNAPIFlags.USE_FP16, NNAPIFlags.CPU_ONLY)));
        adds(OrtProvider.CORE_ML, Map.of("MLComputeUnits", "CPUOnly", "ModelFormat", "MLProgram"),
            o -> o.addCoreML(EnumSet.of(CoreMLFlags.CPU_ONLY, CoreMLFlags.CREATE_MLPROGRAM)));
        adds(
            OrtProvider.TVM, Map.of("opt_level", "2", "target", "llvm"), o -> o.addTvm("target = llvm, opt_level = 2"));
        adds(OrtProvider.DIRECT_ML, Map.of("device_id", "1"), o -> o.addDirectML(1));
        adds(OrtProvider.ACL, Map.of("enable_fast_math", "true"), o -> o.addACL(true));
        adds(OrtProvider.ARM_NN, Map.of(), o -> o.addArmNN(true));
        adds(OrtProvider.NNAPI, Map.of(), o -> o.addNnapi());
        adds(OrtProvider.CORE_ML, Map.of(), o -> o.addCoreML());
        adds(OrtProvider.REFERENCE, Map.of(), o -> o.addReference());
    }

    @Test
    public void everyProviderHasAMethodThatTakesOptionsByName() throws OrtException {
        Map<String, String> device = Map.of("device_id", "3");
        adds(OrtProvider.CPU, Map.of("threads", "2"), o -> o.addCPU(Map.of("threads", "2")));
        adds(OrtProvider.CUDA, device, o -> o.addCUDA(device));
        adds(OrtProvider.ROCM, device, o -> o.addROCM(device));
        adds(OrtProvider.MI_GRAPH_X, device, o -> o.addMIGraphX(device));
        adds(OrtProvider.TENSOR_RT, device, o -> o.addTensorrt(device));
        adds(OrtProvider.NV_TENSOR_RT_RTX, device, o -> o.addNvTensorRtRtx(device));
        adds(OrtProvider.DNNL, Map.of("num_of_threads", "2"), o -> o.addDnnl(Map.of("num_of_threads", "2")));
        adds(OrtProvider.OPEN_VINO, Map.of("cache_dir", "/c"), o -> o.addOpenVINO(Map.of("cache_dir", "/c")));
        adds(OrtProvider.NNAPI, Map.of("use_nchw", "1"), o -> o.addNnapi(Map.of("use_nchw", "1")));
        adds(OrtProvider.TVM, Map.of("opt_level", "1"), o -> o.addTvm(Map.of("opt_level", "1")));
        adds(OrtProvider.DIRECT_ML, device, o -> o.addDirectML(device));
        adds(OrtProvider.ACL, Map.of(), o -> o.addACL(Map.of()));
        adds(OrtProvider.ARM_NN, Map.of("backend", "CpuRef"), o -> o.addArmNN(Map.of("backend", "CpuRef")));
        adds(OrtProvider.CORE_ML, Map.of("ModelCacheDirectory", "/c"),
            o -> o.addCoreML(Map.of("ModelCacheDirectory", "/c")));
        adds(OrtProvider.XNNPACK, Map.of("intra_op_num_threads", "2"),
            o -> o.addXnnpack(Map.of("intra_op_num_threads", "2")));
        adds(OrtProvider.QNN, Map.of("vtcm_mb", "4"), o -> o.addQnn(Map.of("vtcm_mb", "4")));
        adds(OrtProvider.AZURE, Map.of("timeout", "5"), o -> o.addAzure(Map.of("timeout", "5")));
        adds(OrtProvider.CANN, device, o -> o.addCANN(device));
        adds(OrtProvider.RK_NPU, Map.of("core_mask", "1"), o -> o.addRknpu(Map.of("core_mask", "1")));
        adds(OrtProvider.VITIS_AI, Map.of(), o -> o.addVitisAI(Map.of()));
    }

    @Test
    public void anUnknownProviderOptionOrValueIsTheLibrarysText() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            OrtException e = failure(FailureCode.UNKNOWN_PROVIDER, "referense", () -> options.addProvider("referense"));
            assertEquals("did you mean `ReferenceExecutionProvider`?", e.getHint());
            failure(FailureCode.UNKNOWN_OPTION, "thread", () -> options.addCPU(Map.of("thread", "2")));
            failure(FailureCode.INVALID_OPTION, "many", () -> options.addCPU(Map.of("threads", "many")));
            assertTrue(options.getProviders().isEmpty());  // none was added by halves
            options.addProvider("cpu");
            options.addProvider("cpu");
            failure(FailureCode.DUPLICATE_PROVIDER, "twice", () -> ENV.createSession(Models.path("two"), options));
        }
        failure(FailureCode.INVALID_OPTION, "NAME=TEXT", () -> new OrtSession.SessionOptions().addTvm("llvm"));
    }

    @Test
    public void theOrderOfTheCallsIsThePriority() throws OrtException {
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addReference();
            options.addCPU(Map.of("threads", "1"));
            try (OrtSession session = ENV.createSession(Models.path("two"), options);
                 Binding binding = session.bind(shapes())) {
                assertEquals(
                    List.of("ReferenceExecutionProvider", "CPUExecutionProvider"), names(session.getProviders()));
                assertEquals("1", session.getProviders().get(1).getOptions().get("threads"));
                binding.run();
                assertTrue(binding.getExecutedNodes("ReferenceExecutionProvider") > 0);
                assertEquals(0, binding.getExecutedNodes("CPUExecutionProvider"));
                failure(FailureCode.NOT_FOUND, "nobody", () -> binding.getExecutedNodes("nobody"));
            }
        }
    }

    private static Map<String, long[]> shapes() { return Map.of("x", new long[] {1, 4}, "b", new long[] {1, 4}); }

    @Test
    public void aSessionGoesOnWithOtherProviders() throws OrtException {
        try (OrtSession session = Models.session("two");
             OrtSession.SessionOptions options = new OrtSession.SessionOptions();
             OrtSession.SessionOptions twice = new OrtSession.SessionOptions();
             Binding before = session.bind(shapes())) {
            options.addReference();
            twice.addCPU(true);
            twice.addCPU(true);
            session.setProviders(options);
            assertEquals("ReferenceExecutionProvider", session.getProviders().get(0).getName());
            failure(FailureCode.DUPLICATE_PROVIDER, "", () -> session.setProviders(twice));
            assertEquals("ReferenceExecutionProvider", session.getProviders().get(0).getName());
            before.run();
            assertTrue(before.getExecutedNodes("CPUExecutionProvider") > 0);
        }
    }

    @Test
    public void aPluginRunsNodes() throws OrtException {
        String plugin = System.getProperty("plugin");
        Assume.assumeTrue("this build has no plugin of the tests", plugin != null && !plugin.isEmpty());
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addPlugin(plugin, Map.of("largest", "500"));
            assertEquals("500", options.getProviders().get(0).getOptions().get("largest"));
            failure(FailureCode.UNKNOWN_OPTION, "smallest", () -> options.addPlugin(plugin, Map.of("smallest", "1")));
            failure(FailureCode.NOT_FOUND, "/no/such/file.so", () -> options.addPlugin("/no/such/file.so", Map.of()));
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            try (OrtSession session = ENV.createSession(Models.path("fixed"), options);
                 Binding binding = session.bind()) {
                binding.run();
                assertEquals(1, binding.getExecutedNodes("RectifierExecutionProvider"));
            }
        }
    }

    @Test
    public void aProviderWhoseDeviceIsMissingIsAnExceptionOfTheSession() throws OrtException {
        Assume.assumeTrue(OrtEnvironment.getAvailableProviders().contains(OrtProvider.NNAPI));
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.addNnapi();
            OrtException e =
                failure(FailureCode.PROVIDER_UNAVAILABLE, "", () -> ENV.createSession(Models.path("two"), options));
            assertFalse(e.getProvider().isEmpty());
            options.setOption("plan_only", "true");
            try (OrtSession session = ENV.createSession(Models.path("two"), options)) {
                assertTrue(session.plan().contains("NnapiExecutionProvider"));
            }
        }
    }
}
