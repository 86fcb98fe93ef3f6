// How values are created: tensors over memory of the caller or of their own, and containers of values.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using Inlay.ML.Tensors;

namespace Inlay.ML {
public sealed partial class OrtValue {
    /// <summary>Visits an item of a sequence, which is disposed afterwards.</summary>
    public delegate void SequenceElementVisitor(OrtValue ortValue, int index);
    /// <summary>Visits the keys of a map and what they stand for, which are disposed afterwards.</summary>
    public delegate void MapVisitor(OrtValue keys, OrtValue values);

    static byte[] MemoryOf(OrtMemoryInfo memoryInfo) {
        if (memoryInfo == null) throw new ArgumentNullException(nameof(memoryInfo));
        return memoryInfo.Argument;
    }
    /// <summary>A tensor over memory that the caller owns and keeps until the value, and bindings that use it, are
    /// disposed.</summary>
    public static OrtValue CreateTensorValueWithData(OrtMemoryInfo memoryInfo, TensorElementType elementType,
            long[] shape, IntPtr dataBufferPtr, long bufferLengthInBytes) {
        if (shape == null) throw new ArgumentNullException(nameof(shape));
        ValueHandle value;
        OnnxRuntimeException.Check(Native.inlay_value_borrow((int)elementType, shape, shape.Length, dataBufferPtr,
            bufferLengthInBytes, MemoryOf(memoryInfo), out value));
        return new OrtValue(value);
    }
    /// <summary>A tensor over managed memory, which is pinned and not copied.</summary>
    public static OrtValue CreateTensorValueFromMemory<T>(OrtMemoryInfo memoryInfo, Memory<T> memory, long[] shape) {
        TensorElementType type = ElementTypes.Of(typeof(T));
        if (type == TensorElementType.String)
            throw Errors.TypeMismatch("strings are copied, not borrowed; CreateFromStringTensor() does that");
        return FromMemory(memoryInfo, memory, type, shape);
    }
    /// <summary>A tensor over an array, which is pinned and not copied.</summary>
    public static OrtValue CreateTensorValueFromMemory<T>(T[] data, long[] shape) {
        if (data == null) throw new ArgumentNullException(nameof(data));
        return CreateTensorValueFromMemory(OrtMemoryInfo.DefaultInstance, new Memory<T>(data), shape);
    }
    /// <summary>A tensor of any type but strings over bytes, which are pinned and not copied: for types that C# has
    /// not.</summary>
    public static OrtValue CreateTensorValueFromBytes(Memory<byte> bytes, TensorElementType elementType, long[] shape) {
        return FromMemory(OrtMemoryInfo.DefaultInstance, bytes, elementType, shape);
    }
    internal static OrtValue FromMemory<T>(OrtMemoryInfo memoryInfo, Memory<T> memory, TensorElementType type,
            long[] shape) {
        if (memoryInfo != null && !memoryInfo.IsHost)
            throw Errors.InvalidArgument("managed memory is on the host, not in `" + memoryInfo.Space + "`");
        using (var pinned = new PinnedMemory(memory.Pin())) {
            OrtValue value = CreateTensorValueWithData(memoryInfo, type, shape, pinned.Address,
                (long)memory.Length * SizeOf<T>());
            value.Handle.Keep("memory", pinned);
            return value;
        }
    }
    static int SizeOf<T>() {
        return typeof(T) == typeof(bool) || typeof(T) == typeof(byte) || typeof(T) == typeof(sbyte) ? 1
            : Marshal.SizeOf(typeof(T));
    }
    /// <summary>A tensor with memory of its own: zeroed on the host, empty strings.</summary>
    public static OrtValue CreateAllocatedTensorValue(OrtAllocator allocator, TensorElementType elementType,
            long[] shape) {
        if (allocator == null) throw new ArgumentNullException(nameof(allocator));
        if (shape == null) throw new ArgumentNullException(nameof(shape));
        ValueHandle value;
        OnnxRuntimeException.Check(Native.inlay_value_new((int)elementType, shape, shape.Length,
            allocator.Info.Argument, out value));
        return Owning(value);
    }
    // A value with memory of its own.
    internal static OrtValue Owning(ValueHandle value) {
        value.ReportSize();
        return new OrtValue(value);
    }
    /// <summary>A tensor over a managed tensor: the memory of a DenseTensor is pinned and not copied, others are
    /// copied.</summary>
    public static OrtValue CreateFromTensorObject(TensorBase value, out TensorElementType elementType) {
        if (value == null) throw new ArgumentNullException(nameof(value));
        elementType = value.ElementType;
        return value.ToOrtValue();
    }
    /// <summary>A tensor of empty strings.</summary>
    public static OrtValue CreateTensorWithEmptyStrings(OrtAllocator allocator, long[] shape) {
        return CreateAllocatedTensorValue(allocator, TensorElementType.String, shape);
    }
    /// <summary>A tensor with a copy of these strings.</summary>
    public static OrtValue CreateFromStringTensor(Tensor<string> tensor) {
        if (tensor == null) throw new ArgumentNullException(nameof(tensor));
        return tensor.ToOrtValue();
    }
    internal static OrtValue FromStrings(string[] strings, long[] shape) {
        OrtValue value = CreateTensorWithEmptyStrings(OrtAllocator.DefaultInstance, shape);
        try {
            for (int k = 0; k < strings.Length; ++k) value.StringTensorSetElementAt(strings[k], k);
            return value;
        } catch {
            value.Dispose();
            throw;
        }
    }

