// Options of Ort::: what they do, what is a warning and what is an error.
#include "programs.hpp"
#include <compat/ort/api/session_options.hpp>
using namespace inlay::testing;

namespace {
bool has(std::string_view name) {  // the build, whether its library is here or not
    return std::ranges::count(inlay::built_providers(), name, &inlay::provider_factory::name) > 0;
}
constexpr const char* negated = "g (float[N] x) => (float[N] y) { y = Neg(x) }";
struct logged {
    kept_log log{};
    Ort::Env env{ORT_LOGGING_LEVEL_WARNING, "options", &kept_log::write, &log};
};
}  // namespace

TEST_CASE("Options that mean nothing here are one warning each, logged when the session is created", "[ort]") {
    logged to;
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1)
        .SetInterOpNumThreads(3)
        .SetExecutionMode(ORT_PARALLEL)
        .DisableCpuMemArena()
        .DisableMemPattern()
        .SetDeterministicCompute(true)
        .SetGraphOptimizationLevel(ORT_ENABLE_EXTENDED)
        .AddConfigEntry("session.intra_op.allow_spinning", "0")
        .AddConfigEntry("session.dynamic_block_base", "4")
        .AddConfigEntry(kOrtSessionOptionsConfigLoadModelFormat, "ONNX");
    CHECK(to.log.lines.empty());
    session_of(to.env, negated, options);
    for (const char* text : {"SetInterOpNumThreads(3)", "ORT_PARALLEL", "DisableCpuMemArena", "DisableMemPattern",
                             "session.dynamic_block_base"})
        CHECK(to.log.count(text) == 1);
    CHECK(to.log.lines.size() == 5);
    CHECK(to.log.lines[0].first == ORT_LOGGING_LEVEL_WARNING);
    CHECK(has_text(to.log.lines[0].second, "options: "));
    to.log.lines.clear();
    options.SetInterOpNumThreads(1).SetExecutionMode(ORT_SEQUENTIAL).EnableCpuMemArena().EnableMemPattern();
    session_of(to.env, negated, options);
    CHECK(to.log.lines.size() == 1);
}

TEST_CASE("A session has its own level and name in the log", "[ort]") {
    logged to;
    Ort::SessionOptions options;
    options.SetInterOpNumThreads(3).SetLogId("mine");
    session_of(to.env, negated, options);
    CHECK(to.log.count("mine: ") == 1);
    options.SetLogSeverityLevel(ORT_LOGGING_LEVEL_ERROR);
    session_of(to.env, negated, options);
    CHECK(to.log.lines.size() == 1);
    to.env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_VERBOSE);
    options.SetLogSeverityLevel(0);
    session_of(to.env, "g (float[2] x) => (float[2] y) { y = Neg(x) }", options);
    CHECK(to.log.count("Neg") > 0);
    Ort::Session session = session_of(to.env, negated, options);
    CHECK(thrown_by([&] { options.SetLogSeverityLevel(5); }).code == ORT_INVALID_ARGUMENT);
    // The plan of a run is reported within it.
    Ort::RunOptions run;
    run.SetRunTag("tagged").SetRunLogSeverityLevel(0);
    CHECK(run.GetRunTag() == std::string("tagged"));
    std::vector<float> x = {1, 2, 3};  // of one element the session has a plan, for its own log
    const Ort::Value in = over(x, {3});
    const char *from = "x", *into = "y";
    session.Run(run, &from, &in, 1, &into, 1);
    CHECK(to.log.count("tagged: ") > 0);
    const int before = int(to.log.lines.size());
    run.SetRunLogSeverityLevel(ORT_LOGGING_LEVEL_WARNING);
    std::vector<float> two = {1, 2};
    const Ort::Value longer = over(two, {2});
    session.Run(run, &from, &longer, 1, &into, 1);
    CHECK(int(to.log.lines.size()) == before);
}

