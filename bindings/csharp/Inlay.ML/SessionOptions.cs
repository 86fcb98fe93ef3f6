using System;
using System.Collections.Generic;
using System.Globalization;

namespace Inlay.ML {
/// <summary>How a model is loaded and a session created. What Inlay cannot do is a NotSupportedException.</summary>
public partial class SessionOptions : IDisposable {
    readonly OptionsHandle session, model;
    readonly Dictionary<string, string> settings = new Dictionary<string, string>();
    volatile bool loadCancelled;

    public SessionOptions() {
        OnnxRuntimeException.Check(Native.inlay_session_options_new(out session));
        OnnxRuntimeException.Check(Native.inlay_model_options_new(out model));
    }
    /// <summary>Frees the options; a second time does nothing. Sessions that were created with them go on.</summary>
    public void Dispose() {
        session.Dispose();
        model.Dispose();
    }

    static string TextOf(int number) { return number.ToString(CultureInfo.InvariantCulture); }
    void Set(OptionsHandle options, string name, string text) {
        OnnxRuntimeException.Check(Native.inlay_options_set(options, Utf8.Argument(name, nameof(name)),
            Utf8.Argument(text, nameof(text))));
        settings[name] = text;
    }
    string Get(string name, string initial) {
        string text;
        return settings.TryGetValue(name, out text) ? text : initial;
    }
    static void Default<T>(T value, T expected, string name, string reason) {
        if (!Equals(value, expected)) throw Errors.NotSupported("SessionOptions." + name + " = " + value, reason);
    }

    /// <summary>Threads of the CPU's provider, the caller included; 0: one per core.</summary>
    public int IntraOpNumThreads {
        get { return int.Parse(Get("intra_op_num_threads", "0"), CultureInfo.InvariantCulture); }
        set { Set(session, "intra_op_num_threads", TextOf(value)); }
    }
    /// <summary>0 or 1: steps run one after another, each on all threads of the session.</summary>
    public int InterOpNumThreads {
        get { return 0; }
        set { if (value != 1) Default(value, 0, nameof(InterOpNumThreads),
            "steps run one after another, each on all threads of the session"); }
    }
    /// <summary>Sequential: steps run one after another, each on all threads of the session.</summary>
    public ExecutionMode ExecutionMode {
        get { return ExecutionMode.ORT_SEQUENTIAL; }
        set { Default(value, ExecutionMode.ORT_SEQUENTIAL, nameof(ExecutionMode),
            "steps run one after another, each on all threads of the session"); }
    }
    GraphOptimizationLevel level = GraphOptimizationLevel.ORT_ENABLE_ALL;
    /// <summary>ORT_DISABLE_ALL runs the graph as the file has it; ORT_ENABLE_EXTENDED, _LAYOUT and _ALL rewrite
    /// it.</summary>
    public GraphOptimizationLevel GraphOptimizationLevel {
        get { return level; }
        set {
            if (value == GraphOptimizationLevel.ORT_ENABLE_BASIC)
                throw Errors.NotSupported("GraphOptimizationLevel.ORT_ENABLE_BASIC",
                    "passes are left out one by one, by Without()");
            Set(model, "optimize", value == GraphOptimizationLevel.ORT_DISABLE_ALL ? "false" : "true");
            level = value;
        }
    }
    /// <summary>True: memory of a run is always planned.</summary>
    public bool EnableMemoryPattern {
        get { return true; }
        set { Default(value, true, nameof(EnableMemoryPattern), "memory of a run is always planned"); }
    }
    /// <summary>True: memory of a run is always in one arena.</summary>
    public bool EnableCpuMemArena {
        get { return true; }
        set { Default(value, true, nameof(EnableCpuMemArena), "memory of a run is always in one arena"); }
    }
    /// <summary>False: OrtIoBinding.Profile() times the steps of runs.</summary>
    public bool EnableProfiling {
        get { return false; }
        set { Default(value, false, nameof(EnableProfiling), "OrtIoBinding.Profile() times the steps of runs"); }
    }
    /// <summary>No file is written, see EnableProfiling.</summary>
    public string ProfileOutputPathPrefix {
        get { return "onnxruntime_profile_"; }
        set { Default(value, "onnxruntime_profile_", nameof(ProfileOutputPathPrefix),
            "OrtIoBinding.Profile() times the steps of runs, and writes no file"); }
    }
    /// <summary>Empty: the library writes no models.</summary>
    public string OptimizedModelFilePath {
        get { return ""; }
        set { Default(value, "", nameof(OptimizedModelFilePath), "the library writes no models"); }
    }
    /// <summary>0: LogSeverityLevel alone says what is logged.</summary>
    public int LogVerbosityLevel {
        get { return 0; }
        set { Default(value, 0, nameof(LogVerbosityLevel), "LogSeverityLevel alone says what is logged"); }
    }
    string logId = "";
    /// <summary>Precedes each line of the session's log on standard error, and is passed to OrtEnv's
    /// function.</summary>
    public string LogId {
        get { return logId; }
        set { logId = value ?? ""; }
    }
    /// <summary>What is less severe is not logged; warnings and more by default.</summary>
    public OrtLoggingLevel LogSeverityLevel {
        get { return (OrtLoggingLevel)int.Parse(Get("log_severity_level", TextOf((int)OrtEnv.Instance().EnvLogLevel)),
            CultureInfo.InvariantCulture); }
        set { Set(session, "log_severity_level", TextOf((int)value)); }
    }

