using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using Inlay.ML.Tensors;

namespace Inlay.ML {
/// <summary>A native value: a tensor, sequence, map or optional. Dispose it: memory that it pins stays pinned until
/// then.</summary>
public sealed partial class OrtValue : IDisposable {
    readonly ValueHandle handle;
    volatile bool disposed;  // while a container or a binding may still use the handle

    internal OrtValue(ValueHandle handle) { this.handle = handle; }
    /// <summary>Frees the value, unless a container or a binding uses it; a second time does nothing. Calls of a
    /// disposed value are ObjectDisposedExceptions.</summary>
    public void Dispose() {
        disposed = true;
        handle.Dispose();
    }
    internal ValueHandle Handle {
        get {
            if (disposed) throw new ObjectDisposedException(nameof(OrtValue));
            return handle;
        }
    }

    /// <summary>What it is.</summary>
    public OnnxValueType OnnxType {
        get {
            switch (Native.inlay_value_kind(Handle)) {
                case 0: return OnnxValueType.ONNX_TYPE_TENSOR;
                case 1: return OnnxValueType.ONNX_TYPE_SEQUENCE;
                case 2: return OnnxValueType.ONNX_TYPE_MAP;
                case 3: return OnnxValueType.ONNX_TYPE_OPTIONAL;
                default: return OnnxValueType.ONNX_TYPE_UNKNOWN;
            }
        }
    }
    /// <summary>It is a tensor.</summary>
    public bool IsTensor { get { return OnnxType == OnnxValueType.ONNX_TYPE_TENSOR; } }
    /// <summary>False: sparse tensors are no values of the library.</summary>
    public bool IsSparseTensor { get { return false; } }
    /// <summary>A tensor's type, shape and number of elements.</summary>
    public OrtTensorTypeAndShapeInfo GetTensorTypeAndShape() {
        var type = (TensorElementType)RequireTensor();
        var shape = new long[Native.inlay_value_rank(Handle)];
        if (shape.Length > 0) Marshal.Copy(Native.inlay_value_dims(Handle), shape, 0, shape.Length);
        GC.KeepAlive(this);
        return new OrtTensorTypeAndShapeInfo(type, shape, Native.inlay_value_count(Handle));
    }
    /// <summary>The value's type; of a tensor with its shape.</summary>
    public OrtTypeInfo GetTypeInfo() {
        return IsTensor ? new OrtTypeInfo(GetTensorTypeAndShape()) : new OrtTypeInfo(OnnxType);
    }
    /// <summary>The memory that a tensor lies in: "host", or a device's.</summary>
    public string Memory {
        get {
            RequireTensor();
            return Utf8.Read(Native.inlay_value_memory(Handle));
        }
    }
    /// <summary>Bytes of a tensor's elements. Strings have no such number.</summary>
    public long GetTensorSizeInBytes() {
        RequireNoStrings();
        return Native.inlay_value_bytes(Handle);
    }

