using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Inlay.ML;
using Inlay.ML.Tensors;

static class OptionTests {
    [Test("Providers are listed in their order, with status, what each was checked on, and all options")]
    static void Providers() {
        IReadOnlyList<ExecutionProviderInfo> built = OrtEnv.Instance().GetProviders();
        Check.Equal("CPUExecutionProvider", built[0].Name);
        Check.Equal("production", built[0].Status);
        Check.Equal("device", built[0].CheckedOn);
        Check.True(built.All(provider => provider.Status.Length > 0 && provider.CheckedOn.Length > 0));
        Check.Equal("CPUExecutionProvider", OrtEnv.Instance().GetAvailableProviders().Last());
        Check.Equal(built.Count, OrtEnv.Instance().GetAvailableProviders().Length);
        using (var options = new SessionOptions()) {
            options.AppendExecutionProvider("reference");
            options.AppendExecutionProvider("cpu", new Dictionary<string, string> { { "threads", "2" },
                { "flush_denormals", "true" } });
            Check.Same(new[] { "2", "true" }, new[] { "threads", "flush_denormals" }.Select(name =>
                options.GetProviders()[1].Options[name]));
            using (var session = new InferenceSession(Runner.Digits, options)) {
                Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
                IReadOnlyList<ExecutionProviderInfo> present = session.GetProviders();
                Check.Equal(2, present.Count);
                Check.Equal("CPUExecutionProvider", present[1].Name);
                Check.Equal("2", present[1].Options["threads"]);
                Check.True(present[1].Options.Count >= 3, "not all options");
                Check.Contains(present[0].Name, session.Plan());
            }
        }
    }
    [Test("Every provider of the build is appended by its long and its short name, and its options are read back")]
    static void EveryProvider() {
        foreach (ExecutionProviderInfo provider in OrtEnv.Instance().GetProviders()) {
            using (var options = new SessionOptions()) {
                var given = provider.Options.Where(option => option.Value.Length > 0).ToDictionary(option => option.Key,
                    option => option.Value);
                options.AppendExecutionProvider(provider.Name, given);
                foreach (var option in given) Check.Equal(option.Value, options.GetProviders()[0].Options[option.Key]);
                if (!provider.Name.EndsWith("ExecutionProvider")) continue;
                options.ClearProviders();
                options.AppendExecutionProvider(provider.Name.Replace("ExecutionProvider", ""));
                Check.Equal(1, options.GetProviders().Count);
            }
        }
    }
    [Test("The functions of single providers append them with their options, or say that the build lacks them")]
    static void ByFunction() {
        var built = new HashSet<string>(OrtEnv.Instance().GetAvailableProviders());
        int appended = 0;
        Action<string, Action<SessionOptions>, string, string> check = (name, append, option, value) => {
            using (var options = new SessionOptions()) {
                if (!built.Contains(name)) {
                    Check.Contains(name, Check.Fails(ErrorCode.UnknownProvider, () => append(options)).Message);
                    return;
                }
                append(options);
                ++appended;
                if (option != null) Check.Equal(value, options.GetProviders()[0].Options[option]);
            }
        };
        check("CPUExecutionProvider", o => o.AppendExecutionProvider_CPU(), null, null);
        check("DnnlExecutionProvider", o => o.AppendExecutionProvider_Dnnl(0), "use_arena", "false");
        check("OpenVINOExecutionProvider", o => o.AppendExecutionProvider_OpenVINO("GPU"), "device_type", "GPU");
        check("CUDAExecutionProvider", o => o.AppendExecutionProvider_CUDA(1), "device_id", "1");
        check("TensorrtExecutionProvider", o => o.AppendExecutionProvider_Tensorrt(1), "device_id", "1");
        check("ROCMExecutionProvider", o => o.AppendExecutionProvider_ROCm(1), "device_id", "1");
        check("MIGraphXExecutionProvider", o => o.AppendExecutionProvider_MIGraphX(1), "device_id", "1");
        check("DmlExecutionProvider", o => o.AppendExecutionProvider_DML(1), "device_id", "1");
        check("NnapiExecutionProvider", o =>
            o.AppendExecutionProvider_Nnapi(NnapiFlags.NNAPI_FLAG_USE_FP16 | NnapiFlags.NNAPI_FLAG_USE_NCHW),
            "use_nchw", "true");
        check("CoreMLExecutionProvider", o => o.AppendExecutionProvider_CoreML(CoreMLFlags.COREML_FLAG_USE_CPU_AND_GPU),
            "MLComputeUnits", "CPUAndGPU");
        var settings = new OrtTensorRTProviderOptions();
        settings.UpdateOptions(new Dictionary<string, string> { { "trt_fp16_enable", "1" }, { "device_id", "0" } });
        Check.Equal("device_id=0;trt_fp16_enable=1", settings.GetOptions());
        check("TensorrtExecutionProvider", o => o.AppendExecutionProvider_Tensorrt(settings), "trt_fp16_enable", "1");
        Check.True(appended > 0, "the build has none of these");
    }
    [Test("An unknown provider and an unknown option are exceptions with the library's text, at once")]
    static void UnknownProviders() {
        using (var options = new SessionOptions()) {
            Check.Contains("Imaginary", Check.Fails(ErrorCode.UnknownProvider, () =>
                options.AppendExecutionProvider("Imaginary")).Message);
            var e = Check.Fails(ErrorCode.UnknownOption, () =>
                options.AppendExecutionProvider("cpu", new Dictionary<string, string> { { "thread", "2" } }));
            Check.Contains("threads", e.Message);
            Check.Equal("CPUExecutionProvider", e.Provider);
            Check.Fails(ErrorCode.InvalidOption, () => options.AppendExecutionProvider("cpu",
                new Dictionary<string, string> { { "threads", "many" } }));
            Check.Throws<ArgumentNullException>(() => options.AppendExecutionProvider(null));
            Check.Equal(0, options.GetProviders().Count);
            options.AppendExecutionProvider("cpu");
            options.AppendExecutionProvider("CPU");
            Check.Fails(ErrorCode.DuplicateProvider, () => new InferenceSession(Runner.Digits, options));
        }
    }
    [Test("A provider of a shared library runs nodes")]
    static void Plugin() {
        using (var options = new SessionOptions()) {
            options.AppendPlugin(Runner.Plugin);
            string name = options.GetProviders()[0].Name;
            using (var session = new InferenceSession(Runner.Model("fixed"), options))
            using (OrtIoBinding binding = session.CreateIoBinding())
            using (OrtValue x = OrtValue.CreateTensorValueFromMemory(Enumerable.Repeat(-2f, 8).ToArray(),
                    new long[] { 2, 4 })) {
                binding.BindInput("x", x);
                binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
                using (var results = session.RunWithBoundResults(null, binding))
                    Check.Same(Enumerable.Repeat(2f, 8), results[0].GetTensorDataAsSpan<float>().ToArray());
                Check.Equal(1L, binding.GetExecutedNodes(name));
                Check.Equal(1L, binding.GetExecutedNodes("CPUExecutionProvider"));
            }
            Check.Fails(ErrorCode.NotFound, () => options.AppendPlugin("/no/such/größe.so"));
        }
    }
    [Test("An operator of a module runs where the module is next to the library, else it is an exception")]
    static void Module() {
        string folder = System.IO.Path.GetDirectoryName(typeof(OrtEnv).Assembly.Location);
        Func<bool[]> run = () => {
            using (var session = new InferenceSession(Runner.Model("regex")))
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                new[] { "größe", "b" }.ToTensor()) }))
                return results.First().AsTensor<bool>().ToArray();
        };
        if (System.IO.File.Exists(System.IO.Path.Combine(folder, "libinlay_re2_module.so")))
            Check.Same(new[] { true, false }, run());
        else
            Check.Throws<OnnxRuntimeException>(() => run());
    }
    [Test("Providers of a session are replaced while it lives")]
    static void Replaced() {
        using (var session = new InferenceSession(Runner.Digits))
        using (var options = new SessionOptions()) {
            Check.Equal("CPUExecutionProvider", session.GetProviders()[0].Name);
            options.AppendExecutionProvider("reference");
            session.SetProviders(options);
            Check.True(session.GetProviders()[0].Name != "CPUExecutionProvider");
            Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
        }
    }
    [Test("Options of sessions and models are set, read back, and refused where they are no values")]
    static void Options() {
        using (var options = new SessionOptions()) {
            Check.Equal(0, options.IntraOpNumThreads);
            options.IntraOpNumThreads = 2;
            Check.Equal(2, options.IntraOpNumThreads);
            Check.Fails(ErrorCode.InvalidOption, () => options.IntraOpNumThreads = -1);
            Check.Equal(2, options.IntraOpNumThreads);
            options.GraphOptimizationLevel = GraphOptimizationLevel.ORT_DISABLE_ALL;
            Check.Equal(GraphOptimizationLevel.ORT_DISABLE_ALL, options.GraphOptimizationLevel);
            options.Fallback = "only:Relu,Add";
            Check.Equal("only:Relu,Add", options.Fallback);
            Check.Fails(ErrorCode.InvalidOption, () => options.Fallback = "sometimes");
            options.Plans = 3;
            options.Partition = "order";
            options.Determinism = "portable";
            options.SetModelOption("limits.nodes", "1000");
            Check.Contains("limits.nodes", Check.Fails(ErrorCode.UnknownOption, () =>
                options.SetModelOption("limits.node", "1")).Message);
            Check.Fails(ErrorCode.UnknownOption, () => options.AddSessionConfigEntry("session.no_such_entry", "1"));
            Check.Fails(ErrorCode.InvalidOption, () => options.AddSessionConfigEntry("session.disable_cpu_ep_fallback",
                "yes"));
            options.AddSessionConfigEntry("session.set_denormal_as_zero", "1");
            Check.Equal("true", options.GetProviders()[0].Options["flush_denormals"]);
            using (var session = new InferenceSession(Runner.Digits, options)) {
                Check.Equal("true", session.GetProviders()[0].Options["flush_denormals"]);
                Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
            }
            options.SetModelOption("limits.nodes", "1");
            Check.Fails(ErrorCode.LimitExceeded, () => new InferenceSession(Runner.Digits, options));
        }
        using (var options = new SessionOptions()) {
            options.AddFreeDimensionOverrideByName("N", 3);
            using (var session = new InferenceSession(Runner.Model("two"), options))
                Check.Same(new[] { 3, 4 }, session.InputMetadata["x"].Dimensions);
        }
        using (var options = new SessionOptions()) {
            options.AppendPlugin(Runner.Plugin);
            options.AddSessionConfigEntry("session.disable_cpu_ep_fallback", "1");
            Check.Equal("never", options.Fallback);
            Check.Fails(ErrorCode.NoProvider, () => new InferenceSession(Runner.Model("fixed"), options));
        }
    }
    [Test("What Inlay cannot do is a NotSupportedException that says why; the defaults are accepted")]
    static void NotSupported() {
        using (var o = new SessionOptions())
        using (var r = new RunOptions())
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            var refused = new Action[] {
                () => o.ExecutionMode = ExecutionMode.ORT_PARALLEL,
                () => o.InterOpNumThreads = 2,
                () => o.EnableMemoryPattern = false,
                () => o.EnableCpuMemArena = false,
                () => o.EnableProfiling = true,
                () => o.ProfileOutputPathPrefix = "a",
                () => o.OptimizedModelFilePath = "a.onnx",
                () => o.LogVerbosityLevel = 1,
                () => o.GraphOptimizationLevel = GraphOptimizationLevel.ORT_ENABLE_BASIC,
                () => o.RegisterCustomOpLibrary("a.so"),
                () => o.RegisterOrtExtensions(),
                () => o.AddInitializer("a", null),
                () => o.DisablePerSessionThreads(),
                () => o.AddFreeDimensionOverride("a", 1),
                () => o.AppendExecutionProvider_CPU(0),
                () => r.LogId = "a",
                () => r.LogVerbosityLevel = 1,
                () => r.LogSeverityLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_INFO,
                () => r.AddRunConfigEntry("a", "b"),
                () => session.EndProfiling(),
                () => session.ProfilingStartTimeNs.ToString(),
                () => OrtEnv.Instance().EnableTelemetryEvents()
            };
            foreach (Action action in refused)
                Check.Contains("inlay: ", Check.Throws<NotSupportedException>(action).Message);
            o.ExecutionMode = ExecutionMode.ORT_SEQUENTIAL;
            o.InterOpNumThreads = 1;
            o.EnableMemoryPattern = true;
            o.EnableCpuMemArena = true;
            o.EnableProfiling = false;
            r.LogSeverityLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING;
        }
    }

    // ---- Callbacks

    [Test("The log goes to a callback, as severe as it is to be, and an exception of it does not reach the library")]
    static void Log() {
        var lines = new ConcurrentQueue<string>();
        using (var options = new SessionOptions { LogSeverityLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE, Log =
                (severity, text) => lines.Enqueue(severity + " " + text) }) {
            Check.Equal(OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE, options.LogSeverityLevel);
            using (var session = new InferenceSession(Runner.Digits, options)) {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                SessionTests.Digit(session, SessionTests.One());
            }
            Check.True(lines.Any(line => line.StartsWith("ORT_LOGGING_LEVEL_VERBOSE") && line.Contains("CPU")),
                string.Join("\n", lines));
            int calls = 0;
            options.Log = (severity, text) => {
                ++calls;
                throw new InvalidOperationException("of the test");
            };
            System.IO.TextWriter error = Console.Error;
            var written = new System.IO.StringWriter();
            Console.SetError(written);
            try {
                using (var session = new InferenceSession(Runner.Digits, options))
                    Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
            } finally {
                Console.SetError(error);
            }
            Check.True(calls > 0);
            Check.Contains("InvalidOperationException: of the test", written.ToString());
        }
    }
    [Test("The log of a session with an id is on standard error, with the id before each line")]
    static void LogId() {
        System.IO.TextWriter error = Console.Error;
        var written = new System.IO.StringWriter();
        Console.SetError(written);
        try {
            using (var options = new SessionOptions { LogId = "größe", LogSeverityLevel =
                OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE })
            using (var session = new InferenceSession(Runner.Digits, options))
                SessionTests.Digit(session, SessionTests.One());
        } finally {
            Console.SetError(error);
        }
        string[] lines = written.ToString().Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
        Check.True(lines.Length > 0 && lines.All(line => line.StartsWith("größe: ")), written.ToString());
    }
    [Test("Progress is reported by stage, ends where the callback returns false, and carries what it throws")]
    static void Progress() {
        var stages = new HashSet<SessionStage>();
        using (var options = new SessionOptions { Progress =
            (stage, done, total) => { stages.Add(stage); return true; } })
        using (var session = new InferenceSession(Runner.Digits, options))
            SessionTests.Digit(session, SessionTests.One());
        Check.True(stages.SetEquals(new[] { SessionStage.Load, SessionStage.Passes, SessionStage.Partition,
            SessionStage.Plan, SessionStage.Pack }), string.Join(" ", stages));
        using (var options = new SessionOptions { Progress = (stage, done, total) =>
                stage != SessionStage.Partition }) {
            var e = Check.Fails(ErrorCode.Stopped, () => new InferenceSession(Runner.Model("fixed"), options));
            Check.Equal(null, e.InnerException);
            options.Progress = (stage, done, total) => { throw new InvalidOperationException("of the test"); };
            e = Check.Fails(ErrorCode.Stopped, () => new InferenceSession(Runner.Digits, options));
            Check.Equal("of the test", e.InnerException.Message);
            bool throws = false;
            options.Progress = (stage, done, total) => {
                if (throws) throw new InvalidOperationException("while it runs");
                return true;
            };
            using (var session = new InferenceSession(Runner.Model("two"), options)) {
                throws = true;
                var x = new DenseTensor<float>(new[] { 5, 4 });
                e = Check.Fails(ErrorCode.Stopped, () => session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", x),
                    NamedOnnxValue.CreateFromTensor("b", x) }));
                Check.Equal("while it runs", e.InnerException.Message);
            }
        }
    }
    [Test("Loading is cancelled by a flag, and works again without it")]
    static void LoadCancelled() {
        using (var options = new SessionOptions()) {
            options.SetLoadCancellationFlag(true);
            Check.Fails(ErrorCode.Stopped, () => new InferenceSession(Runner.Digits, options));
            options.SetLoadCancellationFlag(false);
            using (var session = new InferenceSession(Runner.Digits, options)) {
                options.SetLoadCancellationFlag(true);  // of loading alone
                Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
            }
        }
    }
    [Test("The environment is one, has the version, and refuses options once it is there")]
    static void Environment() {
        Check.True(ReferenceEquals(OrtEnv.Instance(), OrtEnv.Instance()) && OrtEnv.IsCreated);
        Check.Equal(typeof(OrtEnv).Assembly.GetName().Version.ToString(3), OrtEnv.Instance().GetVersionString());
        Check.Equal(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, OrtEnv.Instance().EnvLogLevel);
        Check.Fails(ErrorCode.InvalidArgument, () => {
            var options = new EnvironmentCreationOptions();
            OrtEnv.CreateInstanceWithOptions(ref options);
        });
    }
    [Test("The environment's options, created first in another process, have the log of all sessions without one")]
    static void CreatedEnvironment() {
        string program = typeof(OptionTests).Assembly.Location;
        var start = new ProcessStartInfo("mono", "--debug \"" + program + "\" environment \"" + Runner.Digits + "\"");
        start.UseShellExecute = false;
        using (Process process = Process.Start(start)) {
            process.WaitForExit();
            Check.Equal(0, process.ExitCode);
        }
    }
    internal static int InAnotherProcess(string model) {
        Check.True(!OrtEnv.IsCreated);
        var lines = new ConcurrentQueue<string>();
        var options = new EnvironmentCreationOptions {
            logId = "alle",
            logLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE,
            loggingParam = (IntPtr)7,
            loggingFunction = (param, severity, category, id, location, text) => lines.Enqueue(param + id + severity)
        };
        OrtEnv.CreateInstanceWithOptions(ref options);
        Check.Equal(OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE, OrtEnv.Instance().EnvLogLevel);
        using (var session = new InferenceSession(model)) SessionTests.Digit(session, SessionTests.One());
        Check.True(lines.Contains("7alleORT_LOGGING_LEVEL_VERBOSE"), string.Join(" ", lines));
        using (var own = new SessionOptions { LogId = "eine" })
        using (var session = new InferenceSession(model, own)) SessionTests.Digit(session, SessionTests.One());
        Check.True(lines.Contains("7eineORT_LOGGING_LEVEL_VERBOSE"), string.Join(" ", lines));
        return 0;
    }
    [Test("One object of options creates sessions in several threads")]
    static void SharedOptions() {
        using (var options = new SessionOptions { IntraOpNumThreads = 1 })
            Task.WaitAll(Enumerable.Range(0, 4).Select(k => Task.Run(() => {
                using (var session = new InferenceSession(Runner.Digits, options))
                    Check.Equal(1, SessionTests.Digit(session, SessionTests.One()));
            })).ToArray());
    }
}
