// Execution providers of a session, by ONNX Runtime's functions. With ProviderOptions.cs, the only source of the
// package that knows their names and options.
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Inlay.ML {
/// <summary>Flags of AppendExecutionProvider_Nnapi().</summary>
[Flags]
public enum NnapiFlags {
    NNAPI_FLAG_USE_NONE = 0,
    NNAPI_FLAG_USE_FP16 = 1,
    NNAPI_FLAG_USE_NCHW = 2,
    NNAPI_FLAG_CPU_DISABLED = 4,
    NNAPI_FLAG_CPU_ONLY = 8
}
/// <summary>Flags of AppendExecutionProvider_CoreML().</summary>
[Flags]
public enum CoreMLFlags : uint {
    COREML_FLAG_USE_NONE = 0,
    COREML_FLAG_USE_CPU_ONLY = 1,
    COREML_FLAG_ENABLE_ON_SUBGRAPH = 2,
    COREML_FLAG_ONLY_ENABLE_DEVICE_WITH_ANE = 4,
    COREML_FLAG_ONLY_ALLOW_STATIC_INPUT_SHAPES = 8,
    COREML_FLAG_CREATE_MLPROGRAM = 16,
    COREML_FLAG_USE_CPU_AND_GPU = 32
}

public partial class SessionOptions {
    sealed class Entry {
        internal string Name, PluginPath;
        internal IDictionary<string, string> Options;
    }
    readonly List<Entry> providers = new List<Entry>();

    static readonly Dictionary<string, string> none = new Dictionary<string, string>();
    static Dictionary<string, string> Option(string name, object value) {
        return new Dictionary<string, string> { { name, Convert.ToString(value, CultureInfo.InvariantCulture) } };
    }
    static string NameOf(string provider) {
        return provider.EndsWith("ExecutionProvider", StringComparison.Ordinal)
            ? provider.Substring(0, provider.Length - 17) : provider;
    }

    /// <summary>Appends a provider: a name of ONNX Runtime ("QNN", "QNNExecutionProvider") or of Inlay ("cpu"), and its
    /// options. A name or option that the library does not know is an error at once.</summary>
    public void AppendExecutionProvider(string providerName, IDictionary<string, string> providerOptions = null) {
        if (providerName == null) throw new ArgumentNullException(nameof(providerName));
        Append(new Entry { Name = providerName }, providerOptions);
    }
    /// <summary>Appends the provider of a shared library.</summary>
    public void AppendPlugin(string path, IDictionary<string, string> providerOptions = null) {
        if (path == null) throw new ArgumentNullException(nameof(path));
        Append(new Entry { PluginPath = path }, providerOptions);
    }
    void Append(Entry entry, IDictionary<string, string> options) {
        entry.Options = new SortedDictionary<string, string>(options ?? none, StringComparer.Ordinal);
        ProvidersHandle list;
        OnnxRuntimeException.Check(Native.inlay_providers_new(out list));
        using (list) Add(list, entry);
        providers.Add(entry);
    }
    /// <summary>The appended providers, with the options that were set.</summary>
    public IReadOnlyList<ExecutionProviderInfo> GetProviders() {
        using (ProvidersHandle list = ProviderList()) return ExecutionProviderInfo.ListOf(list);
    }
    /// <summary>Removes all providers, so that others can be appended.</summary>
    public void ClearProviders() { providers.Clear(); }

    static void Add(ProvidersHandle list, Entry entry) {
        if (entry.PluginPath != null)
            OnnxRuntimeException.Check(Native.inlay_providers_add_plugin(list,
                Utf8.Argument(entry.PluginPath, "path")));
        else
            AddByName(list, entry.Name);
        foreach (KeyValuePair<string, string> option in entry.Options)
            OnnxRuntimeException.Check(Native.inlay_providers_set(list, Utf8.Argument(option.Key, "option"),
                Utf8.Argument(option.Value, option.Key)));
    }
    // ONNX Runtime's short names ("Dnnl", "VitisAI") are its long ones without their last word.
    static void AddByName(ProvidersHandle list, string name) {
        IntPtr failure = Native.inlay_providers_add(list, Utf8.Argument(name, "providerName"));
        if (failure != IntPtr.Zero && Native.inlay_failure_code(failure) == (int)ErrorCode.UnknownProvider) {
            IntPtr second = Native.inlay_providers_add(list,
                Utf8.Argument(NameOf(name) + "ExecutionProvider", "providerName"));
            if (second == IntPtr.Zero) {
                Native.inlay_failure_free(failure);
                return;
            }
            Native.inlay_failure_free(second);
        }
        OnnxRuntimeException.Check(failure);
    }
    // For a session; its CPU flushes denormal numbers if that is set.
    internal ProvidersHandle ProviderList() {
        ProvidersHandle list;
        OnnxRuntimeException.Check(Native.inlay_providers_new(out list));
        try {
            bool hasCpu = false;
            foreach (Entry entry in providers) {
                Add(list, entry);
                if (entry.PluginPath != null || !IsCpu(entry.Name)) continue;
                hasCpu = true;
                FlushDenormals(list);
            }
            if (denormalsAsZero && !hasCpu) {
                AddByName(list, "CPUExecutionProvider");
                FlushDenormals(list);
            }
            return list;
        } catch {
            list.Dispose();
            throw;
        }
    }
    static bool IsCpu(string name) { return string.Equals(NameOf(name), "cpu", StringComparison.OrdinalIgnoreCase); }
    void FlushDenormals(ProvidersHandle list) {
        if (denormalsAsZero)
            OnnxRuntimeException.Check(Native.inlay_providers_set(list, Utf8.Argument("flush_denormals", "option"),
                Utf8.Argument("true", "option")));
    }

    // ---- By name

    /// <summary>The CPU, which a list needs only before others. useArena: 1, because memory of a run is always in one
    /// arena.</summary>
    public void AppendExecutionProvider_CPU(int useArena = 1) {
        Default(useArena, 1, "AppendExecutionProvider_CPU(useArena)", "memory of a run is always in one arena");
        AppendExecutionProvider("CPUExecutionProvider");
    }
    /// <summary>oneDNN.</summary>
    public void AppendExecutionProvider_Dnnl(int useArena = 1) {
        AppendExecutionProvider("DnnlExecutionProvider", Option("use_arena", useArena == 0 ? "false" : "true"));
    }
    /// <summary>CUDA, on this device.</summary>
    public void AppendExecutionProvider_CUDA(int deviceId = 0) {
        AppendExecutionProvider("CUDAExecutionProvider", Option("device_id", deviceId));
    }
    /// <summary>CUDA, with options by name.</summary>
    public void AppendExecutionProvider_CUDA(OrtCUDAProviderOptions cudaProviderOptions) {
        Append("CUDAExecutionProvider", cudaProviderOptions);
    }
    /// <summary>DirectML, on this adapter.</summary>
    public void AppendExecutionProvider_DML(int deviceId = 0) {
        AppendExecutionProvider("DmlExecutionProvider", Option("device_id", deviceId));
    }
    /// <summary>OpenVINO, on a device of this type: "CPU", "GPU"; empty: the default.</summary>
    public void AppendExecutionProvider_OpenVINO(string deviceId = "") {
        AppendExecutionProvider("OpenVINOExecutionProvider", deviceId.Length == 0 ? none
            : Option("device_type", deviceId));
    }
    /// <summary>TensorRT, on this device.</summary>
    public void AppendExecutionProvider_Tensorrt(int deviceId = 0) {
        AppendExecutionProvider("TensorrtExecutionProvider", Option("device_id", deviceId));
    }
    /// <summary>TensorRT, with options by name.</summary>
    public void AppendExecutionProvider_Tensorrt(OrtTensorRTProviderOptions trtProviderOptions) {
        Append("TensorrtExecutionProvider", trtProviderOptions);
    }
    /// <summary>ROCm, on this device.</summary>
    public void AppendExecutionProvider_ROCm(int deviceId = 0) {
        AppendExecutionProvider("ROCMExecutionProvider", Option("device_id", deviceId));
    }
    /// <summary>ROCm, with options by name.</summary>
    public void AppendExecutionProvider_ROCm(OrtROCMProviderOptions rocmProviderOptions) {
        Append("ROCMExecutionProvider", rocmProviderOptions);
    }
    /// <summary>MIGraphX, on this device.</summary>
    public void AppendExecutionProvider_MIGraphX(int deviceId = 0) {
        AppendExecutionProvider("MIGraphXExecutionProvider", Option("device_id", deviceId));
    }
    /// <summary>NNAPI.</summary>
    public void AppendExecutionProvider_Nnapi(NnapiFlags nnapiFlags = NnapiFlags.NNAPI_FLAG_USE_NONE) {
        var options = new Dictionary<string, string>();
        if (nnapiFlags.HasFlag(NnapiFlags.NNAPI_FLAG_USE_FP16)) options["use_fp16"] = "true";
        if (nnapiFlags.HasFlag(NnapiFlags.NNAPI_FLAG_USE_NCHW)) options["use_nchw"] = "true";
        if (nnapiFlags.HasFlag(NnapiFlags.NNAPI_FLAG_CPU_DISABLED)) options["cpu_disabled"] = "true";
        if (nnapiFlags.HasFlag(NnapiFlags.NNAPI_FLAG_CPU_ONLY)) options["cpu_only"] = "true";
        AppendExecutionProvider("NnapiExecutionProvider", options);
    }
    /// <summary>Core ML. A program is always written, for static shapes unless its options say otherwise.</summary>
    public void AppendExecutionProvider_CoreML(CoreMLFlags coremlFlags = CoreMLFlags.COREML_FLAG_USE_NONE) {
        var options = new Dictionary<string, string>();
        if (coremlFlags.HasFlag(CoreMLFlags.COREML_FLAG_USE_CPU_ONLY)) options["MLComputeUnits"] = "CPUOnly";
        if (coremlFlags.HasFlag(CoreMLFlags.COREML_FLAG_USE_CPU_AND_GPU)) options["MLComputeUnits"] = "CPUAndGPU";
        if (coremlFlags.HasFlag(CoreMLFlags.COREML_FLAG_ONLY_ENABLE_DEVICE_WITH_ANE))
            options["MLComputeUnits"] = "CPUAndNeuralEngine";
        if (coremlFlags.HasFlag(CoreMLFlags.COREML_FLAG_ONLY_ALLOW_STATIC_INPUT_SHAPES))
            options["RequireStaticInputShapes"] = "1";
        if (coremlFlags.HasFlag(CoreMLFlags.COREML_FLAG_ENABLE_ON_SUBGRAPH))
            throw Errors.NotSupported("COREML_FLAG_ENABLE_ON_SUBGRAPH", "bodies of control flow run on the CPU");
        AppendExecutionProvider("CoreMLExecutionProvider", options);
    }
    void Append(string name, ProviderOptionsByName options) {
        if (options == null) throw new ArgumentNullException(nameof(options));
        AppendExecutionProvider(name, options.Entries);
    }

    /// <summary>Options of a session with CUDA on this device.</summary>
    public static SessionOptions MakeSessionOptionWithCudaProvider(int deviceId = 0) {
        return With(options => options.AppendExecutionProvider_CUDA(deviceId));
    }
    /// <summary>Options of a session with CUDA.</summary>
    public static SessionOptions MakeSessionOptionWithCudaProvider(OrtCUDAProviderOptions cudaProviderOptions) {
        return With(options => options.AppendExecutionProvider_CUDA(cudaProviderOptions));
    }
    /// <summary>Options of a session with TensorRT on this device.</summary>
    public static SessionOptions MakeSessionOptionWithTensorrtProvider(int deviceId = 0) {
        return With(options => options.AppendExecutionProvider_Tensorrt(deviceId));
    }
    /// <summary>Options of a session with TensorRT.</summary>
    public static SessionOptions MakeSessionOptionWithTensorrtProvider(OrtTensorRTProviderOptions trtProviderOptions) {
        return With(options => options.AppendExecutionProvider_Tensorrt(trtProviderOptions));
    }
    /// <summary>Options of a session with ROCm on this device.</summary>
    public static SessionOptions MakeSessionOptionWithRocmProvider(int deviceId = 0) {
        return With(options => options.AppendExecutionProvider_ROCm(deviceId));
    }
    static SessionOptions With(Action<SessionOptions> append) {
        var options = new SessionOptions();
        try {
            append(options);
            return options;
        } catch {
            options.Dispose();
            throw;
        }
    }
}
}
