using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Inlay.ML {
public partial class InferenceSession {
    // ---- Over native values

    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<OrtValue> Run(RunOptions runOptions, IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<OrtValue> inputValues, IReadOnlyCollection<string> outputNames) {
        return Run(runOptions, inputNames.ToArray(), inputValues.ToArray(), outputNames.ToArray(), null);
    }
    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<OrtValue> Run(RunOptions runOptions,
            IReadOnlyDictionary<string, OrtValue> inputs, IReadOnlyCollection<string> outputNames) {
        return Run(runOptions, inputs.Keys.ToArray(), inputs.Values.ToArray(), outputNames.ToArray(), null);
    }
    /// <summary>Runs the model and copies the results into these tensors, of the same types and shapes.</summary>
    public void Run(RunOptions runOptions, IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<OrtValue> inputValues, IReadOnlyCollection<string> outputNames,
            IReadOnlyCollection<OrtValue> outputValues) {
        RequireSameCount(outputNames.Count, outputValues.Count, "outputs");
        using (IDisposableReadOnlyCollection<OrtValue> results =
                Run(runOptions, inputNames, inputValues, outputNames)) {
            int k = 0;
            foreach (OrtValue target in outputValues) target.CopyFrom(results[k++]);
        }
    }
    /// <summary>Runs the model on another thread; the task has the given outputValues, which got the results.</summary>
    public Task<IReadOnlyCollection<OrtValue>> RunAsync(RunOptions options, IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<OrtValue> inputValues, IReadOnlyCollection<string> outputNames,
            IReadOnlyCollection<OrtValue> outputValues) {
        return Task.Run(() => {
            Run(options, inputNames, inputValues, outputNames, outputValues);
            return outputValues;
        });
    }
    /// <summary>Runs a decoder: inputs and outputs that the cache holds are neither passed nor returned. null: all
    /// other outputs.</summary>
    public IDisposableReadOnlyCollection<OrtValue> RunWithCache(RunOptions runOptions,
            IReadOnlyDictionary<string, OrtValue> inputs, IReadOnlyCollection<string> outputNames, DecoderCache cache) {
        if (cache == null) throw new ArgumentNullException(nameof(cache));
        return Run(runOptions, inputs.Keys.ToArray(), inputs.Values.ToArray(), outputNames.ToArray(), cache);
    }

    DisposableList<OrtValue> Run(RunOptions runOptions, string[] names, OrtValue[] values, string[] outputNames,
            DecoderCache cache) {
        RequireSameCount(names.Length, values.Length, "inputs");
        foreach (OrtValue value in values)
            if (value == null) throw new ArgumentException("inlay: the value of an input is null");
        var results = new IntPtr[outputNames.Length];
        using (var inputs = new NameList(names, "inputNames"))
        using (var handles = new HandleList(Array.ConvertAll(values, value => value.Handle)))
        using (var outputs = new NameList(outputNames, "outputNames"))
        using (var cacheHandle = new OptionalHandle(cache == null ? null : cache.Handle))
        using (var options = new OptionalHandle(runOptions == null ? null : runOptions.Handle))
            Check(Native.inlay_session_run(Handle, inputs.Pointers, handles.Pointers, names.Length, outputs.Pointers,
                results, results.Length, cacheHandle.Pointer, options.Pointer));
        return new DisposableList<OrtValue>(Array.ConvertAll(results, result =>
            OrtValue.Owning(new ValueHandle(result))));
    }
    static void RequireSameCount(int names, int values, string kind) {
        if (names != values)
            throw new ArgumentException("inlay: there are " + names + " names and " + values + " values of " + kind);
    }

    // ---- Over objects of C#

    /// <summary>Runs the model for all outputs.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<NamedOnnxValue> inputs) {
        return Run(inputs, outputNames);
    }
    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<NamedOnnxValue> inputs,
            IReadOnlyCollection<string> outputNames) {
        return Run(inputs, outputNames, (RunOptions)null);
    }
    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<NamedOnnxValue> inputs,
            IReadOnlyCollection<string> outputNames, RunOptions options) {
        using (var values = new DisposableList<NativeValue>(inputs.Select(ToNative)))
            return Named(outputNames, Run(options, inputs.Select(input => input.Name).ToArray(),
                values.ConvertAll(input => input.Value), outputNames));
    }
    /// <summary>Runs the model and copies the results into these tensors.</summary>
    public void Run(IReadOnlyCollection<NamedOnnxValue> inputs, IReadOnlyCollection<NamedOnnxValue> outputs) {
        Run(inputs, outputs, null);
    }
    /// <summary>Runs the model and copies the results into these tensors.</summary>
    public void Run(IReadOnlyCollection<NamedOnnxValue> inputs, IReadOnlyCollection<NamedOnnxValue> outputs,
            RunOptions options) {
        using (var values = new DisposableList<NativeValue>(inputs.Select(ToNative)))
        using (IDisposableReadOnlyCollection<OrtValue> results =
            Run(options, inputs.Select(input => input.Name).ToArray(), values.ConvertAll(input => input.Value),
            outputs.Select(output => output.Name).ToArray()))
            CopyInto(outputs, results);
    }
    static void CopyInto(IReadOnlyCollection<NamedOnnxValue> outputs, IDisposableReadOnlyCollection<OrtValue> results) {
        int k = 0;
        foreach (NamedOnnxValue output in outputs) {
            var target = output.Value as Tensors.TensorBase;
            if (target == null)
                throw Errors.TypeMismatch("the output `" + output.Name
                    + "` is no tensor; only tensors are copied into");
            target.CopyFrom(results[k++]);
        }
    }
    // An optional input may be given what it holds.
    NativeValue ToNative(NamedOnnxValue input) {
        bool optional = Input(input.Name).OnnxValueType == OnnxValueType.ONNX_TYPE_OPTIONAL;
        if (!optional || input.ValueType == OnnxValueType.ONNX_TYPE_OPTIONAL) return input.ToNative();
        using (NativeValue item = input.ToNative()) return NativeValue.Created(OrtValue.CreateOptional(item.Value));
    }
    static IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Named(IEnumerable<string> names,
            IEnumerable<OrtValue> values) {
        return new DisposableList<DisposableNamedOnnxValue>(names.Zip(values, (name, value) =>
            new DisposableNamedOnnxValue(name, value)));
    }

    // ---- Over memory that stays the same

    /// <summary>Runs the model for all outputs.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<FixedBufferOnnxValue> inputValues) {
        return Run(inputNames, inputValues, outputNames);
    }
    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<FixedBufferOnnxValue> inputValues, IReadOnlyCollection<string> outputNames) {
        return Run(inputNames, inputValues, outputNames, (RunOptions)null);
    }
    /// <summary>Runs the model.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> Run(IReadOnlyCollection<string> inputNames,
            IReadOnlyCollection<FixedBufferOnnxValue> inputValues, IReadOnlyCollection<string> outputNames,
            RunOptions options) {
        return Named(outputNames, Run(options, inputNames, ValuesOf(inputValues), outputNames));
    }
    /// <summary>Runs the model and copies the results into these buffers.</summary>
    public void Run(IReadOnlyCollection<string> inputNames, IReadOnlyCollection<FixedBufferOnnxValue> inputValues,
            IReadOnlyCollection<string> outputNames, IReadOnlyCollection<FixedBufferOnnxValue> outputValues) {
        Run(inputNames, inputValues, outputNames, outputValues, null);
    }
    /// <summary>Runs the model and copies the results into these buffers.</summary>
    public void Run(IReadOnlyCollection<string> inputNames, IReadOnlyCollection<FixedBufferOnnxValue> inputValues,
            IReadOnlyCollection<string> outputNames, IReadOnlyCollection<FixedBufferOnnxValue> outputValues,
            RunOptions options) {
        Run(options, inputNames, ValuesOf(inputValues), outputNames, ValuesOf(outputValues));
    }
    /// <summary>Runs the model and copies the results into these buffers.</summary>
    public void Run(IReadOnlyCollection<NamedOnnxValue> inputs, IReadOnlyCollection<string> outputNames,
            IReadOnlyCollection<FixedBufferOnnxValue> outputValues) {
        Run(inputs, outputNames, outputValues, null);
    }
    /// <summary>Runs the model and copies the results into these buffers.</summary>
    public void Run(IReadOnlyCollection<NamedOnnxValue> inputs, IReadOnlyCollection<string> outputNames,
            IReadOnlyCollection<FixedBufferOnnxValue> outputValues, RunOptions options) {
        using (var values = new DisposableList<NativeValue>(inputs.Select(ToNative)))
            Run(options, inputs.Select(input => input.Name).ToArray(), values.ConvertAll(input => input.Value),
                outputNames, ValuesOf(outputValues));
    }
    /// <summary>Runs the model and copies the results into these tensors.</summary>
    public void Run(IReadOnlyCollection<string> inputNames, IReadOnlyCollection<FixedBufferOnnxValue> inputValues,
            IReadOnlyCollection<NamedOnnxValue> outputs) {
        Run(inputNames, inputValues, outputs, null);
    }
    /// <summary>Runs the model and copies the results into these tensors.</summary>
    public void Run(IReadOnlyCollection<string> inputNames, IReadOnlyCollection<FixedBufferOnnxValue> inputValues,
            IReadOnlyCollection<NamedOnnxValue> outputs, RunOptions options) {
        using (IDisposableReadOnlyCollection<OrtValue> results =
            Run(options, inputNames, ValuesOf(inputValues), outputs.Select(output => output.Name).ToArray()))
            CopyInto(outputs, results);
    }
    static OrtValue[] ValuesOf(IEnumerable<FixedBufferOnnxValue> buffers) {
        return buffers.Select(buffer => buffer.Value).ToArray();
    }

    // ---- Over a binding

    /// <summary>A binding: memory of inputs and outputs that the caller chooses.</summary>
    public OrtIoBinding CreateIoBinding() { return new OrtIoBinding(this); }
    /// <summary>Runs the model over the memory of a binding.</summary>
    public void RunWithBinding(RunOptions runOptions, OrtIoBinding ioBinding) {
        if (ioBinding == null) throw new ArgumentNullException(nameof(ioBinding));
        RequireOpen();
        ioBinding.Run(this, runOptions);
    }
    /// <summary>Runs the model over the memory of a binding; names replace those of the bound outputs in the
    /// results.</summary>
    public IDisposableReadOnlyCollection<DisposableNamedOnnxValue> RunWithBindingAndNames(RunOptions runOptions,
            OrtIoBinding ioBinding, string[] names = null) {
        RunWithBinding(runOptions, ioBinding);
        IReadOnlyList<string> bound = ioBinding.GetOutputNames();
        if (names != null) RequireSameCount(names.Length, bound.Count, "outputs");
        return Named(names ?? bound, ioBinding.GetOutputValues());
    }
    /// <summary>Runs the model over the memory of a binding.</summary>
    public IDisposableReadOnlyCollection<OrtValue> RunWithBoundResults(RunOptions runOptions, OrtIoBinding ioBinding) {
        RunWithBinding(runOptions, ioBinding);
        return ioBinding.GetOutputValues();
    }
}
}
