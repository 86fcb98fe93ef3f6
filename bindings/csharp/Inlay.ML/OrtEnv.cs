using System;
using System.Collections.Generic;
using System.Linq;

namespace Inlay.ML {
/// <summary>A line of the log. param, logId: as in EnvironmentCreationOptions; category and codeLocation are
/// empty.</summary>
public delegate void DOrtLoggingFunction(IntPtr param, OrtLoggingLevel severity, string category, string logId,
    string codeLocation, string message);

/// <summary>What OrtEnv.CreateInstanceWithOptions() takes.</summary>
public struct EnvironmentCreationOptions {
    /// <summary>Precedes each line of the log.</summary>
    public string logId;
    /// <summary>What is less severe is not logged; null: warnings and more.</summary>
    public OrtLoggingLevel? logLevel;
    /// <summary>There are no threads of all sessions together: other than null is refused.</summary>
    public object threadOptions;
    /// <summary>Passed to the function.</summary>
    public IntPtr? loggingParam;
    /// <summary>Gets the lines of sessions without a log of their own; null: standard error does.</summary>
    public DOrtLoggingFunction loggingFunction;
}

/// <summary>The library: its version, its providers, and the log of sessions that have none of their own.</summary>
public sealed class OrtEnv {
    static readonly object access = new object();
    static OrtEnv instance;
    readonly EnvironmentCreationOptions options;

    OrtEnv(EnvironmentCreationOptions options) {
        this.options = options;
        EnvLogLevel = options.logLevel ?? OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING;
    }
    /// <summary>The one instance, which is created by the first call.</summary>
    public static OrtEnv Instance() {
        lock (access) return instance ?? (instance = new OrtEnv(default(EnvironmentCreationOptions)));
    }
    /// <summary>Creates the instance with these options; an error where it is there already.</summary>
    public static OrtEnv CreateInstanceWithOptions(ref EnvironmentCreationOptions options) {
        if (options.threadOptions != null)
            throw Errors.NotSupported("threadOptions",
                "each session has threads of its own, SessionOptions.IntraOpNumThreads of them");
        lock (access) {
            if (instance != null)
                throw Errors.InvalidArgument("the environment is there already: its options come first");
            return instance = new OrtEnv(options);
        }
    }
    /// <summary>The instance was created.</summary>
    public static bool IsCreated {
        get { lock (access) return instance != null; }
    }

    /// <summary>The version of Inlay: "0.2.0".</summary>
    public string GetVersionString() { return Utf8.Read(Native.inlay_version()); }
    /// <summary>The names of the providers that the library was built with, the CPU's last, as in ONNX
    /// Runtime.</summary>
    public string[] GetAvailableProviders() {
        string[] names = GetProviders().Select(provider => provider.Name).ToArray();
        return names.Skip(1).Concat(names.Take(1)).ToArray();
    }
    /// <summary>The same with status, what each was checked on, and the defaults of options; the CPU's first.</summary>
    public IReadOnlyList<ExecutionProviderInfo> GetProviders() {
        ProvidersHandle list;
        OnnxRuntimeException.Check(Native.inlay_providers_built(out list));
        using (list) return ExecutionProviderInfo.ListOf(list);
    }
    /// <summary>Severity of the log of sessions that do not set one.</summary>
    public OrtLoggingLevel EnvLogLevel { get; set; }
    /// <summary>Does nothing: Inlay sends nothing to anywhere.</summary>
    public void DisableTelemetryEvents() { }
    /// <summary>There is no telemetry.</summary>
    public void EnableTelemetryEvents() {
        throw Errors.NotSupported("EnableTelemetryEvents()", "Inlay sends nothing to anywhere");
    }

    // The log of sessions without one; null: the library's own, standard error.
    internal Action<OrtLoggingLevel, string> LogFor(string logId) {
        DOrtLoggingFunction function = options.loggingFunction;
        string id = logId.Length > 0 ? logId : options.logId ?? "";
        if (function != null)
            return (severity, text) => function(options.loggingParam ?? IntPtr.Zero, severity, "", id, "", text);
        if (id.Length == 0) return null;
        return (severity, text) => Callbacks.ToStandardError(id + ": " + text);
    }
}

/// <summary>An execution provider and its options.</summary>
public sealed class ExecutionProviderInfo {
    /// <summary>ONNX Runtime's name: "CPUExecutionProvider".</summary>
    public string Name { get; private set; }
    /// <summary>"production", "preview", "deprecated" or "community".</summary>
    public string Status { get; private set; }
    /// <summary>"device", "simulator", "library" or "own stand-in"; empty where it says nothing of that, as plugins
    /// do.</summary>
    public string CheckedOn { get; private set; }
    /// <summary>All options with their values.</summary>
    public IReadOnlyDictionary<string, string> Options { get; private set; }

    ExecutionProviderInfo(ProvidersHandle list, long index) {
        Name = Utf8.Read(Native.inlay_providers_name(list, index));
        Status = Utf8.Read(Native.inlay_providers_status(list, index)) ?? "";
        CheckedOn = Utf8.Read(Native.inlay_providers_checked_on(list, index)) ?? "";
        var options = new Dictionary<string, string>();
        for (long k = 0; k < Native.inlay_providers_option_count(list, index); ++k)
            options[Utf8.Read(Native.inlay_providers_option_name(list, index, k))] =
                Utf8.Read(Native.inlay_providers_option_text(list, index, k));
        Options = options;
    }
    internal static IReadOnlyList<ExecutionProviderInfo> ListOf(ProvidersHandle list) {
        var providers = new List<ExecutionProviderInfo>();
        for (long k = 0; k < Native.inlay_providers_count(list); ++k) providers.Add(new ExecutionProviderInfo(list, k));
        return providers;
    }
}
}