TEST_CASE("An environment warns of what it has not, and takes a function or standard error", "[ort]") {
    logged to;
    to.env.EnableTelemetryEvents().DisableTelemetryEvents();
    to.env.CreateAndRegisterAllocator(host(), Ort::ArenaCfg(0, -1, -1, -1));
    CHECK(to.log.count("telemetry") == 1);
    CHECK(to.log.count("CreateAndRegisterAllocator") == 1);
    Ort::ThreadingOptions threads;
    threads.SetGlobalIntraOpNumThreads(2).SetGlobalInterOpNumThreads(4).SetGlobalSpinControl(1);
    Ort::Env shared(threads, &kept_log::write, &to.log, ORT_LOGGING_LEVEL_WARNING, "shared");
    CHECK(to.log.count("shared: SetGlobalInterOpNumThreads(4)") == 1);
    CHECK(to.log.count("shared: SetGlobalSpinControl(1)") == 1);
    CHECK(thrown_by([&] { threads.SetGlobalIntraOpNumThreads(-1); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { threads.SetGlobalCustomCreateThreadFn(nullptr); }).code == ORT_NOT_IMPLEMENTED);
    CHECK(thrown_by([] { Ort::Env(OrtLoggingLevel(7), "x"); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([] { Ort::Env(ORT_LOGGING_LEVEL_WARNING, nullptr); }).code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("Sessions share the threads of an environment that has some", "[ort][threads]") {
    logged plain;
    Ort::SessionOptions options;
    options.DisablePerSessionThreads();
    CHECK(has_text(thrown_by([&] { session_of(plain.env, negated, options); }).text, "ThreadingOptions"));
    Ort::ThreadingOptions threads;
    threads.SetGlobalIntraOpNumThreads(2).SetGlobalDenormalAsZero();
    std::vector<Ort::Session> sessions;
    {
        Ort::Env env(threads, ORT_LOGGING_LEVEL_ERROR, "shared");
        for (int k = 0; k < 2; ++k) sessions.push_back(session_of(env, negated, options));
    }  // sessions keep the threads
    std::vector<float> x(1 << 16, 1.f);
    for (Ort::Session& s : sessions) {
        const Ort::Value in = over(x, {1 << 16});
        const char *from = "x", *into = "y";
        CHECK(s.Run({}, &from, &in, 1, &into, 1)[0].GetTensorData<float>()[9] == -1);
    }
}

TEST_CASE("Providers are appended by name, in order, and checked at once", "[ort]") {
    logged to;
    const auto available = Ort::GetAvailableProviders();
    CHECK(available.back() == "CPUExecutionProvider");
    CHECK(std::ranges::count(available, "ReferenceExecutionProvider") == 1);
    Ort::SessionOptions options;
    options.AppendExecutionProvider("Reference").AppendExecutionProvider("CPU", {{"threads", "1"}});
    options.SetLogSeverityLevel(0);
    to.env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_VERBOSE);
    session_of(to.env, "g (float[2] x) => (float[2] y) { y = Neg(x) }", options);
    CHECK(to.log.count("ReferenceExecutionProvider") > 0);
    const auto refusal = thrown_by([&] { options.AppendExecutionProvider("Imaginary"); });
    CHECK(refusal.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(refusal.text, "CPUExecutionProvider"));
    const auto option = thrown_by([&] { options.AppendExecutionProvider("CPU", {{"thread", "1"}}); });
    CHECK(option.code == ORT_INVALID_ARGUMENT);
    CHECK(has_text(option.text, "did you mean `threads`"));
    CHECK(thrown_by([&] {
              options.AppendExecutionProvider("CPU", {{"threads", "many"}});
          }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { options.AppendExecutionProviderLibrary("/no/such/library.so"); }).code == ORT_NO_SUCHFILE);
}

TEST_CASE("Only providers that a session can have here are available", "[ort]") {
    for (const std::string& name : Ort::GetAvailableProviders()) {
        CAPTURE(name);
        logged to;
        Ort::SessionOptions options;
        options.AppendExecutionProvider(name);
        CHECK(thrown_by([&] { session_of(to.env, negated, options); }).code == ORT_OK);
    }
}

TEST_CASE("Providers by their own functions are the same as by name", "[ort]") {
    Ort::SessionOptions options;
    const auto append = [&](auto f) { return thrown_by([&] { f(options); }).code; };
    CHECK(append([](auto& o) { o.AppendExecutionProvider_CPU(1); }) == ORT_OK);
    OrtCUDAProviderOptions cuda;
    cuda.cudnn_conv_algo_search = OrtCudnnConvAlgoSearchHeuristic;
    CHECK((append([&](auto& o) { o.AppendExecutionProvider_CUDA(cuda); }) == ORT_OK) == has("CUDAExecutionProvider"));
    OrtOpenVINOProviderOptions openvino;
    openvino.device_type = "CPU_FP32";
    CHECK((append([&](auto& o) { o.AppendExecutionProvider_OpenVINO(openvino); }) == ORT_OK) ==
          has("OpenVINOExecutionProvider"));
    CHECK((append([](auto& o) {
               o.AppendExecutionProvider_OpenVINO_V2({{"device_type", "CPU"}, {"num_streams", "1"}});
           }) == ORT_OK) == has("OpenVINOExecutionProvider"));
    CHECK((append([](auto& o) { o.AppendExecutionProvider_TensorRT(OrtTensorRTProviderOptions{}); }) == ORT_OK) ==
          has("TensorrtExecutionProvider"));
    CHECK((append([](auto& o) { o.AppendExecutionProvider_ROCM({}); }) == ORT_OK) == has("ROCMExecutionProvider"));
    CHECK((append([](auto& o) { o.AppendExecutionProvider_MIGraphX(OrtMIGraphXProviderOptions{}); }) == ORT_OK) ==
          has("MIGraphXExecutionProvider"));
    CHECK((append([](auto& o) { o.AppendExecutionProvider_VitisAI(); }) == ORT_OK) == has("VitisAIExecutionProvider"));
    const Ort::Status cpu(OrtSessionOptionsAppendExecutionProvider_CPU(options, 0));
    CHECK(cpu.IsOK());
    const Ort::Status tensorrt(OrtSessionOptionsAppendExecutionProvider_Tensorrt(options, 0));
    CHECK(tensorrt.IsOK() == has("TensorrtExecutionProvider"));
    const Ort::Status dnnl(OrtSessionOptionsAppendExecutionProvider_Dnnl(options, 1));
    CHECK(dnnl.IsOK() == has("DnnlExecutionProvider"));
    logged to;
    Ort::SessionOptions arena;
    Ort::ThrowOnError(OrtSessionOptionsAppendExecutionProvider_CPU(arena, 0));
    session_of(to.env, negated, arena);
    CHECK(to.log.count("`use_arena` = `0`") == 1);
}

TEST_CASE("Members of a provider's struct are its options, or warnings by their names", "[ort]") {
    OrtTensorRTProviderOptions tensorrt{};
    tensorrt.trt_max_partition_iterations = 1000;
    tensorrt.trt_min_subgraph_size = 5;
    tensorrt.trt_max_workspace_size = 1 << 20;
    tensorrt.trt_fp16_enable = 1;
    tensorrt.trt_int8_calibration_table_name = "table";
    tensorrt.trt_engine_cache_enable = 1;
    OrtMIGraphXProviderOptions migraphx{};
    migraphx.migraphx_fp16_enable = 1;
    migraphx.migraphx_exhaustive_tune = true;
    migraphx.migraphx_save_model_path = "kept";
    Ort::SessionOptions options;
    const OrtSessionOptions& contents = *static_cast<OrtSessionOptions*>(options);
    const auto check_refusal = [](auto append) {
        CHECK(thrown_by(append).code == ORT_INVALID_ARGUMENT);  // the build has no such provider
    };
    if (has("TensorrtExecutionProvider")) {
        options.AppendExecutionProvider_TensorRT(tensorrt);
        CHECK(contents.providers.back().options == inlay::option_list{{"trt_engine_cache_enable", "1"},
                                                                      {"trt_fp16_enable", "1"},
                                                                      {"trt_max_workspace_size", "1048576"}});
        CHECK(contents.notes.size() == 2);
        CHECK(contents.notes.contains("Tensorrt trt_min_subgraph_size"));
        CHECK(contents.notes.contains("Tensorrt trt_int8_calibration_table_name"));
    } else {
        check_refusal([&] { options.AppendExecutionProvider_TensorRT(tensorrt); });
    }
    const std::size_t notes = contents.notes.size();
    if (has("MIGraphXExecutionProvider")) {
        options.AppendExecutionProvider_MIGraphX(migraphx);
        CHECK(contents.providers.back().options ==
              inlay::option_list{{"migraphx_exhaustive_tune", "1"}, {"migraphx_fp16_enable", "1"}});
        CHECK(contents.notes.size() == notes + 1);
        CHECK(contents.notes.contains("MIGraphX migraphx_save_model_path"));
    } else {
        check_refusal([&] { options.AppendExecutionProvider_MIGraphX(migraphx); });
    }
}

// Of ONNX Runtime's TensorRT provider.
static const std::vector<const char*> tensorrt_options = {
    "device_id",       "trt_max_workspace_size",  "trt_fp16_enable",
    "trt_int8_enable", "trt_engine_cache_enable", "trt_engine_cache_path"};
static const std::vector<const char*> tensorrt_warnings = {"user_compute_stream",
                                                           "trt_max_partition_iterations",
                                                           "trt_min_subgraph_size",
                                                           "trt_int8_calibration_table_name",
                                                           "trt_int8_use_native_calibration_table",
                                                           "trt_dla_enable",
                                                           "trt_dla_core",
                                                           "trt_dump_subgraphs",
                                                           "trt_engine_decryption_enable",
                                                           "trt_engine_decryption_lib_path",
                                                           "trt_force_sequential_engine_build",
                                                           "trt_context_memory_sharing_enable",
                                                           "trt_layer_norm_fp32_fallback",
                                                           "trt_timing_cache_enable",
                                                           "trt_timing_cache_path",
                                                           "trt_force_timing_cache",
                                                           "trt_detailed_build_log",
                                                           "trt_build_heuristics_enable",
                                                           "trt_sparsity_enable",
                                                           "trt_builder_optimization_level",
                                                           "trt_auxiliary_streams",
                                                           "trt_tactic_sources",
                                                           "trt_extra_plugin_lib_paths",
                                                           "trt_profile_min_shapes",
                                                           "trt_profile_max_shapes",
                                                           "trt_profile_opt_shapes",
                                                           "trt_cuda_graph_enable",
                                                           "trt_dump_ep_context_model",
                                                           "trt_ep_context_file_path",
                                                           "trt_ep_context_embed_mode",
                                                           "trt_weight_stripped_engine_enable",
                                                           "trt_onnx_model_folder_path",
                                                           "trt_onnx_bytestream",
                                                           "trt_onnx_bytestream_size",
                                                           "trt_engine_cache_prefix",
                                                           "trt_engine_hw_compatible",
                                                           "trt_op_types_to_exclude",
                                                           "trt_bf16_enable",
                                                           "trt_preview_features",
                                                           "trt_load_user_initializer"};
TEST_CASE("Each option that ONNX Runtime's TensorRT provider has is taken, or is a warning by its name", "[ort]") {
    if (!has("TensorrtExecutionProvider")) return;  // nothing of it is known then
    const OrtApi& api = Ort::GetApi();
    OrtTensorRTProviderOptionsV2* provider_options = nullptr;
    Ort::ThrowOnError(api.CreateTensorRTProviderOptions(&provider_options));
    const char* const value = "1";
    for (const auto* list : {&tensorrt_options, &tensorrt_warnings})
        for (const char* name : *list)
            Ort::ThrowOnError(api.UpdateTensorRTProviderOptions(provider_options, &name, &value, 1));
    Ort::SessionOptions options;
    Ort::ThrowOnError(api.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, provider_options));
    api.ReleaseTensorRTProviderOptions(provider_options);
    const OrtSessionOptions& contents = *static_cast<OrtSessionOptions*>(options);
    CHECK(contents.providers.back().options.size() == tensorrt_options.size());
    CHECK(contents.notes.size() == tensorrt_warnings.size() - 1);  // a smallest region of 1 is how it is here anyway
    for (const char* name : tensorrt_warnings) {
        INFO(name);
        CHECK(contents.notes.contains(std::string("Tensorrt ") + name) ==
              (std::string_view(name) != "trt_min_subgraph_size"));
    }
}

TEST_CASE("Options of providers are made, filled and released by the functions of the C interface", "[ort]") {
    const OrtApi& api = Ort::GetApi();
    Ort::SessionOptions options;
    const char *keys[] = {"device_id", "gpu_mem_limit"}, *values[] = {"0", "1000"};
    OrtCUDAProviderOptionsV2* cuda = nullptr;
    Ort::ThrowOnError(api.CreateCUDAProviderOptions(&cuda));
    Ort::ThrowOnError(api.UpdateCUDAProviderOptions(cuda, keys, values, 2));
    const bool built = has("CUDAExecutionProvider");
    const Ort::Status appended(api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda));
    CHECK(appended.IsOK() == built);
    CHECK(thrown_by([&] { options.AppendExecutionProvider_CUDA_V2(*cuda); }).code ==
          (built ? ORT_OK : ORT_INVALID_ARGUMENT));
    api.ReleaseCUDAProviderOptions(cuda);
    OrtTensorRTProviderOptionsV2* trt = nullptr;
    Ort::ThrowOnError(api.CreateTensorRTProviderOptions(&trt));
    const Ort::Status refusal(api.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, trt));
    CHECK(refusal.IsOK() == has("TensorrtExecutionProvider"));
    api.ReleaseTensorRTProviderOptions(trt);
    const char *name = "threads", *two = "2";
    Ort::ThrowOnError(api.SessionOptionsAppendExecutionProvider(options, "CPU", &name, &two, 1));
    CHECK(OrtGetApiBase()->GetApi(ORT_API_VERSION) == &api);
    CHECK(OrtGetApiBase()->GetApi(ORT_API_VERSION + 1) == nullptr);
    CHECK(has_text(OrtGetApiBase()->GetVersionString(), "Inlay"));
    CHECK(Ort::GetVersionString() == OrtGetApiBase()->GetVersionString());
    CHECK(has_text(Ort::GetBuildInfoString(), "CPUExecutionProvider"));
}

TEST_CASE("Statuses carry code and text, and are raised", "[ort]") {
    const OrtApi& api = Ort::GetApi();
    const Ort::Status failure("what went wrong", ORT_EP_FAIL), success(nullptr);
    CHECK_FALSE(failure.IsOK());
    CHECK(success.IsOK());
    CHECK(failure.GetErrorMessage() == "what went wrong");
    CHECK(Ort::Status(Ort::Exception("x", ORT_FAIL)).GetErrorCode() == ORT_FAIL);
    CHECK(thrown_by([&] { Ort::ThrowOnError(failure); }).code == ORT_EP_FAIL);
    OrtStatus* raw = api.CreateStatus(ORT_NOT_IMPLEMENTED, "not here");
    CHECK(api.GetErrorCode(raw) == ORT_NOT_IMPLEMENTED);
    CHECK(api.GetErrorMessage(raw) == std::string("not here"));
    CHECK(thrown_by([&] { Ort::ThrowOnError(raw); }).text == "not here");
    CHECK(thrown_by([] { ORT_CXX_API_THROW("thrown", ORT_FAIL); }).text == "thrown");
}

TEST_CASE("Entries of the configuration mean what they mean for ONNX Runtime", "[ort]") {
    logged to;
    Ort::SessionOptions options;
    options.AddConfigEntry(kOrtSessionOptionsConfigSetDenormalAsZero, "1");
    CHECK(options.HasConfigEntry("session.set_denormal_as_zero"));
    CHECK(options.GetConfigEntry("session.set_denormal_as_zero") == "1");
    CHECK(options.GetConfigEntryOrDefault("other", "d") == "d");
    CHECK(thrown_by([&] { options.GetConfigEntry("other"); }).code == ORT_INVALID_ARGUMENT);
    Ort::Session session = session_of(to.env, "g (float[1] x) => (float[1] y) { y = Add(x, x) }", options);
    CHECK(to.log.lines.empty());
    std::vector<float> tiny = {1e-40f};
    const Ort::Value in = over(tiny, {1});
    const char *from = "x", *into = "y";
    CHECK(session.Run({}, &from, &in, 1, &into, 1)[0].GetTensorData<float>()[0] == 0);

    const Ort::SessionOptions copy = options.Clone();
    options.AddConfigEntry(kOrtSessionOptionsConfigSetDenormalAsZero, "0");
    CHECK(copy.GetConfigEntry("session.set_denormal_as_zero") == "1");
    CHECK(copy.GetConst().HasConfigEntry("session.set_denormal_as_zero"));
    Ort::Session later = session_of(to.env, "g (float[1] x) => (float[1] y) { y = Add(x, x) }", options);
    CHECK(later.Run({}, &from, &in, 1, &into, 1)[0].GetTensorData<float>()[0] != 0);

    options.AddConfigEntry(kOrtSessionOptionsConfigSetDenormalAsZero, "yes");
    CHECK(has_text(thrown_by([&] { session_of(to.env, negated, options); }).text, "not \"yes\""));
    CHECK(thrown_by([&] { options.AddConfigEntry(kOrtSessionOptionsConfigLoadModelFormat, "ORT"); }).code ==
          ORT_NOT_IMPLEMENTED);
    Ort::SessionOptions strict;
    strict.AppendExecutionProvider("Reference").AddConfigEntry(kOrtSessionOptionsDisableCPUEPFallback, "1");
    CHECK(thrown_by([&] { session_of(to.env, negated, strict); }).code == ORT_OK);
}

TEST_CASE("Free dimensions are fixed by name, and unoptimised graphs stay as they are", "[ort]") {
    logged to;
    Ort::SessionOptions options;
    Ort::ThrowOnError(Ort::GetApi().AddFreeDimensionOverrideByName(options, "N", 5));
    const Ort::Session session = session_of(to.env, negated, options);
    CHECK(session.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape() == std::vector<std::int64_t>{5});
    CHECK(thrown_by([&] { options.AddFreeDimensionOverrideByName("N", -1); }).code == ORT_INVALID_ARGUMENT);
    Ort::SessionOptions verbose;
    verbose.SetLogSeverityLevel(0).SetGraphOptimizationLevel(ORT_DISABLE_ALL);
    to.env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_VERBOSE);
    constexpr const char* foldable = "g (float[1] x) => (float[1] y) { a = Identity(x) y = Neg(a) }";
    session_of(to.env, foldable, verbose);
    CHECK(to.log.count("Identity") > 0);
    to.log.lines.clear();
    verbose.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
    session_of(to.env, foldable, verbose);
    CHECK(to.log.count("Identity") == 0);
}

