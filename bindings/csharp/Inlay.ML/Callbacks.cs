// Callbacks into managed code. The library gets one static function and a number each; the number finds the delegates
// as long as a session or a binding keeps them, and nothing afterwards, so that a late call is no crash. An exception
// does not cross into native code.
using System;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Threading;

namespace Inlay.ML {
sealed class Callbacks {
    static readonly ConcurrentDictionary<long, Callbacks> present = new ConcurrentDictionary<long, Callbacks>();
    static long count;
    // Fields, so that the code that the library calls is never collected.
    internal static readonly NativeProgress OnProgress = Progressed;
    internal static readonly NativeLog OnLog = Logged;

    readonly Func<SessionStage, long, long, bool> progress;
    readonly Action<OrtLoggingLevel, string> log;
    volatile Func<bool> cancelled;  // of the loading, until it ends
    volatile Exception thrown;      // by the progress callback, since the last error

    Callbacks(Func<SessionStage, long, long, bool> progress, Action<OrtLoggingLevel, string> log,
            Func<bool> cancelled) {
        this.progress = progress;
        this.log = log;
        this.cancelled = cancelled;
    }

    internal void Loaded() { cancelled = null; }
    // Throws the library's error with the exception of a callback that caused it, if there is one.
    internal void Rethrow(OnnxRuntimeException error) {
        Exception cause = thrown;
        thrown = null;
        if (cause != null && error.Code == ErrorCode.Stopped) throw error.Because(cause);
    }

    // While it is alive, the library's calls arrive.
    internal sealed class Token : SafeHandle {
        internal readonly Callbacks Callbacks;
        internal Token(Func<SessionStage, long, long, bool> progress, Action<OrtLoggingLevel, string> log,
            Func<bool> cancelled)
            : base(IntPtr.Zero, true) {
            Callbacks = new Callbacks(progress, log, cancelled);
            long number = Interlocked.Increment(ref count);
            present[number] = Callbacks;
            SetHandle((IntPtr)number);
        }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
        protected override bool ReleaseHandle() {
            Callbacks removed;
            return present.TryRemove((long)handle, out removed);
        }
    }

    static int Progressed(IntPtr data, int stage, long done, long total) {
        Callbacks callbacks;
        if (!present.TryGetValue((long)data, out callbacks)) return 1;
        try {
            Func<bool> cancelled = callbacks.cancelled;
            if (cancelled != null && cancelled()) return 0;
            return callbacks.progress == null || callbacks.progress((SessionStage)stage, done, total) ? 1 : 0;
        } catch (Exception e) {
            callbacks.thrown = e;
            return 0;
        }
    }
    static void Logged(IntPtr data, int severity, IntPtr text) {
        Callbacks callbacks;
        if (!present.TryGetValue((long)data, out callbacks)) return;
        try {
            callbacks.log((OrtLoggingLevel)severity, Utf8.Read(text));
        } catch (Exception e) {
            ToStandardError("inlay: the log callback threw " + e.GetType().Name + ": " + e.Message);
        }
    }
    internal static void ToStandardError(string line) {
        try {
            Console.Error.WriteLine(line);
        } catch (Exception) {
            // Standard error is closed, and there is no other place to report that.
        }
    }
}
}
