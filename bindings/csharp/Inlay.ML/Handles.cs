// Native handles. Each is a SafeHandle: it is freed once, by Dispose() or by the garbage collector, and never while a
// call uses it. What a handle needs to stay alive (pinned arrays, items of containers, callbacks) it keeps by the
// reference counts of their SafeHandles, so that the order of finalizers does not matter.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Inlay.ML {
abstract class NativeHandle : SafeHandle {
    Dictionary<object, SafeHandle> kept;  // by what it is kept for: a name, an index

    protected NativeHandle() : base(IntPtr.Zero, true) { }
    public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    protected abstract void Free();

    // `other` lives at least as long as this, or until another takes its place. null: nothing takes it.
    internal void Keep(object place, SafeHandle other) {
        if (kept == null) kept = new Dictionary<object, SafeHandle>();
        bool added = false;
        if (other != null) other.DangerousAddRef(ref added);
        SafeHandle previous;
        kept.TryGetValue(place, out previous);
        kept[place] = other;
        if (previous != null) previous.DangerousRelease();
    }
    protected override bool ReleaseHandle() {
        Free();
        if (kept == null) return true;
        foreach (SafeHandle other in kept.Values)
            if (other != null) other.DangerousRelease();
        return true;
    }
}
sealed class OptionsHandle : NativeHandle {
    protected override void Free() { Native.inlay_options_free(handle); }
}
sealed class ProvidersHandle : NativeHandle {
    protected override void Free() { Native.inlay_providers_free(handle); }
}
sealed class ModelHandle : NativeHandle {
    protected override void Free() { Native.inlay_model_free(handle); }
}
sealed class SessionHandle : NativeHandle {
    internal Callbacks Callbacks;
    const long LeastBytes = 1 << 22;  // its threads, plans and memory of runs
    long pressure;
    internal void ReportSize(long modelBytes) {
        pressure = Math.Max(modelBytes, LeastBytes);
        MemoryPressure.Add(pressure);
    }
    protected override void Free() {
        Native.inlay_session_free(handle);
        if (pressure > 0) MemoryPressure.Remove(pressure);
    }
}
sealed class BindingHandle : NativeHandle {
    protected override void Free() { Native.inlay_binding_free(handle); }
}
sealed class CacheHandle : NativeHandle {
    protected override void Free() { Native.inlay_cache_free(handle); }
}
sealed class ValueHandle : NativeHandle {
    public ValueHandle() { }
    internal ValueHandle(IntPtr value) { SetHandle(value); }
    long pressure;
    internal void ReportSize() {
        long bytes = Native.inlay_value_bytes(this);
        if (bytes < MemoryPressure.LargeBytes) return;
        pressure = bytes;
        MemoryPressure.Add(bytes);
    }
    protected override void Free() {
        Native.inlay_value_free(handle);
        if (pressure > 0) MemoryPressure.Remove(pressure);
    }
}

// The collector sees small objects, and has to know of large native memory that it would free with them. Mono's does
// nothing about that, so that it is called here.
static class MemoryPressure {
    internal const long LargeBytes = 1 << 16;
    const long Step = 1 << 28;
    static readonly bool isMono = Type.GetType("Mono.Runtime") != null;
    static long held, limit = Step;  // the collector runs when more than the limit is held, at most once a step

    internal static void Add(long bytes) {
        GC.AddMemoryPressure(bytes);
        long now = Interlocked.Add(ref held, bytes);
        if (now < Volatile.Read(ref limit)) return;
        Volatile.Write(ref limit, now + Step);
        if (isMono) GC.Collect();
    }
    internal static void Remove(long bytes) {
        GC.RemoveMemoryPressure(bytes);
        long now = Interlocked.Add(ref held, -bytes);
        if (now + Step < Volatile.Read(ref limit)) Volatile.Write(ref limit, now + Step);
    }
}

// Managed memory that stays where it is until the last value that borrows it is freed.
sealed class PinnedMemory : SafeHandle {
    MemoryHandle memory;
    internal PinnedMemory(MemoryHandle memory) : base(IntPtr.Zero, true) {
        this.memory = memory;
        SetHandle((IntPtr)1);  // the address may be null, where there are no elements
    }
    public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    internal unsafe IntPtr Address { get { return (IntPtr)memory.Pointer; } }
    protected override bool ReleaseHandle() {
        memory.Dispose();
        return true;
    }
}

// The pointers of several handles, none of which is freed before Dispose().
struct HandleList : IDisposable {
    readonly SafeHandle[] handles;
    int count;
    internal readonly IntPtr[] Pointers;

    internal HandleList(SafeHandle[] handles) {
        this.handles = handles;
        Pointers = new IntPtr[handles.Length];
        count = 0;
        try {
            foreach (SafeHandle one in handles) {
                bool added = false;
                one.DangerousAddRef(ref added);
                Pointers[count++] = one.DangerousGetHandle();
            }
        } catch {
            Dispose();
            throw;
        }
    }
    public void Dispose() {
        while (count > 0) handles[--count].DangerousRelease();
    }
}
// The pointer of a handle that may be absent, for calls that allow NULL.
struct OptionalHandle : IDisposable {
    readonly SafeHandle handle;
    internal readonly IntPtr Pointer;

    internal OptionalHandle(SafeHandle handle) {
        this.handle = handle;
        Pointer = IntPtr.Zero;
        if (handle == null) return;
        bool added = false;
        handle.DangerousAddRef(ref added);
        Pointer = handle.DangerousGetHandle();
    }
    public void Dispose() {
        if (handle != null) handle.DangerousRelease();
    }
}
}
