using System;
using System.Collections.Generic;
using System.Linq;

namespace Inlay.ML {
/// <summary>Options of a provider by name, which are checked when it is appended.</summary>
public abstract class ProviderOptionsByName : IDisposable {
    internal readonly Dictionary<string, string> Entries = new Dictionary<string, string>();
    internal ProviderOptionsByName() { }
    /// <summary>Sets these, and leaves the others.</summary>
    public void UpdateOptions(Dictionary<string, string> providerOptions) {
        if (providerOptions == null) throw new ArgumentNullException(nameof(providerOptions));
        foreach (KeyValuePair<string, string> option in providerOptions) Entries[option.Key] = option.Value;
    }
    /// <summary>The options that were set: "name=value;name=value".</summary>
    public string GetOptions() {
        return string.Join(";", Entries.OrderBy(o => o.Key, StringComparer.Ordinal).Select(o => o.Key + "=" + o.Value));
    }
    /// <summary>Has no native memory to free; it is here for programs that dispose it.</summary>
    public void Dispose() { }
}
/// <summary>Options of CUDA.</summary>
public class OrtCUDAProviderOptions : ProviderOptionsByName { }
/// <summary>Options of TensorRT.</summary>
public class OrtTensorRTProviderOptions : ProviderOptionsByName { }
/// <summary>Options of ROCm.</summary>
public class OrtROCMProviderOptions : ProviderOptionsByName { }
}