    int RequireTensor() {
        int type = Native.inlay_value_type(Handle);
        if (type == 0) throw Errors.TypeMismatch("the value is no tensor but " + OnnxType);
        return type;
    }
    void RequireNoStrings() {
        if (RequireTensor() == (int)TensorElementType.String)
            throw Errors.TypeMismatch("strings have no memory of their own; GetStringTensorAsArray() copies them");
    }
    // The address and number of elements, whose type is T.
    IntPtr Elements<T>(out int count) {
        RequireNoStrings();
        var type = (TensorElementType)Native.inlay_value_type(Handle);
        if (ElementTypes.Of(typeof(T)) != type)
            throw Errors.TypeMismatch("the tensor has elements of the type " + ElementTypes.NameOf(type) + ", not "
                + typeof(T).Name);
        return Elements(Native.inlay_value_count(Handle), out count);
    }
    IntPtr Elements(long size, out int count) {
        if (Memory != "host")
            throw Errors.InvalidArgument("the tensor is in the memory `" + Memory
                + "`, which the host cannot read; CopyTo(OrtMemoryInfo.DefaultInstance) can");
        if (size > int.MaxValue)
            throw Errors.InvalidArgument("the tensor is larger than a span can be; GetTensorPointer() has its address");
        count = (int)size;
        return Native.inlay_value_data(Handle);
    }
    /// <summary>The elements in place. They are there until the value is disposed, which has to be referenced until
    /// then.</summary>
    public ReadOnlySpan<T> GetTensorDataAsSpan<T>() { return GetTensorMutableDataAsSpan<T>(); }
    /// <summary>The elements in place, to be changed.</summary>
    public unsafe Span<T> GetTensorMutableDataAsSpan<T>() {
        int count;
        IntPtr data = Elements<T>(out count);
        return new Span<T>((void*)data, count);
    }
    /// <summary>The bytes of the elements in place, of any type but strings: those of 4 and 2 bits are
    /// packed.</summary>
    public unsafe Span<byte> GetTensorMutableRawData() {
        int size;
        IntPtr data = Elements(GetTensorSizeInBytes(), out size);
        return new Span<byte>((void*)data, size);
    }
    /// <summary>The elements in place, as memory that keeps the value alive; once it is disposed,
    /// ObjectDisposedException.</summary>
    public Memory<T> GetTensorMemory<T>() {
        int count;
        IntPtr data = Elements<T>(out count);
        return count == 0 ? Memory<T>.Empty : new ValueMemory<T>(Handle, data, count).Memory;
    }
    /// <summary>The address of a tensor's elements, in the memory that it lies in.</summary>
    public IntPtr GetTensorPointer() {
        RequireNoStrings();
        return Native.inlay_value_data(Handle);
    }
    /// <summary>A copy of a tensor in another memory; one of the two is the host's.</summary>
    public OrtValue CopyTo(OrtMemoryInfo memInfo) {
        if (memInfo == null) throw new ArgumentNullException(nameof(memInfo));
        ValueHandle copy;
        OnnxRuntimeException.Check(Native.inlay_value_copy(Handle, memInfo.Argument, out copy));
        return Owning(copy);
    }

    // Copies the elements of a tensor of the same type and shape.
    internal unsafe void CopyFrom(OrtValue source) {
        OrtTensorTypeAndShapeInfo mine = GetTensorTypeAndShape(), theirs = source.GetTensorTypeAndShape();
        if (mine.ElementDataType != theirs.ElementDataType)
            throw Errors.TypeMismatch("the result has elements of the type "
                + ElementTypes.NameOf(theirs.ElementDataType) + ", and the tensor for it "
                + ElementTypes.NameOf(mine.ElementDataType));
        if (!mine.Shape.SequenceEqual(theirs.Shape))
            throw Errors.ShapeMismatch("the result has shape " + Shapes.Text(theirs.Shape) + ", and the tensor for it "
                + Shapes.Text(mine.Shape));
        if (mine.IsString) {
            for (int k = 0; k < mine.ElementCount; ++k) StringTensorSetElementAt(source.GetStringElementAsSpan(k), k);
            return;
        }
        if (Memory != "host" || source.Memory != "host")
            throw Errors.InvalidArgument("results go into the host's memory; OrtIoBinding writes that of devices");
        Buffer.MemoryCopy((void*)Native.inlay_value_data(source.Handle), (void*)Native.inlay_value_data(Handle),
            GetTensorSizeInBytes(), source.GetTensorSizeInBytes());
        GC.KeepAlive(source);
        GC.KeepAlive(this);
    }

    // ---- Strings