    // ---- Containers, which share what they hold: the given values may be disposed before or after.

    static ValueHandle[] HandlesOf(IEnumerable<OrtValue> values, string argument) {
        if (values == null) throw new ArgumentNullException(argument);
        return values.Select(value => {
            if (value == null) throw new ArgumentException("inlay: a value of `" + argument + "` is null", argument);
            return value.Handle;
        }).ToArray();
    }
    OrtValue Keeping(params ValueHandle[] items) {
        for (int k = 0; k < items.Length; ++k) Handle.Keep(k, items[k]);
        return this;
    }
    /// <summary>A sequence of these values.</summary>
    public static OrtValue CreateSequence(ICollection<OrtValue> ortValues) {
        ValueHandle[] items = HandlesOf(ortValues, nameof(ortValues));
        using (var list = new HandleList(items)) {
            ValueHandle value;
            OnnxRuntimeException.Check(Native.inlay_value_sequence(list.Pointers, items.Length, out value));
            return new OrtValue(value).Keeping(items);
        }
    }
    /// <summary>A map: keys are a tensor of rank 1, of int64 or strings; values a tensor of as many elements, or a
    /// sequence.</summary>
    public static OrtValue CreateMap(ref OrtValue keys, ref OrtValue values) {
        if (keys == null) throw new ArgumentNullException(nameof(keys));
        if (values == null) throw new ArgumentNullException(nameof(values));
        OrtValue[] items = values.IsTensor ? ScalarsOf(values) : values.Items();
        try {
            ValueHandle[] handles = HandlesOf(items, nameof(values));
            using (var list = new HandleList(handles)) {
                ValueHandle value;
                OnnxRuntimeException.Check(Native.inlay_value_map(keys.Handle, list.Pointers, handles.Length,
                    out value));
                return new OrtValue(value).Keeping(handles);
            }
        } finally {
            foreach (OrtValue item in items) item.Dispose();
        }
    }
    /// <summary>A map of these keys and values, of a type that tensors have.</summary>
    public static OrtValue CreateMap<K, V>(K[] keys, V[] values) {
        OrtValue keyTensor = FromArray(keys), valueTensor = null;
        try {
            valueTensor = FromArray(values);
            return CreateMap(ref keyTensor, ref valueTensor);
        } finally {
            keyTensor.Dispose();
            if (valueTensor != null) valueTensor.Dispose();
        }
    }
    /// <summary>A map whose keys are strings.</summary>
    public static OrtValue CreateMapWithStringKeys<V>(IReadOnlyCollection<string> keys, V[] values) {
        return CreateMap(keys.ToArray(), values);
    }
    /// <summary>A map whose values are strings.</summary>
    public static OrtValue CreateMapWithStringValues<K>(K[] keys, IReadOnlyCollection<string> values) {
        return CreateMap(keys, values.ToArray());
    }
    /// <summary>An optional that holds a value; null: nothing.</summary>
    public static OrtValue CreateOptional(OrtValue item) {
        using (var handle = new OptionalHandle(item == null ? null : item.Handle)) {
            ValueHandle value;
            OnnxRuntimeException.Check(Native.inlay_value_optional(handle.Pointer, out value));
            return item == null ? new OrtValue(value) : new OrtValue(value).Keeping(item.Handle);
        }
    }
    static OrtValue FromArray<T>(T[] array) {
        if (array == null) throw new ArgumentNullException(nameof(array));
        return new DenseTensor<T>((T[])array.Clone(), new[] { array.Length }).ToOrtValue();
    }
    // The elements of a tensor, each as a tensor of its own.
    static OrtValue[] ScalarsOf(OrtValue tensor) {
        OrtTensorTypeAndShapeInfo info = tensor.GetTensorTypeAndShape();
        var scalars = new OrtValue[info.ElementCount];
        for (int k = 0; k < scalars.Length; ++k) {
            scalars[k] = CreateAllocatedTensorValue(OrtAllocator.DefaultInstance, info.ElementDataType, new long[0]);
            if (info.IsString)
                scalars[k].StringTensorSetElementAt(tensor.GetStringElementAsSpan(k), 0);
            else
                tensor.RawElement(k, info.ElementCount).CopyTo(scalars[k].GetTensorMutableRawData());
        }
        return scalars;
    }
    Span<byte> RawElement(int index, long count) {
        Span<byte> bytes = GetTensorMutableRawData();
        if (bytes.Length % count != 0) throw Errors.TypeMismatch("elements of less than a byte are no values of a map");
        int size = (int)(bytes.Length / count);
        return bytes.Slice(index * size, size);
    }

