using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Inlay.ML.Tensors;

namespace Inlay.ML {
/// <summary>Inputs and outputs in memory that stays from run to run: runs allocate nothing, native or managed. One
/// thread at a time.</summary>
public class OrtIoBinding : IDisposable {
    sealed class Input {
        internal KeptValue Value;
        internal long[] Shape;  // null: the value is no tensor
        internal bool Fresh;    // since the last run
    }
    sealed class Output {
        internal string Name;
        internal KeptValue Memory;     // of the caller
        internal OrtMemoryInfo Place;  // of the binding, where there is no memory of the caller
        internal bool Copied;          // what a run cannot write into memory of the caller itself
    }
    // A value that lives as long as it is bound, also when the caller disposes it.
    sealed class KeptValue : SafeHandle {
        internal readonly ValueHandle Handle;
        internal KeptValue(OrtValue value) : base(IntPtr.Zero, true) {
            if (value == null) throw new ArgumentNullException(nameof(value));
            bool added = false;
            value.Handle.DangerousAddRef(ref added);
            Handle = value.Handle;
            SetHandle((IntPtr)1);  // a reference is held
        }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
        internal OrtValue Value { get { return new OrtValue(Handle); } }  // not to be disposed
        protected override bool ReleaseHandle() {
            Handle.DangerousRelease();
            return true;
        }
    }

    readonly InferenceSession session;
    readonly Dictionary<string, Input> inputs = new Dictionary<string, Input>();
    readonly List<Output> outputs = new List<Output>();
    BindingHandle binding;         // of the shapes of the inputs; null: none fits
    List<OrtValue> plainResults;   // of a run without a binding, where an input is no tensor
    int providerLists;
    bool outputsFresh, disposed;

    internal OrtIoBinding(InferenceSession session) { this.session = session; }
    /// <summary>Frees the memory of the binding; a second time does nothing.</summary>
    public void Dispose() {
        using (Use()) {
            disposed = true;
            Unbind();
            ClearInputs();
            ClearOutputs();
        }
    }

    // ---- One thread at a time

    struct InUse : IDisposable {
        readonly object access;
        internal InUse(object access) {
            this.access = access;
            if (!Monitor.TryEnter(access))
                throw Errors.InvalidArgument("another thread is using this binding; it does one thing at a time");
        }
        public void Dispose() { Monitor.Exit(access); }
    }
    InUse Use() { return new InUse(inputs); }
    InUse UseOpen() {
        InUse use = Use();
        if (!disposed) return use;
        use.Dispose();
        throw new ObjectDisposedException(nameof(OrtIoBinding));
    }

    // ---- What is bound

