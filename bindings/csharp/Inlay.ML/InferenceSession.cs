using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace Inlay.ML {
/// <summary>A model that is ready to run. Any thread may run it, also several at once.</summary>
public partial class InferenceSession : IDisposable {
    readonly SessionHandle handle;
    volatile bool disposed;  // while bindings may still use the handle
    readonly Dictionary<string, NodeMetadata> inputs = new Dictionary<string, NodeMetadata>();
    readonly Dictionary<string, NodeMetadata> outputs = new Dictionary<string, NodeMetadata>();
    readonly List<string> inputNames = new List<string>(), outputNames = new List<string>();
    ModelMetadata metadata;
    int providerLists;  // how often SetProviders() was called

    /// <summary>Of a file, on the CPU.</summary>
    public InferenceSession(string modelPath) : this(modelPath, null) { }
    /// <summary>Of a file. The weights stay in it: it may be replaced meanwhile, but not written into.</summary>
    public InferenceSession(string modelPath, SessionOptions options) {
        byte[] path = Utf8.Argument(modelPath, nameof(modelPath));
        handle = Create(options,
            (OptionsHandle o, out ModelHandle model) => Native.inlay_model_load(path, o, out model));
        handle.ReportSize(new FileInfo(modelPath).Length);
    }
    /// <summary>Of a file's bytes, on the CPU.</summary>
    public InferenceSession(byte[] model) : this(model, null) { }
    /// <summary>Of a file's bytes, which are copied.</summary>
    public InferenceSession(byte[] model, SessionOptions options) {
        if (model == null) throw new ArgumentNullException(nameof(model));
        handle = Create(options,
            (OptionsHandle o, out ModelHandle loaded) => Native.inlay_model_parse(model, model.Length, o, out loaded));
        handle.ReportSize(model.Length);
    }
    /// <summary>Frees the session when its runs have ended; a second time does nothing. Results and bindings
    /// stay.</summary>
    public void Dispose() {
        Dispose(true);
        GC.SuppressFinalize(this);
    }
    /// <summary>For derived classes.</summary>
    protected virtual void Dispose(bool disposing) {
        disposed = true;
        if (disposing) handle.Dispose();
    }
    SessionHandle Handle {
        get {
            RequireOpen();
            return handle;
        }
    }
    void RequireOpen() {
        if (disposed) throw new ObjectDisposedException(nameof(InferenceSession));
    }

    delegate IntPtr Loader(OptionsHandle options, out ModelHandle model);
    SessionHandle Create(SessionOptions options, Loader load) {
        if (options != null)
            return options.Create((modelOptions, providers, sessionOptions) =>
                Create(load, modelOptions, providers, sessionOptions));
        using (var defaults = new SessionOptions()) return Create(defaults, load);
    }
    SessionHandle Create(Loader load, OptionsHandle modelOptions, ProvidersHandle providers,
            OptionsHandle sessionOptions) {
        ModelHandle model;
        OnnxRuntimeException.Check(load(modelOptions, out model));
        using (model) {
            SessionHandle session;
            OnnxRuntimeException.Check(Native.inlay_session_new(model, providers, sessionOptions, out session));
            long inputCount = Native.inlay_model_input_count(model);
            long outputCount = Native.inlay_model_output_count(model);
            ReadPorts(inputs, inputNames, inputCount, k => Native.inlay_model_input(model, k));
            ReadPorts(outputs, outputNames, outputCount, k => Native.inlay_model_output(model, k));
            metadata = new ModelMetadata(model);
            return session;
        }
    }
    static void ReadPorts(Dictionary<string, NodeMetadata> ports, List<string> names, long count,
            Func<long, IntPtr> port) {
        for (long k = 0; k < count; ++k) {
            names.Add(Utf8.Read(Native.inlay_port_name(port(k))));
            ports.Add(names[names.Count - 1], new NodeMetadata(port(k)));
        }
    }

    /// <summary>Types of the inputs by name.</summary>
    public IReadOnlyDictionary<string, NodeMetadata> InputMetadata { get { return inputs; } }
    /// <summary>Types of the outputs by name.</summary>
    public IReadOnlyDictionary<string, NodeMetadata> OutputMetadata { get { return outputs; } }
    /// <summary>Empty: an initializer is a constant, also one that the file lists among the inputs.</summary>
    public IReadOnlyDictionary<string, NodeMetadata> OverridableInitializerMetadata {
        get { return new Dictionary<string, NodeMetadata>(); }
    }
    /// <summary>Names of the inputs, in the model's order.</summary>
    public IReadOnlyList<string> InputNames { get { return inputNames; } }
    /// <summary>Names of the outputs, in the model's order.</summary>
    public IReadOnlyList<string> OutputNames { get { return outputNames; } }
    /// <summary>What the model's file has about itself.</summary>
    public ModelMetadata ModelMetadata { get { return metadata; } }
    /// <summary>Not supported: OrtIoBinding.Profile() times the steps of runs.</summary>
    public string EndProfiling() {
        throw Errors.NotSupported("EndProfiling()", "OrtIoBinding.Profile() times the steps of runs");
    }
    /// <summary>Not supported: OrtIoBinding.Profile() times the steps of runs.</summary>
    public ulong ProfilingStartTimeNs {
        get { throw Errors.NotSupported("ProfilingStartTimeNs", "OrtIoBinding.Profile() times the steps of runs"); }
    }

    // ---- Of Inlay

    /// <summary>The providers in use, an appended CPU included, each with all of its options.</summary>
    public IReadOnlyList<ExecutionProviderInfo> GetProviders() {
        ProvidersHandle list;
        OnnxRuntimeException.Check(Native.inlay_session_providers(Handle, out list));
        using (list) return ExecutionProviderInfo.ListOf(list);
    }
    /// <summary>Creates the session again from the loaded model, with the providers of these options. Runs that have
    /// begun go on with the previous one.</summary>
    public void SetProviders(SessionOptions options) {
        if (options == null) throw new ArgumentNullException(nameof(options));
        using (ProvidersHandle list = options.ProviderList()) Check(Native.inlay_session_set_providers(Handle, list));
        Interlocked.Increment(ref providerLists);
    }
    /// <summary>Which node runs where, and why not elsewhere: JSON of the schema inlay.plan. For input shapes by name;
    /// null: those of the last run, else the model's own.</summary>
    public string Plan(IReadOnlyDictionary<string, long[]> shapes = null) {
        using (var named = new ShapeList(shapes)) {
            IntPtr json;
            Check(Native.inlay_session_plan(Handle, named.Names, named.Ranks, named.Dimensions, named.Count, out json));
            return Utf8.Take(json);
        }
    }
    /// <summary>Where each value lives and how long: JSON of the schema inlay.memory. Shapes as for Plan().</summary>
    public string Memory(IReadOnlyDictionary<string, long[]> shapes = null) {
        using (var named = new ShapeList(shapes)) {
            IntPtr json;
            Check(Native.inlay_session_memory(Handle, named.Names, named.Ranks, named.Dimensions, named.Count,
                out json));
            return Utf8.Take(json);
        }
    }
    /// <summary>Releases the memory that finished runs left for later ones.</summary>
    public void ReleaseMemory() { Check(Native.inlay_session_release_memory(Handle)); }
    /// <summary>For a decoder: memory for so many rows of every input that the model returns with more rows.</summary>
    public DecoderCache MakeCache(long rows) {
        CacheHandle cache;
        Check(Native.inlay_session_make_cache(Handle, rows, out cache));
        cache.Keep("session", handle);  // whose callbacks it may call
        return new DecoderCache(cache);
    }
    internal BindingHandle Bind(IReadOnlyDictionary<string, long[]> shapes) {
        using (var named = new ShapeList(shapes)) {
            BindingHandle binding;
            Check(Native.inlay_session_bind(Handle, named.Names, named.Ranks, named.Dimensions, named.Count,
                out binding));
            binding.Keep("session", handle);
            return binding;
        }
    }
    internal int ProviderLists { get { return Volatile.Read(ref providerLists); } }
    internal NodeMetadata Input(string name) { return Find(inputs, name, "input"); }
    internal NodeMetadata Output(string name) { return Find(outputs, name, "output"); }
    static NodeMetadata Find(Dictionary<string, NodeMetadata> ports, string name, string kind) {
        if (name == null) throw new ArgumentNullException(nameof(name));
        NodeMetadata port;
        if (ports.TryGetValue(name, out port)) return port;
        throw Errors.NotFound("the model has no " + kind + " `" + name + "`; it has: " + string.Join(", ", ports.Keys));
    }
    // Throws the library's error, with the exception of a callback that caused it.
    internal void Check(IntPtr failure) {
        try {
            OnnxRuntimeException.Check(failure);
        } catch (OnnxRuntimeException e) {
            handle.Callbacks.Rethrow(e);
            throw;
        }
    }

    // Names, ranks and dimensions as the library takes them.
    struct ShapeList : IDisposable {
        NameList names;
        internal readonly int[] Ranks;
        internal readonly long[] Dimensions;
        internal IntPtr[] Names { get { return names.Pointers; } }
        internal long Count { get { return Ranks.Length; } }

        internal ShapeList(IReadOnlyDictionary<string, long[]> shapes) {
            var entries = shapes == null ? new KeyValuePair<string, long[]>[0] : shapes.ToArray();
            Ranks = entries.Select(entry => entry.Value.Length).ToArray();
            Dimensions = entries.SelectMany(entry => entry.Value).ToArray();
            names = new NameList(entries.Select(entry => entry.Key).ToArray(), "shapes");
        }
        public void Dispose() { names.Dispose(); }
    }
}

/// <summary>The keys and values of a decoder, which stay in place from run to run.</summary>
public sealed class DecoderCache : IDisposable {
    internal readonly CacheHandle Handle;
    internal DecoderCache(CacheHandle handle) { Handle = handle; }
    /// <summary>Frees the memory; a second time does nothing.</summary>
    public void Dispose() { Handle.Dispose(); }

    /// <summary>Rows that are held.</summary>
    public long Rows { get { return Native.inlay_cache_rows(Handle); } }
    /// <summary>Rows at most.</summary>
    public long Capacity { get { return Native.inlay_cache_room(Handle); } }
    /// <summary>Keeps the first rows, and forgets the others.</summary>
    public void Keep(long rows) { OnnxRuntimeException.Check(Native.inlay_cache_keep(Handle, rows)); }
    /// <summary>A copy of the rows held for an input.</summary>
    public OrtValue Past(string input) {
        ValueHandle value;
        OnnxRuntimeException.Check(Native.inlay_cache_past(Handle, Utf8.Argument(input, nameof(input)), out value));
        return new OrtValue(value);
    }
    /// <summary>JSON: which output follows which input, and whether the last run left old rows in place.</summary>
    public string Pairs() {
        IntPtr json;
        OnnxRuntimeException.Check(Native.inlay_cache_pairs(Handle, out json));
        return Utf8.Take(json);
    }
}
}
