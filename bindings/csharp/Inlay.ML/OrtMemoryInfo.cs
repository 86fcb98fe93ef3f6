using System;

namespace Inlay.ML {
/// <summary>Names a memory space: the host's ("Cpu"), or that of a provider's device, as plans write it.</summary>
public sealed class OrtMemoryInfo : IDisposable {
    /// <summary>The name of the host's memory in ONNX Runtime.</summary>
    public const string allocatorCPU = "Cpu";

    /// <summary>The host's memory.</summary>
    public static OrtMemoryInfo DefaultInstance { get; } =
        new OrtMemoryInfo(allocatorCPU, OrtAllocatorType.DeviceAllocator, 0, OrtMemType.Default);

    /// <summary>As it was given: "Cpu".</summary>
    public string Name { get; private set; }
    /// <summary>The number of the device.</summary>
    public int Id { get; private set; }

    public OrtMemoryInfo(string allocatorName, OrtAllocatorType allocatorType, int deviceId, OrtMemType memoryType) {
        if (allocatorName == null) throw new ArgumentNullException(nameof(allocatorName));
        if (deviceId < 0) throw new ArgumentOutOfRangeException(nameof(deviceId));
        Name = allocatorName;
        Id = deviceId;
    }

    /// <summary>OrtMemType.Default: an allocator of the kind for the kind of memory has no other meaning
    /// here.</summary>
    public OrtMemType GetMemoryType() { return OrtMemType.Default; }
    /// <summary>There is one kind.</summary>
    public OrtAllocatorType GetAllocatorType() { return OrtAllocatorType.DeviceAllocator; }
    /// <summary>Has no native memory to free; it is here for programs that dispose it.</summary>
    public void Dispose() { }

    internal bool IsHost { get { return Space == "host"; } }
    // As the library spells it.
    internal string Space {
        get {
            string name = Name.ToLowerInvariant();
            if (name == "cpu" || name == "host") return "host";
            return Id == 0 ? name : name + ":" + Id;
        }
    }
    internal byte[] Argument { get { return IsHost ? null : Utf8.Argument(Space, "memInfo"); } }
}

/// <summary>Names the memory that values are allocated in.</summary>
public sealed class OrtAllocator : IDisposable {
    /// <summary>Allocates on the host.</summary>
    public static OrtAllocator DefaultInstance { get; } = new OrtAllocator(OrtMemoryInfo.DefaultInstance);

    /// <summary>Where it allocates.</summary>
    public OrtMemoryInfo Info { get; private set; }

    OrtAllocator(OrtMemoryInfo info) { Info = info; }
    /// <summary>The memory does not depend on the session, which is here for programs that pass it.</summary>
    public OrtAllocator(InferenceSession session, OrtMemoryInfo memInfo) {
        if (memInfo == null) throw new ArgumentNullException(nameof(memInfo));
        Info = memInfo;
    }
    /// <summary>Has no native memory to free; it is here for programs that dispose it.</summary>
    public void Dispose() { }
}
}
