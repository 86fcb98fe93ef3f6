using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Inlay.ML.Tensors {
/// <summary>A tensor of any type of elements.</summary>
public abstract class TensorBase {
    /// <summary>The type of elements.</summary>
    public TensorElementType ElementType { get; private set; }
    internal TensorBase(Type type) { ElementType = ElementTypes.Of(type); }
    internal abstract OrtValue ToOrtValue();
    internal abstract void CopyFrom(OrtValue value);
}

/// <summary>A tensor in managed code: sizes of its axes, and elements that an index reaches.</summary>
public abstract class Tensor<T> : TensorBase, IList<T>, IReadOnlyList<T> {
    readonly int[] dimensions, strides;
    readonly int length;

    /// <summary>reverseStride: the first axis is the innermost (column-major).</summary>
    protected Tensor(ReadOnlySpan<int> dimensions, bool reverseStride = false) : base(typeof(T)) {
        this.dimensions = dimensions.ToArray();
        IsReversedStride = reverseStride;
        length = CheckedLength(this.dimensions);
        strides = StridesOf(this.dimensions, reverseStride);
    }
    static int CheckedLength(int[] dimensions) {
        long product = 1;
        foreach (int size in dimensions) {
            if (size < 0)
                throw new ArgumentOutOfRangeException(nameof(dimensions), "inlay: the dimension " + size
                    + " is negative");
            product = Math.Max(size, 1) * product;
            if (product > int.MaxValue)
                throw new ArgumentOutOfRangeException(nameof(dimensions),
                    "inlay: a tensor of these dimensions has too many elements");
        }
        return Array.IndexOf(dimensions, 0) >= 0 ? 0 : (int)product;
    }
    static int[] StridesOf(int[] dimensions, bool reversed) {
        var strides = new int[dimensions.Length];
        int stride = 1;
        for (int k = 0; k < strides.Length; ++k) {
            int axis = reversed ? k : strides.Length - 1 - k;
            strides[axis] = stride;
            stride *= dimensions[axis];
        }
        return strides;
    }

    /// <summary>The size of each axis.</summary>
    public ReadOnlySpan<int> Dimensions { get { return dimensions; } }
    /// <summary>How many elements lie between two neighbours along each axis.</summary>
    public ReadOnlySpan<int> Strides { get { return strides; } }
    /// <summary>The first axis is the innermost.</summary>
    public bool IsReversedStride { get; private set; }
    /// <summary>How many axes there are.</summary>
    public int Rank { get { return dimensions.Length; } }
    /// <summary>How many elements there are.</summary>
    public long Length { get { return length; } }

    /// <summary>The element at a position in memory.</summary>
    public abstract T GetValue(int index);
    /// <summary>Sets the element at a position in memory.</summary>
    public abstract void SetValue(int index, T value);
    /// <summary>A copy.</summary>
    public abstract Tensor<T> Clone();
    /// <summary>A tensor of other dimensions and another type, with default elements.</summary>
    public abstract Tensor<TResult> CloneEmpty<TResult>(ReadOnlySpan<int> dimensions);
    /// <summary>The same elements with other dimensions of the same product.</summary>
    public abstract Tensor<T> Reshape(ReadOnlySpan<int> dimensions);
    /// <summary>A tensor of these dimensions with default elements.</summary>
    public virtual Tensor<T> CloneEmpty() { return CloneEmpty<T>(dimensions); }
    /// <summary>A tensor of other dimensions with default elements.</summary>
    public virtual Tensor<T> CloneEmpty(ReadOnlySpan<int> dimensions) { return CloneEmpty<T>(dimensions); }
    /// <summary>A row-major copy.</summary>
    public virtual DenseTensor<T> ToDenseTensor() {
        var copy = new DenseTensor<T>(dimensions);
        var index = new int[Rank];
        for (int k = 0; k < length; ++k) {
            copy.SetValue(k, this[index]);
            for (int axis = Rank - 1; axis >= 0 && ++index[axis] == dimensions[axis]; --axis) index[axis] = 0;
        }
        return copy;
    }

    /// <summary>The element at an index, one number for each axis.</summary>
    public virtual T this[params int[] indices] {
        get { return GetValue(PositionOf(indices)); }
        set { SetValue(PositionOf(indices), value); }
    }
    /// <summary>The element at an index, one number for each axis.</summary>
    public virtual T this[ReadOnlySpan<int> indices] {
        get { return GetValue(PositionOf(indices)); }
        set { SetValue(PositionOf(indices), value); }
    }
    int PositionOf(ReadOnlySpan<int> indices) {
        if (indices.Length != dimensions.Length)
            throw new ArgumentException("inlay: " + indices.Length + " numbers for an index of a tensor of rank "
                + dimensions.Length);
        int position = 0;
        for (int axis = 0; axis < indices.Length; ++axis) {
            if (indices[axis] < 0 || indices[axis] >= dimensions[axis])
                throw new IndexOutOfRangeException("inlay: the index " + indices[axis] + " is not in axis " + axis
                    + " of size " + dimensions[axis]);
            position += indices[axis] * strides[axis];
        }
        return position;
    }

    /// <summary>Sets all elements.</summary>
    public virtual void Fill(T value) {
        for (int k = 0; k < length; ++k) SetValue(k, value);
    }
    /// <summary>The elements as text, axis by axis in braces.</summary>
    public string GetArrayString(bool includeWhitespace = true) {
        var text = new StringBuilder();
        AppendAxis(text, 0, 0, includeWhitespace ? ", " : ",");
        return text.ToString();
    }
    void AppendAxis(StringBuilder text, int axis, int position, string separator) {
        if (axis == Rank) {
            text.Append(GetValue(position));
            return;
        }
        text.Append('{');
        for (int k = 0; k < dimensions[axis]; ++k) {
            if (k > 0) text.Append(separator);
            AppendAxis(text, axis + 1, position + k * strides[axis], separator);
        }
        text.Append('}');
    }

    internal long[] Shape { get { return dimensions.Select(size => (long)size).ToArray(); } }
    internal override void CopyFrom(OrtValue value) {
        OrtTensorTypeAndShapeInfo info = value.GetTensorTypeAndShape();
        if (!info.Shape.SequenceEqual(Shape))
            throw Errors.ShapeMismatch("the result has shape " + Shapes.Text(info.Shape) + ", and the tensor for it "
                + Shapes.Text(Shape));
        DenseTensor<T> elements = DenseTensor<T>.Of(value);
        var index = new int[Rank];
        for (int k = 0; k < length; ++k) {
            this[index] = elements.GetValue(k);
            for (int axis = Rank - 1; axis >= 0 && ++index[axis] == dimensions[axis]; --axis) index[axis] = 0;
        }
    }

    // A list of the elements as they lie in memory; its length is fixed.
    int ICollection<T>.Count { get { return length; } }
    int IReadOnlyCollection<T>.Count { get { return length; } }
    /// <summary>Elements can be set.</summary>
    public bool IsReadOnly { get { return false; } }
    /// <summary>The number of elements cannot change.</summary>
    public bool IsFixedSize { get { return true; } }
    T IList<T>.this[int index] {
        get { return GetValue(index); }
        set { SetValue(index, value); }
    }
    T IReadOnlyList<T>.this[int index] { get { return GetValue(index); } }
    void ICollection<T>.Add(T item) { throw FixedSize(); }
    void ICollection<T>.Clear() { throw FixedSize(); }
    bool ICollection<T>.Remove(T item) { throw FixedSize(); }
    void IList<T>.Insert(int index, T item) { throw FixedSize(); }
    void IList<T>.RemoveAt(int index) { throw FixedSize(); }
    static InvalidOperationException FixedSize() {
        return new InvalidOperationException("inlay: a tensor's number of elements is fixed");
    }
    bool ICollection<T>.Contains(T item) { return IndexOf(item) >= 0; }
    int IList<T>.IndexOf(T item) { return IndexOf(item); }
    int IndexOf(T item) {
        for (int k = 0; k < length; ++k)
            if (EqualityComparer<T>.Default.Equals(GetValue(k), item)) return k;
        return -1;
    }
    void ICollection<T>.CopyTo(T[] array, int arrayIndex) {
        for (int k = 0; k < length; ++k) array[arrayIndex + k] = GetValue(k);
    }
    /// <summary>The elements as they lie in memory.</summary>
    public IEnumerator<T> GetEnumerator() {
        for (int k = 0; k < length; ++k) yield return GetValue(k);
    }
    IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
}
}
