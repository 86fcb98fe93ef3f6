using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Inlay.ML.Tensors;

namespace Inlay.ML {
/// <summary>A name of an input or output, and its value as an object of C#.</summary>
public class NamedOnnxValue {
    object content;

    /// <summary>The name of the input or output.</summary>
    public string Name { get; set; }
    /// <summary>A Tensor, an enumeration or a dictionary.</summary>
    public object Value {
        get { return Content(); }
        set { content = value; }
    }
    /// <summary>What the value is.</summary>
    public OnnxValueType ValueType { get; private set; }

    internal NamedOnnxValue(string name, object value, OnnxValueType type) {
        if (name == null) throw new ArgumentNullException(nameof(name));
        Name = name;
        content = value;
        ValueType = type;
    }
    internal virtual object Content() { return content; }
    static T Given<T>(T value) where T : class {
        if (value == null) throw new ArgumentNullException(nameof(value));
        return value;
    }

    /// <summary>A tensor.</summary>
    public static NamedOnnxValue CreateFromTensor<T>(string name, Tensor<T> value) {
        return new NamedOnnxValue(name, Given(value), OnnxValueType.ONNX_TYPE_TENSOR);
    }
    /// <summary>A sequence: of tensors, dictionaries, NamedOnnxValues or OrtValues.</summary>
    public static NamedOnnxValue CreateFromSequence<T>(string name, IEnumerable<T> value) {
        return new NamedOnnxValue(name, Given(value), OnnxValueType.ONNX_TYPE_SEQUENCE);
    }
    /// <summary>A map: keys are long or string, values of a type that tensors have.</summary>
    public static NamedOnnxValue CreateFromMap<K, V>(string name, IDictionary<K, V> value) {
        return new NamedOnnxValue(name, Given(value), OnnxValueType.ONNX_TYPE_MAP);
    }
    /// <summary>An optional: what it holds, or null.</summary>
    public static NamedOnnxValue CreateFromOptional(string name, object value) {
        return new NamedOnnxValue(name, value, OnnxValueType.ONNX_TYPE_OPTIONAL);
    }

    /// <summary>The value as a tensor; null where it is another.</summary>
    public Tensor<T> AsTensor<T>() { return Content() as Tensor<T>; }
    /// <summary>The value as an enumeration; null where it is another. A tensor is the enumeration of its
    /// elements.</summary>
    public IEnumerable<T> AsEnumerable<T>() { return Content() as IEnumerable<T>; }
    /// <summary>The value as a dictionary; null where it is another.</summary>
    public IDictionary<K, V> AsDictionary<K, V>() { return Content() as IDictionary<K, V>; }

    internal NativeValue ToNative() {
        if (ValueType != OnnxValueType.ONNX_TYPE_OPTIONAL) return ManagedValues.ToNative(Content(), Name);
        if (Content() == null) return NativeValue.Created(OrtValue.CreateOptional(null));
        using (NativeValue item = ManagedValues.ToNative(Content(), Name))
            return NativeValue.Created(OrtValue.CreateOptional(item.Value));
    }
}

/// <summary>A result of a run. Its tensor lies in native memory, which Dispose() frees.</summary>
public class DisposableNamedOnnxValue : NamedOnnxValue, IDisposable {
    readonly OrtValue native;
    object content;

    /// <summary>The type of a tensor's elements.</summary>
    public TensorElementType ElementType { get; private set; }

    internal DisposableNamedOnnxValue(string name, OrtValue value) : base(name, null, value.OnnxType) {
        native = value;
        ElementType = value.IsTensor ? value.GetTensorTypeAndShape().ElementDataType : TensorElementType.DataTypeMax;
    }
    internal override object Content() { return content ?? (content = ManagedValues.FromOrtValue(native, Name)); }
    /// <summary>Frees the native memory; a second time does nothing.</summary>
    public void Dispose() {
        native.Dispose();
        var items = content as IDisposable;
        if (items != null) items.Dispose();
    }
}

/// <summary>A tensor whose memory stays the same for several runs.</summary>
public class FixedBufferOnnxValue : IDisposable {
    internal readonly OrtValue Value;
    FixedBufferOnnxValue(OrtValue value) { Value = value; }