    // ---- Options of Inlay

    /// <summary>Gets the session's log, also from several threads at once; null: standard error.</summary>
    public Action<OrtLoggingLevel, string> Log { get; set; }
    /// <summary>Gets (stage, done, total) while a model is loaded and a session created; false ends it with
    /// ErrorCode.Stopped.</summary>
    public Func<SessionStage, long, long, bool> Progress { get; set; }
    /// <summary>"implicit_cpu" (the default), "never", "any", or "only:Op1,Op2": what happens to a node that the first
    /// provider refuses.</summary>
    public string Fallback {
        get { return Get("fallback", "implicit_cpu"); }
        set { Set(session, "fallback", value); }
    }
    /// <summary>"order" (the default) or "cost": how nodes are assigned.</summary>
    public string Partition {
        get { return Get("partition", "order"); }
        set { Set(session, "partition", value); }
    }
    /// <summary>"machine" (the default), or "portable": the same bits on every processor with AVX2, or Neon.</summary>
    public string Determinism {
        get { return Get("determinism", "machine"); }
        set { Set(session, "determinism", value); }
    }
    /// <summary>How many plans are kept, one for each set of input shapes.</summary>
    public int Plans {
        get { return int.Parse(Get("plans", "8"), CultureInfo.InvariantCulture); }
        set { Set(session, "plans", TextOf(value)); }
    }
    /// <summary>Only for plans, also of providers whose device is missing; a run is an error.</summary>
    public bool PlanOnly {
        get { return Get("plan_only", "false") == "true"; }
        set { Set(session, "plan_only", value ? "true" : "false"); }
    }
    /// <summary>Leaves out a pass over the graph.</summary>
    public void Without(string pass) { Set(model, "without", pass); }
    /// <summary>Sets an option of models of inlay.h: "folder", "limits.nodes".</summary>
    public void SetModelOption(string name, string text) { Set(model, name, text); }
    /// <summary>Sets an option of sessions of inlay.h: "contexts".</summary>
    public void SetSessionOption(string name, string text) { Set(session, name, text); }

    // ---- Further calls of ONNX Runtime

