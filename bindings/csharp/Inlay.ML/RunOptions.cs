using System;

namespace Inlay.ML {
/// <summary>How runs end early. One object may be used by several runs at once.</summary>
public class RunOptions : IDisposable {
    internal readonly OptionsHandle Handle;
    bool terminate;

    public RunOptions() { OnnxRuntimeException.Check(Native.inlay_run_options_new(out Handle)); }
    /// <summary>Frees the options; a second time does nothing. Runs that use them go on.</summary>
    public void Dispose() { Handle.Dispose(); }

    /// <summary>True ends the runs that have these options, from any thread, with ErrorCode.Stopped, until it is
    /// false.</summary>
    public bool Terminate {
        get { return terminate; }
        set {
            OnnxRuntimeException.Check(Native.inlay_options_set_cancelled(Handle, value ? 1 : 0));
            terminate = value;
        }
    }
    /// <summary>Runs end so long after this call, with ErrorCode.DeadlinePassed. Not while a run uses these
    /// options.</summary>
    public void SetDeadline(TimeSpan fromNow) {
        if (fromNow < TimeSpan.Zero) throw new ArgumentOutOfRangeException(nameof(fromNow));
        SetDeadline(fromNow.Ticks > long.MaxValue / 100 ? long.MaxValue : fromNow.Ticks * 100);
    }
    /// <summary>Runs may take as long as they do.</summary>
    public void ClearDeadline() { SetDeadline(-1); }
    void SetDeadline(long nanoseconds) {
        OnnxRuntimeException.Check(Native.inlay_options_set_deadline(Handle, nanoseconds));
    }

    /// <summary>Warnings, the default; runs log nothing, so that no other is supported.</summary>
    public OrtLoggingLevel LogSeverityLevel {
        get { return OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING; }
        set { Default(value, OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, nameof(LogSeverityLevel)); }
    }
    /// <summary>0, the default; runs log nothing, so that no other is supported.</summary>
    public int LogVerbosityLevel {
        get { return 0; }
        set { Default(value, 0, nameof(LogVerbosityLevel)); }
    }
    /// <summary>Empty, the default; runs log nothing, so that no other is supported.</summary>
    public string LogId {
        get { return ""; }
        set { Default(value, "", nameof(LogId)); }
    }
    static void Default<T>(T value, T expected, string name) {
        if (!Equals(value, expected)) throw Errors.NotSupported("RunOptions." + name, "runs log nothing");
    }
    /// <summary>Runs have no entries: NotSupportedException.</summary>
    public void AddRunConfigEntry(string configKey, string configValue) {
        throw Errors.NotSupported("the run configuration " + configKey, "Inlay has nothing that it stands for");
    }
}
}
