using System;
using System.Collections.Generic;
using System.Linq;
using Inlay.ML;
using Inlay.ML.Tensors;

static class TensorTests {
    [Test("A dense tensor is indexed, reshaped, filled, copied and enumerated")]
    static void Dense() {
        var tensor = new DenseTensor<int>(new[] { 0, 1, 2, 3, 4, 5 }, new[] { 2, 3 });
        Check.Equal(5, tensor[1, 2]);
        tensor[1, 0] = 30;
        Check.Equal(30, tensor.Buffer.Span[3]);
        Check.Same(new[] { 3, 1 }, tensor.Strides.ToArray());
        Check.Equal("{{0, 1, 2}, {30, 4, 5}}", tensor.GetArrayString());
        Tensor<int> reshaped = tensor.Reshape(new[] { 3, 2 });
        Check.Equal(30, reshaped[1, 1]);
        reshaped[0, 0] = 7;
        Check.Equal(7, tensor[0, 0]);
        Tensor<int> copy = tensor.Clone();
        copy.Fill(1);
        Check.Equal(7, tensor[0, 0]);
        Check.Same(Enumerable.Repeat(1, 6), copy);
        Check.Same(new int[6], tensor.CloneEmpty());
        Check.Equal(6, ((IReadOnlyCollection<int>)tensor).Count);
        Check.Equal(3, ((IList<int>)tensor).IndexOf(30));
        Check.Throws<InvalidOperationException>(() => ((IList<int>)tensor).Add(1));
    }
    [Test("Indices and dimensions of tensors are checked")]
    static void Checked() {
        var tensor = new DenseTensor<int>(new[] { 2, 3 });
        Check.Throws<IndexOutOfRangeException>(() => tensor[0, 3].ToString());
        Check.Throws<IndexOutOfRangeException>(() => tensor[-1, 0].ToString());
        Check.Throws<ArgumentException>(() => tensor[1].ToString());
        Check.Throws<ArgumentOutOfRangeException>(() => new DenseTensor<int>(new[] { -1 }));
        Check.Throws<ArgumentOutOfRangeException>(() => new DenseTensor<int>(new[] { 65536, 65536 }));
        Check.Throws<ArgumentException>(() => new DenseTensor<int>(new int[5], new[] { 2, 3 }));
        Check.Throws<ArgumentException>(() => tensor.Reshape(new[] { 7 }));
        Check.Fails(ErrorCode.TypeMismatch, () => new DenseTensor<decimal>(new[] { 1 }));
    }
    [Test("Arrays become tensors of their shape, in rows or in columns")]
    static void FromArrays() {
        var array = new[,] { { 1, 2, 3 }, { 4, 5, 6 } };
        DenseTensor<int> rows = array.ToTensor(), columns = array.ToTensor(true);
        Check.Equal(6, rows[1, 2]);
        Check.Equal(6, columns[1, 2]);
        Check.Same(new[] { 1, 2, 3, 4, 5, 6 }, rows.Buffer.ToArray());
        Check.Same(new[] { 1, 4, 2, 5, 3, 6 }, columns.Buffer.ToArray());
        Check.Same(rows.Buffer.ToArray(), columns.ToDenseTensor().Buffer.ToArray());
        Check.Same(new[] { 2, 1, 1 }, new[,,] { { { 1 } }, { { 2 } } }.ToTensor().Dimensions.ToArray());
    }
    [Test("A tensor in columns is passed to a model in rows, and results are written into one in columns")]
    static void Columns() {
        var array = new float[2, 4];
        for (int k = 0; k < 8; ++k) array[k / 4, k % 4] = -k;
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            var inputs = new[] { NamedOnnxValue.CreateFromTensor("x", array.ToTensor(true)) };
            using (var results = session.Run(inputs))
                Check.Same(Enumerable.Range(0, 8).Select(k => (float)k), results.First().AsTensor<float>());
            var target = new DenseTensor<float>(new[] { 2, 4 }, true);
            session.Run(inputs, new[] { NamedOnnxValue.CreateFromTensor("y", target) });
            Check.Equal(7f, target[1, 3]);
            Check.Equal(1f, target.Buffer.Span[2]);
        }
    }
}
