using System;
using System.Linq;

namespace Inlay.ML.Tensors {
/// <summary>A tensor whose elements lie one after another in memory: an array, or the memory of a native
/// value.</summary>
public class DenseTensor<T> : Tensor<T> {
    readonly Memory<T> memory;

    /// <summary>A tensor of one axis.</summary>
    public DenseTensor(int length) : this(new T[length], new[] { length }) { }
    /// <summary>A tensor with default elements.</summary>
    public DenseTensor(ReadOnlySpan<int> dimensions, bool reverseStride = false) : base(dimensions, reverseStride) {
        memory = new T[Length];
    }
    /// <summary>A tensor over memory that is not copied.</summary>
    public DenseTensor(Memory<T> memory, ReadOnlySpan<int> dimensions, bool reverseStride = false)
            : base(dimensions, reverseStride) {
        if (memory.Length != Length)
            throw new ArgumentException("inlay: the memory has " + memory.Length
                + " elements, and the dimensions stand for " + Length);
        this.memory = memory;
    }

    /// <summary>The memory of the elements.</summary>
    public Memory<T> Buffer { get { return memory; } }
    public override T GetValue(int index) { return memory.Span[index]; }
    public override void SetValue(int index, T value) {
        Span<T> elements = memory.Span;
        elements[index] = value;
    }
    public override void Fill(T value) { memory.Span.Fill(value); }
    public override Tensor<T> Clone() { return new DenseTensor<T>(memory.ToArray(), Dimensions, IsReversedStride); }
    public override Tensor<TResult> CloneEmpty<TResult>(ReadOnlySpan<int> dimensions) {
        return new DenseTensor<TResult>(dimensions, IsReversedStride);
    }
    public override Tensor<T> Reshape(ReadOnlySpan<int> dimensions) {
        return new DenseTensor<T>(memory, dimensions, IsReversedStride);
    }

    internal override OrtValue ToOrtValue() {
        if (IsReversedStride && Rank > 1) return ToDenseTensor().ToOrtValue();
        return typeof(T) == typeof(string) ? OrtValue.FromStrings((string[])(object)memory.ToArray(), Shape)
                                           : OrtValue.CreateTensorValueFromMemory(OrtMemoryInfo.DefaultInstance, memory,
                                               Shape);
    }
    internal override void CopyFrom(OrtValue value) {
        if (IsReversedStride && Rank > 1) {
            base.CopyFrom(value);
            return;
        }
        using (OrtValue target = typeof(T) == typeof(string) ? null : ToOrtValue()) {
            if (target == null)
                base.CopyFrom(value);
            else
                target.CopyFrom(value);
        }
    }
    // The elements of a native tensor: strings are copied, others shared.
    internal static DenseTensor<T> Of(OrtValue value) {
        int[] dimensions = Shapes.ToInts(value.GetTensorTypeAndShape().Shape);
        if (typeof(T) == typeof(string))
            return new DenseTensor<T>((T[])(object)value.GetStringTensorAsArray(), dimensions);
        return new DenseTensor<T>(value.GetTensorMemory<T>(), dimensions);
    }
}

static class Shapes {
    internal static string Text(long[] shape) { return "[" + string.Join(",", shape) + "]"; }
    internal static int[] ToInts(long[] shape) {
        try {
            return shape.Select(size => checked((int)size)).ToArray();
        } catch (OverflowException) {
            throw Errors.InvalidArgument("the shape " + Text(shape) + " exceeds what an int can index");
        }
    }
}

/// <summary>Arrays as tensors, copied.</summary>
public static class ArrayTensorExtensions {
    /// <summary>A tensor of one axis.</summary>
    public static DenseTensor<T> ToTensor<T>(this T[] array) {
        if (array == null) throw new ArgumentNullException(nameof(array));
        return new DenseTensor<T>((T[])array.Clone(), new[] { array.Length });
    }
    /// <summary>A tensor of the array's two axes.</summary>
    public static DenseTensor<T> ToTensor<T>(this T[,] array, bool reverseStride = false) {
        return FromArray<T>(array, reverseStride);
    }
    /// <summary>A tensor of the array's three axes.</summary>
    public static DenseTensor<T> ToTensor<T>(this T[,,] array, bool reverseStride = false) {
        return FromArray<T>(array, reverseStride);
    }
    /// <summary>A tensor of the array's four axes.</summary>
    public static DenseTensor<T> ToTensor<T>(this T[,,,] array, bool reverseStride = false) {
        return FromArray<T>(array, reverseStride);
    }
    /// <summary>A tensor of the array's axes.</summary>
    public static DenseTensor<T> ToTensor<T>(this Array array, bool reverseStride = false) {
        return FromArray<T>(array, reverseStride);
    }

    static DenseTensor<T> FromArray<T>(Array array, bool reverseStride) {
        if (array == null) throw new ArgumentNullException(nameof(array));
        int[] dimensions = Enumerable.Range(0, array.Rank).Select(array.GetLength).ToArray();
        var rows = new DenseTensor<T>(array.Cast<T>().ToArray(), dimensions);
        if (!reverseStride) return rows;
        var columns = new DenseTensor<T>(dimensions, true);
        var index = new int[dimensions.Length];
        for (int k = 0; k < rows.Length; ++k) {
            columns[index] = rows.GetValue(k);
            for (int axis = index.Length - 1; axis >= 0 && ++index[axis] == dimensions[axis]; --axis) index[axis] = 0;
        }
        return columns;
    }
}
}