TEST_CASE("What cannot be done is an error that says what would do", "[ort]") {
    Ort::SessionOptions options;
    CHECK(thrown_by([&] { options.SetIntraOpNumThreads(-1); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([&] { options.AddInitializer("w", nullptr); }).code == ORT_NOT_IMPLEMENTED);
    CHECK(thrown_by([&] { options.EnableOrtCustomOps(); }).code == ORT_NOT_IMPLEMENTED);
    CHECK(thrown_by([&] { options.RegisterCustomOpsUsingFunction("f"); }).code == ORT_NOT_IMPLEMENTED);
    CHECK(thrown_by([&] { options.SetCustomCreateThreadFn(nullptr); }).code == ORT_NOT_IMPLEMENTED);
    CHECK(thrown_by([&] { options.EnableProfiling(""); }).code == ORT_INVALID_ARGUMENT);
    CHECK(thrown_by([] { Ort::SessionOptions(nullptr).SetIntraOpNumThreads(1); }).code == ORT_INVALID_ARGUMENT);
    logged to;
    Ort::Session session = session_of(to.env, negated, Ort::SessionOptions());
    const char *key = "ep.dynamic.workload_type", *value = "Efficient";
    CHECK(thrown_by([&] { session.SetEpDynamicOptions(&key, &value, 1); }).code == ORT_NOT_IMPLEMENTED);
    Ort::RunOptions run;
    run.AddConfigEntry(kOrtRunOptionsConfigEnableMemoryArenaShrinkage, "cpu:0");
    std::vector<float> x = {1};
    const Ort::Value in = over(x, {1});
    const char *from = "x", *into = "y";
    for (int k = 0; k < 2; ++k) session.Run(run, &from, &in, 1, &into, 1);
    CHECK(to.log.count("memory.enable_memory_arena_shrinkage") == 1);
    run.SetRunLogVerbosityLevel(3);
    CHECK(run.GetRunLogVerbosityLevel() == 3);
    CHECK(run.GetRunLogSeverityLevel() == -1);
}