    // ---- What containers hold

    /// <summary>Items of a sequence; 2 for a map, its keys and its values; 1 or 0 for an optional; 1 for a
    /// tensor.</summary>
    public int GetValueCount() {
        switch (OnnxType) {
            case OnnxValueType.ONNX_TYPE_MAP: return 2;
            case OnnxValueType.ONNX_TYPE_TENSOR: return 1;
            default: return checked((int)Native.inlay_value_count(Handle));
        }
    }
    /// <summary>An item of a sequence or optional, shared. Of a map, 0: its keys, 1: its values, copied if they are
    /// scalars.</summary>
    public OrtValue GetValue(int index, OrtAllocator allocator = null) {
        if (OnnxType != OnnxValueType.ONNX_TYPE_MAP) return Item(index);
        if (index == 0) return Joined(checked((int)Native.inlay_value_count(Handle)), KeyAt);
        if (index == 1) return MapValues();
        throw Errors.NotFound("a map has its keys at 0 and its values at 1, and nothing at " + index);
    }
    OrtValue Item(long index) {
        ValueHandle item;
        OnnxRuntimeException.Check(Native.inlay_value_item(Handle, index, out item));
        return new OrtValue(item).Keeping(Handle);
    }
    // The same value, to be disposed by itself.
    internal OrtValue Share() {
        using (OrtValue holder = CreateOptional(this)) return holder.Item(0);
    }
    OrtValue KeyAt(int index) {
        ValueHandle key;
        OnnxRuntimeException.Check(Native.inlay_value_key(Handle, index, out key));
        return new OrtValue(key);
    }
    internal OrtValue[] Items() {
        var items = new OrtValue[Native.inlay_value_count(Handle)];
        for (int k = 0; k < items.Length; ++k) items[k] = Item(k);
        return items;
    }
    OrtValue MapValues() {
        OrtValue[] items = Items();
        try {
            bool scalars = items.All(item => item.IsTensor && item.GetTensorTypeAndShape().ElementCount == 1);
            return scalars && items.Length > 0 ? Joined(items.Length, k => items[k]) : CreateSequence(items);
        } finally {
            foreach (OrtValue item in items) item.Dispose();
        }
    }
    // One tensor of rank 1 of as many scalars, which are disposed.
    static OrtValue Joined(int count, Func<int, OrtValue> scalar) {
        OrtValue joined = null;
        for (int k = 0; k < count; ++k) {
            using (OrtValue one = scalar(k)) {
                TensorElementType type = one.GetTensorTypeAndShape().ElementDataType;
                if (joined == null)
                    joined = CreateAllocatedTensorValue(OrtAllocator.DefaultInstance, type, new long[] { count });
                if (type == TensorElementType.String)
                    joined.StringTensorSetElementAt(one.GetStringElementAsSpan(0), k);
                else
                    one.GetTensorMutableRawData().CopyTo(joined.RawElement(k, count));
            }
        }
        return joined ?? CreateAllocatedTensorValue(OrtAllocator.DefaultInstance, TensorElementType.Int64,
            new long[] { 0 });
    }
    /// <summary>Visits the items of a sequence in their order.</summary>
    public void ProcessSequence(SequenceElementVisitor visitor, OrtAllocator allocator = null) {
        if (visitor == null) throw new ArgumentNullException(nameof(visitor));
        if (OnnxType != OnnxValueType.ONNX_TYPE_SEQUENCE)
            throw Errors.TypeMismatch("the value is no sequence but " + OnnxType);
        for (int k = 0; k < GetValueCount(); ++k)
            using (OrtValue item = GetValue(k)) visitor(item, k);
    }
    /// <summary>Visits the keys of a map and what they stand for, once.</summary>
    public void ProcessMap(MapVisitor visitor, OrtAllocator allocator = null) {
        if (visitor == null) throw new ArgumentNullException(nameof(visitor));
        if (OnnxType != OnnxValueType.ONNX_TYPE_MAP) throw Errors.TypeMismatch("the value is no map but " + OnnxType);
        using (OrtValue keys = GetValue(0), values = GetValue(1)) visitor(keys, values);
    }
}
}