    /// <summary>Over the memory of a DenseTensor, which is pinned; of others over a copy.</summary>
    public static FixedBufferOnnxValue CreateFromTensor<T>(Tensor<T> value) {
        TensorElementType type;
        return new FixedBufferOnnxValue(OrtValue.CreateFromTensorObject(value, out type));
    }
    /// <summary>Over managed memory, which is pinned, as elements of the type: of at most bytesSize bytes.</summary>
    public static FixedBufferOnnxValue CreateFromMemory<T>(OrtMemoryInfo memoryInfo, Memory<T> memory,
            TensorElementType elementType, long[] shape, long bytesSize) {
        OrtValue value = OrtValue.FromMemory(memoryInfo, memory, elementType, shape);
        if (value.GetTensorSizeInBytes() <= bytesSize) return new FixedBufferOnnxValue(value);
        value.Dispose();
        throw Errors.ShapeMismatch("the shape " + Shapes.Text(shape) + " takes more than the " + bytesSize
            + " bytes of `bytesSize`");
    }
    /// <summary>Frees the value, which unpins its memory; a second time does nothing.</summary>
    public void Dispose() { Value.Dispose(); }
}

// A native value that stands for an object of C#: created for it, or the caller's own.
sealed class NativeValue : IDisposable {
    internal readonly OrtValue Value;
    readonly bool created;
    NativeValue(OrtValue value, bool created) {
        Value = value;
        this.created = created;
    }
    internal static NativeValue Created(OrtValue value) { return new NativeValue(value, true); }
    internal static NativeValue Of(OrtValue value) { return new NativeValue(value, false); }
    public void Dispose() {
        if (created) Value.Dispose();
    }
}

// Objects of C# as native values, and back.
static class ManagedValues {
    internal static NativeValue ToNative(object value, string name) {
        var named = value as NamedOnnxValue;
        if (named != null) return named.ToNative();
        var native = value as OrtValue;
        if (native != null) return NativeValue.Of(native);
        var tensor = value as TensorBase;
        if (tensor != null) return NativeValue.Created(tensor.ToOrtValue());
        var map = value as IDictionary;
        if (map != null) return NativeValue.Created(FromMap(map, name));
        if (value is IEnumerable && !(value is string))
            return NativeValue.Created(FromSequence((IEnumerable)value, name));
        throw Errors.TypeMismatch("`" + name + "` is no tensor, enumeration or dictionary but "
            + (value == null ? "null" : value.GetType().Name));
    }
    static OrtValue FromSequence(IEnumerable items, string name) {
        using (var values = new DisposableList<NativeValue>()) {
            foreach (object item in items) values.Add(ToNative(item, name));
            return OrtValue.CreateSequence(values.ConvertAll(item => item.Value));
        }
    }
    static OrtValue FromMap(IDictionary map, string name) {
        OrtValue keys = FromList(map.Keys, name), values = null;
        try {
            values = FromList(map.Values, name);
            return OrtValue.CreateMap(ref keys, ref values);
        } finally {
            keys.Dispose();
            if (values != null) values.Dispose();
        }
    }
    // Numbers and strings become one tensor, others a sequence.
    static OrtValue FromList(ICollection items, string name) {
        Type type = items.GetType().GetInterfaces().First(i => i.IsGenericType && i.GetGenericTypeDefinition()
            == typeof(IEnumerable<>)).GetGenericArguments()[0];
        if (ElementTypes.IsElement(type)) {
            Array array = Array.CreateInstance(type, items.Count);
            items.CopyTo(array, 0);
            return ((TensorBase)Activator.CreateInstance(typeof(ListTensor<>).MakeGenericType(type),
                array)).ToOrtValue();
        }
        return FromSequence(items, name);
    }
    sealed class ListTensor<T> : DenseTensor<T> {
        public ListTensor(T[] items) : base(items, new[] { items.Length }) { }
    }

    internal static object FromOrtValue(OrtValue value, string name) {
        switch (value.OnnxType) {
            case OnnxValueType.ONNX_TYPE_TENSOR: return TensorOf(value);
            case OnnxValueType.ONNX_TYPE_SEQUENCE:
                return new DisposableList<DisposableNamedOnnxValue>(value.Items().Select(item =>
                    new DisposableNamedOnnxValue(name, item)));
            case OnnxValueType.ONNX_TYPE_MAP: return MapOf(value, name);
            default: return value.GetValueCount() == 0 ? null
                : new DisposableNamedOnnxValue(name, value.GetValue(0)).Content();
        }
    }
    delegate object Maker(OrtValue value);
    static object TensorOf(OrtValue value) {
        TensorElementType element = value.GetTensorTypeAndShape().ElementDataType;
        Type type = ElementTypes.TypeOf(element);
        if (type == null)
            throw Errors.TypeMismatch("C# has no type for elements of the type " + ElementTypes.NameOf(element)
                + "; OrtValue.GetTensorMutableRawData() has their bytes");
        return Generic(nameof(Dense), type)(value);
    }
    static readonly ConcurrentDictionary<Tuple<string, Type, Type>, Maker> makers =
        new ConcurrentDictionary<Tuple<string, Type, Type>, Maker>();
    // The method of this class for these types.
    static Maker Generic(string method, Type first, Type second = null) {
        return makers.GetOrAdd(Tuple.Create(method, first, second), MakerOf);
    }
    static Maker MakerOf(Tuple<string, Type, Type> key) {
        var types = key.Item3 == null ? new[] { key.Item2 } : new[] { key.Item2, key.Item3 };
        MethodInfo method = typeof(ManagedValues).GetMethod(key.Item1, BindingFlags.NonPublic | BindingFlags.Static);
        return (Maker)Delegate.CreateDelegate(typeof(Maker), method.MakeGenericMethod(types));
    }
    static object Dense<T>(OrtValue value) { return DenseTensor<T>.Of(value); }
    static object MapOf(OrtValue map, string name) {
        using (OrtValue keys = map.GetValue(0), values = map.GetValue(1)) {
            Type key = ElementTypes.TypeOf(keys.GetTensorTypeAndShape().ElementDataType);
            if (values.IsTensor)
                return Generic(nameof(Pairs), key,
                    ElementTypes.TypeOf(values.GetTensorTypeAndShape().ElementDataType))(map);
            return Generic(nameof(PairsOfValues), key)(map);
        }
    }
    static object Pairs<K, V>(OrtValue map) {
        var result = new Dictionary<K, V>();
        using (OrtValue keys = map.GetValue(0), values = map.GetValue(1)) {
            DenseTensor<K> names = DenseTensor<K>.Of(keys);
            DenseTensor<V> entries = DenseTensor<V>.Of(values);
            for (int k = 0; k < names.Length; ++k) result.Add(names.GetValue(k), entries.GetValue(k));
        }
        return result;
    }
    static object PairsOfValues<K>(OrtValue map) {
        var result = new Dictionary<K, DisposableNamedOnnxValue>();
        using (OrtValue keys = map.GetValue(0), values = map.GetValue(1)) {
            DenseTensor<K> names = DenseTensor<K>.Of(keys);
            for (int k = 0; k < names.Length; ++k)
                result.Add(names.GetValue(k), new DisposableNamedOnnxValue("", values.GetValue(k)));
        }
        return result;
    }
}
}