    /// <summary>Runs read this value's memory as it then is.</summary>
    public void BindInput(string name, OrtValue ortValue) {
        session.Input(name);
        using (UseOpen()) Bind(name, new KeptValue(ortValue));
    }
    /// <summary>Runs read this buffer.</summary>
    public void BindInput(string name, FixedBufferOnnxValue fixedValue) {
        if (fixedValue == null) throw new ArgumentNullException(nameof(fixedValue));
        BindInput(name, fixedValue.Value);
    }
    /// <summary>Runs read memory of the binding, which is zero first, and which GetInputValue() has, to be filled in
    /// place.</summary>
    public void BindInput(string name, long[] shape) {
        using (OrtValue memory = OrtValue.CreateAllocatedTensorValue(OrtAllocator.DefaultInstance,
            session.Input(name).ElementDataType, shape))
            BindInput(name, memory);
    }
    void Bind(string name, KeptValue value) {
        OrtValue view = value.Value;
        long[] shape = view.IsTensor ? view.GetTensorTypeAndShape().Shape : null;
        var input = new Input { Value = value, Shape = shape, Fresh = true };
        Input previous;
        inputs.TryGetValue(name, out previous);
        bool sameShape = previous != null && previous.Shape != null && input.Shape != null
            && previous.Shape.SequenceEqual(input.Shape);
        if (!sameShape) Unbind();  // a binding of the library is for one set of shapes
        inputs[name] = input;
        if (previous != null) previous.Value.Dispose();
    }
    /// <summary>Runs write this tensor's memory.</summary>
    public void BindOutput(string name, OrtValue ortValue) {
        session.Output(name);
        using (UseOpen()) Bind(new Output { Name = name, Memory = new KeptValue(ortValue) });
    }
    /// <summary>Runs write this buffer.</summary>
    public void BindOutput(string name, FixedBufferOnnxValue fixedValue) {
        if (fixedValue == null) throw new ArgumentNullException(nameof(fixedValue));
        BindOutput(name, fixedValue.Value);
    }
    /// <summary>Runs leave this output in memory of the binding, in this memory space.</summary>
    public void BindOutputToDevice(string name, OrtMemoryInfo memInfo) {
        if (memInfo == null) throw new ArgumentNullException(nameof(memInfo));
        session.Output(name);
        using (UseOpen()) Bind(new Output { Name = name, Place = memInfo });
    }
    void Bind(Output output) {
        int index = outputs.FindIndex(other => other.Name == output.Name);
        if (index < 0) {
            outputs.Add(output);
        } else {
            if (outputs[index].Memory != null) Unbind();  // which would write the previous memory
            if (outputs[index].Memory != null) outputs[index].Memory.Dispose();
            outputs[index] = output;
        }
        outputsFresh = true;
    }
    /// <summary>Nothing is bound to inputs.</summary>
    public void ClearBoundInputs() {
        using (UseOpen()) ClearInputs();
    }
    /// <summary>Nothing is bound to outputs.</summary>
    public void ClearBoundOutputs() {
        using (UseOpen()) ClearOutputs();
    }
    void ClearInputs() {
        Unbind();
        foreach (Input input in inputs.Values) input.Value.Dispose();
        inputs.Clear();
    }
    void ClearOutputs() {
        Unbind();
        foreach (Output output in outputs)
            if (output.Memory != null) output.Memory.Dispose();
        outputs.Clear();
    }
    void Unbind() {
        if (binding != null) binding.Dispose();
        binding = null;
        Forget();
        foreach (Input input in inputs.Values) input.Fresh = true;
        outputsFresh = true;
    }
    void Forget() {
        if (plainResults != null)
            foreach (OrtValue result in plainResults) result.Dispose();
        plainResults = null;
    }
    /// <summary>Returns at once: runs read what is there when they begin.</summary>
    public void SynchronizeBoundInputs() { using (UseOpen()) { } }
    /// <summary>Returns at once: a run has ended when its call returns.</summary>
    public void SynchronizeBoundOutputs() { using (UseOpen()) { } }

    // ---- Runs