    /// <summary>Gives the inputs' open dimension of this name a size.</summary>
    public void AddFreeDimensionOverrideByName(string dimName, long dimValue) {
        Set(model, "dimension." + dimName, dimValue.ToString(CultureInfo.InvariantCulture));
    }
    /// <summary>Not supported: the library does not read denotations.</summary>
    public void AddFreeDimensionOverride(string dimDenotation, long dimValue) {
        throw Errors.NotSupported("AddFreeDimensionOverride()",
            "the library does not read denotations; AddFreeDimensionOverrideByName() takes names");
    }
    bool denormalsAsZero;
    /// <summary>ONNX Runtime's session.disable_cpu_ep_fallback and session.set_denormal_as_zero, 0 or 1; else a
    /// session option of inlay.h.</summary>
    public void AddSessionConfigEntry(string configKey, string configValue) {
        switch (configKey) {
            case "session.disable_cpu_ep_fallback":
                Fallback = Flag(configKey, configValue) ? "never" : "implicit_cpu";
                break;
            case "session.set_denormal_as_zero":
                denormalsAsZero = Flag(configKey, configValue);
                break;
            default:
                Set(session, configKey, configValue);
                break;
        }
        settings[configKey] = configValue;
    }
    static bool Flag(string key, string value) {
        if (value == "0" || value == "1") return value == "1";
        throw new OnnxRuntimeException(ErrorCode.InvalidOption, "invalid_option", "inlay: " + key + " is 0 or 1, not `"
            + value + "`");
    }
    /// <summary>True ends the loading of models and sessions with these options, from any thread, with
    /// ErrorCode.Stopped.</summary>
    public void SetLoadCancellationFlag(bool value) { loadCancelled = value; }
    /// <summary>Not supported: the library loads no custom operators.</summary>
    public void RegisterCustomOpLibrary(string libraryPath) {
        throw NoCustomOperators(nameof(RegisterCustomOpLibrary));
    }
    /// <summary>Not supported: the library loads no custom operators.</summary>
    public void RegisterOrtExtensions() { throw NoCustomOperators(nameof(RegisterOrtExtensions)); }
    static Exception NoCustomOperators(string name) {
        return Errors.NotSupported(name + "()", "the library loads no operators; AppendPlugin() loads a provider");
    }
    /// <summary>Not supported: initializers are those of the model.</summary>
    public void AddInitializer(string name, OrtValue ortValue) {
        throw Errors.NotSupported("AddInitializer()", "initializers are those of the model");
    }
    /// <summary>Not supported: each session has threads of its own.</summary>
    public void DisablePerSessionThreads() {
        throw Errors.NotSupported("DisablePerSessionThreads()", "each session has threads of its own");
    }

    // ---- For InferenceSession

    // Loads a model and creates a session of it: create(options of the model, list of providers, options of the
    // session).
    internal SessionHandle Create(Func<OptionsHandle, ProvidersHandle, OptionsHandle, SessionHandle> create) {
        Action<OrtLoggingLevel, string> log = Log ?? OrtEnv.Instance().LogFor(LogId);
        lock (settings) using (var token = new Callbacks.Token(Progress, log, () => loadCancelled)) {
            try {
                IntPtr data = token.DangerousGetHandle();
                byte[] severity = Utf8.Argument(TextOf((int)LogSeverityLevel), nameof(LogSeverityLevel));
                OnnxRuntimeException.Check(Native.inlay_options_set(session,
                    Utf8.Argument("log_severity_level", "name"), severity));
                OnnxRuntimeException.Check(Native.inlay_options_set_progress(model, Callbacks.OnProgress, data));
                OnnxRuntimeException.Check(Native.inlay_options_set_progress(session, Callbacks.OnProgress, data));
                OnnxRuntimeException.Check(Native.inlay_options_set_log(session, log == null ? null : Callbacks.OnLog,
                    data));
                using (ProvidersHandle list = ProviderList()) {
                    SessionHandle handle = create(model, list, session);
                    handle.Keep("callbacks", token);
                    handle.Callbacks = token.Callbacks;
                    return handle;
                }
            } catch (OnnxRuntimeException e) {
                token.Callbacks.Rethrow(e);
                throw;
            } finally {
                token.Callbacks.Loaded();
            }
        }
    }
}
}