    void RequireStrings() {
        var type = (TensorElementType)RequireTensor();
        if (type != TensorElementType.String)
            throw Errors.TypeMismatch("the tensor has elements of the type " + ElementTypes.NameOf(type)
                + ", not strings");
    }
    IntPtr StringAt(int index, out int size) {
        RequireStrings();
        long bytes;
        IntPtr text = Native.inlay_value_string(Handle, index, out bytes);
        if (text == IntPtr.Zero)
            throw Errors.NotFound("there is no element " + index + "; the tensor has "
                + Native.inlay_value_count(Handle));
        size = checked((int)bytes);
        return text;
    }
    /// <summary>A string, which may have NULs within. Bytes that are no UTF-8 are a DecoderFallbackException;
    /// GetStringElementAsSpan() has them.</summary>
    public string GetStringElement(int index) {
        int size;
        IntPtr text = StringAt(index, out size);
        string result = Utf8.ReadStrictly(text, size);
        GC.KeepAlive(this);
        return result;
    }
    /// <summary>GetStringElement() as memory.</summary>
    public ReadOnlyMemory<char> GetStringElementAsMemory(int index) { return GetStringElement(index).AsMemory(); }
    /// <summary>The bytes of a string in place, until it is set again or the value is disposed.</summary>
    public unsafe ReadOnlySpan<byte> GetStringElementAsSpan(int index) {
        int size;
        IntPtr text = StringAt(index, out size);
        return new ReadOnlySpan<byte>((void*)text, size);
    }
    /// <summary>All strings, row by row.</summary>
    public string[] GetStringTensorAsArray() {
        RequireStrings();
        var strings = new string[Native.inlay_value_count(Handle)];
        for (int k = 0; k < strings.Length; ++k) strings[k] = GetStringElement(k);
        return strings;
    }
    /// <summary>Sets a string.</summary>
    public void StringTensorSetElementAt(string text, int index) {
        if (text == null) throw new ArgumentNullException(nameof(text));
        StringTensorSetElementAt(Utf8.Bytes(text), index);
    }
    /// <summary>Sets a string.</summary>
    public void StringTensorSetElementAt(ReadOnlyMemory<char> text, int index) {
        StringTensorSetElementAt(text.ToString(), index);
    }
    /// <summary>Sets a string.</summary>
    public void StringTensorSetElementAt(ReadOnlySpan<char> text, int index) {
        StringTensorSetElementAt(text.ToString(), index);
    }
    /// <summary>Sets a string to these bytes of UTF-8.</summary>
    public void StringTensorSetElementAt(ReadOnlySpan<byte> utf8Bytes, int index) {
        StringTensorSetElementAt(utf8Bytes.ToArray(), index);
    }
    void StringTensorSetElementAt(byte[] bytes, int index) {
        OnnxRuntimeException.Check(Native.inlay_value_set_string(Handle, index, bytes, bytes.Length));
    }

    // The memory of a native tensor, for Memory<T>.
    sealed class ValueMemory<T> : MemoryManager<T> {
        readonly ValueHandle value;
        readonly IntPtr data;
        readonly int count;

        internal ValueMemory(ValueHandle value, IntPtr data, int count) {
            this.value = value;
            this.data = data;
            this.count = count;
        }
        public override unsafe Span<T> GetSpan() {
            if (value.IsClosed)
                throw new ObjectDisposedException(nameof(OrtValue), "inlay: the value of this memory is disposed");
            return new Span<T>((void*)data, count);
        }
        public override unsafe MemoryHandle Pin(int elementIndex = 0) {
            if (elementIndex < 0 || elementIndex > count) throw new ArgumentOutOfRangeException(nameof(elementIndex));
            bool added = false;
            value.DangerousAddRef(ref added);
            return new MemoryHandle((byte*)data + (long)elementIndex * Marshal.SizeOf(typeof(T)), default(GCHandle),
                this);
        }
        public override void Unpin() { value.DangerousRelease(); }
        protected override void Dispose(bool disposing) { }
    }
}

/// <summary>A tensor's type of elements, shape and number of elements.</summary>
public struct OrtTensorTypeAndShapeInfo {
    /// <summary>The type of elements.</summary>
    public TensorElementType ElementDataType { get; private set; }
    /// <summary>How many elements there are.</summary>
    public long ElementCount { get; private set; }
    /// <summary>The size of each axis.</summary>
    public long[] Shape { get; private set; }
    /// <summary>How many axes there are.</summary>
    public int DimensionsCount { get { return Shape.Length; } }
    /// <summary>Elements are strings.</summary>
    public bool IsString { get { return ElementDataType == TensorElementType.String; } }
    internal OrtTensorTypeAndShapeInfo(TensorElementType type, long[] shape, long count) {
        ElementDataType = type;
        Shape = shape;
        ElementCount = count;
    }
}

/// <summary>The type of a value.</summary>
public sealed class OrtTypeInfo {
    readonly OrtTensorTypeAndShapeInfo tensor;
    /// <summary>What the value is.</summary>
    public OnnxValueType OnnxType { get; private set; }
    /// <summary>Of a tensor.</summary>
    public OrtTensorTypeAndShapeInfo TensorTypeAndShapeInfo {
        get {
            if (OnnxType != OnnxValueType.ONNX_TYPE_TENSOR)
                throw Errors.TypeMismatch("the value is no tensor but " + OnnxType);
            return tensor;
        }
    }
    internal OrtTypeInfo(OrtTensorTypeAndShapeInfo info) {
        OnnxType = OnnxValueType.ONNX_TYPE_TENSOR;
        tensor = info;
    }
    internal OrtTypeInfo(OnnxValueType type) { OnnxType = type; }
}
}