    internal void Run(InferenceSession caller, RunOptions options) {
        if (caller != session) throw Errors.InvalidArgument("the binding is of another session");
        using (UseOpen()) {
            if (outputs.Count == 0)
                throw Errors.InvalidArgument("no output is bound; BindOutput() names what a run writes");
            Forget();
            if (HasTensorsAlone())
                RunBound(options);
            else
                RunPlainly(options);
        }
    }
    bool HasTensorsAlone() {
        foreach (KeyValuePair<string, Input> input in inputs)
            if (input.Value.Shape == null) return false;
        return true;
    }
    // Values that are no tensors have no place in a binding of the library.
    void RunPlainly(RunOptions options) {
        plainResults = session.Run(options, inputs.Keys.ToArray(),
            inputs.Values.Select(input => input.Value.Value).ToArray(),
            outputs.Select(output => output.Name).ToArray()).ToList();
        for (int k = 0; k < outputs.Count; ++k)
            if (outputs[k].Memory != null) outputs[k].Memory.Value.CopyFrom(plainResults[k]);
    }
    void RunBound(RunOptions options) {
        Prepare();
        try {
            using (var handle = new OptionalHandle(options == null ? null : options.Handle))
                session.Check(Native.inlay_binding_run(binding, handle.Pointer));
        } catch (OnnxRuntimeException e) {
            if (e.Code != ErrorCode.Stopped && e.Code != ErrorCode.DeadlinePassed)
                Unbind();  // where a provider failed, another may take over
            throw;
        }
        foreach (Output output in outputs)
            if (output.Copied)
                using (OrtValue result = ResultOf(output)) output.Memory.Value.CopyFrom(result);
    }
    // Brings the library's binding up to date with what is bound here.
    void Prepare() {
        if (binding != null && providerLists != session.ProviderLists) Unbind();
        if (binding == null) {
            providerLists = session.ProviderLists;
            binding = session.Bind(inputs.ToDictionary(input => input.Key, input => input.Value.Shape));
        }
        foreach (KeyValuePair<string, Input> input in inputs) {
            if (!input.Value.Fresh) continue;
            ValueHandle value = input.Value.Value.Handle;
            OnnxRuntimeException.Check(Native.inlay_binding_set_input(binding, Utf8.Argument(input.Key, "name"),
                value));
            binding.Keep("input " + input.Key, value);
            input.Value.Fresh = false;
        }
        if (!outputsFresh) return;
        foreach (Output output in outputs) BindMemory(output);
        outputsFresh = false;
    }
    void BindMemory(Output output) {
        byte[] name = Utf8.Argument(output.Name, "name");
        output.Copied = false;
        if (output.Memory == null) {
            if (output.Place != null && !output.Place.IsHost)
                OnnxRuntimeException.Check(Native.inlay_binding_set_output_memory(binding, name,
                    output.Place.Argument));
            return;
        }
        ValueHandle memory = output.Memory.Handle;
        try {
            OnnxRuntimeException.Check(Native.inlay_binding_set_output(binding, name, memory));
            binding.Keep("output " + output.Name, memory);
        } catch (OnnxRuntimeException e) {  // strings, and outputs of data-dependent shape, are written elsewhere first
            if (e.Code != ErrorCode.InvalidArgument) throw;
            output.Copied = true;
        }
    }
    BindingHandle Bound() {
        Prepare();
        return binding;
    }

    // ---- What is there

    /// <summary>The value that runs read for an input; a tensor may be filled in place.</summary>
    public OrtValue GetInputValue(string name) {
        session.Input(name);
        using (UseOpen()) {
            Input input;
            if (!inputs.TryGetValue(name, out input))
                throw Errors.NotFound("nothing is bound to the input `" + name + "`");
            return input.Value.Value.Share();
        }
    }
    /// <summary>The names of the bound outputs, in the order in which they were bound.</summary>
    public IReadOnlyList<string> GetOutputNames() {
        using (UseOpen()) return outputs.Select(output => output.Name).ToArray();
    }
    /// <summary>The outputs of the last run in their memory, which the next run writes again; in the order in which
    /// they were bound.</summary>
    public IDisposableReadOnlyCollection<OrtValue> GetOutputValues() {
        using (UseOpen()) {
            if (plainResults != null) {
                var results = new DisposableList<OrtValue>(plainResults);
                plainResults = null;
                return results;
            }
            return new DisposableList<OrtValue>(outputs.Select(ResultOf).ToArray());
        }
    }
    OrtValue ResultOf(Output output) {
        ValueHandle value;
        OnnxRuntimeException.Check(Native.inlay_binding_output(Bound(), Utf8.Argument(output.Name, "name"), out value));
        value.Keep("binding", binding);  // whose memory it is, or the caller's, which the binding keeps
        return new OrtValue(value);
    }
    /// <summary>How many nodes the provider of this name ran in the last run.</summary>
    public long GetExecutedNodes(string providerName) {
        using (UseOpen()) {
            long nodes;
            OnnxRuntimeException.Check(Native.inlay_binding_executed(Bound(),
                Utf8.Argument(providerName, nameof(providerName)), out nodes));
            return nodes;
        }
    }
    /// <summary>Runs with a clock between the steps: JSON of the schema inlay.profile.</summary>
    public string Profile(int runs, RunOptions options = null) {
        using (UseOpen()) using (var handle = new OptionalHandle(options == null ? null : options.Handle)) {
            IntPtr json;
            session.Check(Native.inlay_binding_profile(Bound(), runs, handle.Pointer, out json));
            return Utf8.Take(json);
        }
    }
}
}
