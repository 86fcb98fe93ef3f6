using System;
using System.Linq;
using Inlay.ML;
using Inlay.ML.Tensors;

static class ValueTests {
    static void RoundTrip<T>(InferenceSession session, TensorElementType type, T[] elements) {
        string input = "i" + (int)type, output = "o" + (int)type;
        using (OrtValue value = OrtValue.CreateTensorValueFromMemory(elements, new long[] { 3 })) {
            Check.Equal(type, value.GetTensorTypeAndShape().ElementDataType);
            Check.Same(elements, value.GetTensorDataAsSpan<T>().ToArray());
        }
        Check.Equal(typeof(T), session.InputMetadata[input].ElementType);
        OneOf(session, input, output, elements);
    }
    // `types` needs all of its inputs: the others are zero.
    static void OneOf<T>(InferenceSession session, string input, string output, T[] elements) {
        using (var inputs = new ValueMap()) {
            foreach (var port in session.InputMetadata)
                inputs.Add(port.Key, OrtValue.CreateAllocatedTensorValue(OrtAllocator.DefaultInstance,
                    port.Value.ElementDataType, new long[] { 3 }));
            inputs.Replace(input, OrtValue.CreateTensorValueFromMemory(elements, new long[] { 3 }));
            using (var results = session.Run(null, inputs, new[] { output })) {
                Check.Same(elements, results[0].GetTensorDataAsSpan<T>().ToArray());
                Check.Same(elements, results[0].GetTensorMemory<T>().ToArray());
            }
        }
    }
    [Test("Each element type of C# goes into a model and comes out as it was")]
    static void EveryType() {
        using (var session = new InferenceSession(Runner.Model("types"))) {
            RoundTrip(session, TensorElementType.Float, new[] { 1.5f, float.NegativeInfinity, -0f });
            RoundTrip(session, TensorElementType.UInt8, new byte[] { 0, 1, 255 });
            RoundTrip(session, TensorElementType.Int8, new sbyte[] { -128, 0, 127 });
            RoundTrip(session, TensorElementType.UInt16, new ushort[] { 0, 1, 65535 });
            RoundTrip(session, TensorElementType.Int16, new short[] { -32768, 0, 32767 });
            RoundTrip(session, TensorElementType.Int32, new[] { int.MinValue, 0, int.MaxValue });
            RoundTrip(session, TensorElementType.Int64, new[] { long.MinValue, 0, long.MaxValue });
            RoundTrip(session, TensorElementType.Bool, new[] { true, false, true });
            RoundTrip(session, TensorElementType.Float16, new[] { (Float16)1.5f, (Float16)(-2f), (Float16)65504f });
            RoundTrip(session, TensorElementType.Double, new[] { 1e300, double.Epsilon, -1 });
            RoundTrip(session, TensorElementType.UInt32, new uint[] { 0, 1, uint.MaxValue });
            RoundTrip(session, TensorElementType.UInt64, new ulong[] { 0, 1, ulong.MaxValue });
            RoundTrip(session, TensorElementType.BFloat16, new[] { (BFloat16)1.5f, (BFloat16)(-2f), (BFloat16)3e38f });
        }
    }
    [Test("Element types that C# has not go through as bytes, also those of 4 and 2 bits")]
    static void RawTypes() {
        var sizes = new[] { 24, 48, 3, 3, 3, 3, 2, 2, 2, 3, 1, 1 };  // of 3 elements
        var types = new[] { TensorElementType.Complex64, TensorElementType.Complex128, TensorElementType.Float8E4M3FN,
            TensorElementType.Float8E4M3FNUZ, TensorElementType.Float8E5M2, TensorElementType.Float8E5M2FNUZ,
            TensorElementType.UInt4, TensorElementType.Int4, TensorElementType.Float4E2M1, TensorElementType.Float8E8M0,
            TensorElementType.UInt2, TensorElementType.Int2 };
        using (var session = new InferenceSession(Runner.Model("types")))
        using (var inputs = new ValueMap()) {
            foreach (var port in session.InputMetadata)
                inputs.Add(port.Key, OrtValue.CreateAllocatedTensorValue(OrtAllocator.DefaultInstance,
                    port.Value.ElementDataType, new long[] { 3 }));
            for (int k = 0; k < types.Length; ++k) {
                byte[] bytes = Enumerable.Range(1, sizes[k]).Select(n => (byte)(n & 15)).ToArray();
                inputs.Replace("i" + (int)types[k], OrtValue.CreateTensorValueFromBytes(bytes, types[k],
                    new long[] { 3 }));
                Check.Equal(null, session.InputMetadata["i" + (int)types[k]].ElementType);
                using (var results = session.Run(null, inputs, new[] { "o" + (int)types[k] }))
                    Check.Same(bytes, results[0].GetTensorMutableRawData().ToArray());
            }
        }
    }
    [Test("A tensor over an array is not copied: each sees what the other writes")]
    static void Borrowed() {
        var array = new[] { 1f, 2f, 3f, 4f };
        using (OrtValue value = OrtValue.CreateTensorValueFromMemory(OrtMemoryInfo.DefaultInstance,
                new Memory<float>(array, 1, 2), new long[] { 2 })) {
            array[1] = 20;
            Span<float> elements = value.GetTensorMutableDataAsSpan<float>();
            Check.Equal(20f, elements[0]);
            elements[1] = 30;
        }
        Check.Same(new[] { 1f, 20f, 30f, 4f }, array);
    }
    [Test("Strings keep their NULs, letters of all scripts and emptiness")]
    static void Strings() {
        var words = new[] { "a\0b", "größe 日本 🙂" };
        using (var session = new InferenceSession(Runner.Model("strings")))
        using (OrtValue a = OrtValue.CreateFromStringTensor(new DenseTensor<string>(words, new[] { 2 })))
        using (OrtValue b = OrtValue.CreateTensorWithEmptyStrings(OrtAllocator.DefaultInstance, new long[] { 2 })) {
            b.StringTensorSetElementAt("\0", 0);
            using (var results = session.Run(null, new[] { "a", "b" }, new[] { a, b }, new[] { "c" })) {
                Check.Same(new[] { "a\0b\0", "größe 日本 🙂" }, results[0].GetStringTensorAsArray());
                Check.Equal("a\0b\0", results[0].GetStringElement(0));
                Check.Equal("a\0b\0", results[0].GetStringElementAsMemory(0).ToString());
                Check.Same(new byte[] { 97, 0, 98, 0 }, results[0].GetStringElementAsSpan(0).ToArray());
            }
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("a", words.ToTensor()),
                NamedOnnxValue.CreateFromTensor("b", new[] { "", "!" }.ToTensor()) }))
                Check.Same(new[] { "a\0b", "größe 日本 🙂!" }, results.First().AsTensor<string>());
        }
    }
    [Test("A string that is no UTF-8 is an exception as text, and there as bytes; invalid UTF-16 is refused")]
    static void InvalidTexts() {
        using (OrtValue value = OrtValue.CreateTensorWithEmptyStrings(OrtAllocator.DefaultInstance, new long[] { 1 })) {
            value.StringTensorSetElementAt(new byte[] { 0xff, 65 }, 0);
            Check.Throws<System.Text.DecoderFallbackException>(() => value.GetStringElement(0));
            Check.Same(new byte[] { 0xff, 65 }, value.GetStringElementAsSpan(0).ToArray());
            Check.Throws<System.Text.EncoderFallbackException>(() => value.StringTensorSetElementAt("\ud83d", 0));
            Check.Throws<ArgumentNullException>(() => value.StringTensorSetElementAt((string)null, 0));
            Check.Fails(ErrorCode.NotFound, () => value.StringTensorSetElementAt("a", 1));
            Check.Fails(ErrorCode.NotFound, () => value.GetStringElement(-1));
        }
    }
    [Test("Tensors of rank 0 and of no elements run")]
    static void ScalarsAndEmptyTensors() {
        using (OrtValue scalar = OrtValue.CreateTensorValueFromMemory(new[] { 7L }, new long[0])) {
            Check.Equal(1L, scalar.GetTensorTypeAndShape().ElementCount);
            Check.Equal(0, scalar.GetTensorTypeAndShape().DimensionsCount);
        }
        using (var session = new InferenceSession(Runner.Model("two")))
        using (OrtValue empty = OrtValue.CreateTensorValueFromMemory(new float[0], new long[] { 0, 4 }))
        using (var results = session.Run(null, new[] { "x", "b" }, new[] { empty, empty }, new[] { "y", "z" })) {
            Check.Same(new long[] { 0, 4 }, results[1].GetTensorTypeAndShape().Shape);
            Check.Equal(0, results[1].GetTensorDataAsSpan<float>().Length);
            Check.Equal(0, results[0].GetTensorMemory<float>().Length);
        }
        using (var session = new InferenceSession(Runner.Model("two"))) {
            var none = new DenseTensor<float>(new[] { 0, 4 });
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", none),
                NamedOnnxValue.CreateFromTensor("b", none) }))
                Check.Equal(0L, results.First().AsTensor<float>().Length);
        }
    }
    [Test("Arguments of values are checked: sizes, ranks, memory, null, another type")]
    static void Arguments() {
        Check.Fails(ErrorCode.ShapeMismatch, () => OrtValue.CreateTensorValueFromMemory(new float[3],
            new long[] { 2, 2 }));
        Check.Fails(ErrorCode.InvalidArgument, () => OrtValue.CreateTensorValueFromMemory(new float[3],
            new long[] { -1 }));
        Check.Fails(ErrorCode.InvalidArgument, () => OrtValue.CreateTensorValueFromMemory(new float[3], new long[9]));
        Check.Fails(ErrorCode.LimitExceeded, () => OrtValue.CreateTensorValueFromMemory(new float[3],
            new[] { long.MaxValue, long.MaxValue }));
        Check.Throws<ArgumentNullException>(() => OrtValue.CreateTensorValueFromMemory((float[])null,
            new long[] { 1 }));
        Check.Throws<ArgumentNullException>(() => OrtValue.CreateTensorValueFromMemory(new float[3], null));
        Check.Fails(ErrorCode.TypeMismatch, () => OrtValue.CreateTensorValueFromMemory(new decimal[1],
            new long[] { 1 }));
        Check.Fails(ErrorCode.TypeMismatch, () => OrtValue.CreateTensorValueFromMemory(new[] { "a" },
            new long[] { 1 }));
        Check.Fails(ErrorCode.TypeMismatch, () => OrtValue.CreateAllocatedTensorValue(OrtAllocator.DefaultInstance,
            (TensorElementType)99, new long[] { 1 }));
        var nowhere = new OrtMemoryInfo("nowhere", OrtAllocatorType.DeviceAllocator, 0, OrtMemType.Default);
        Check.Fails(ErrorCode.InvalidArgument, () => OrtValue.CreateTensorValueFromMemory(nowhere,
            new Memory<float>(new float[1]), new long[] { 1 }));
        Check.Fails(ErrorCode.NotFound, () => OrtValue.CreateAllocatedTensorValue(new OrtAllocator(null, nowhere),
            TensorElementType.Float, new long[] { 1 }));
        using (OrtValue value = OrtValue.CreateTensorValueFromMemory(new float[3], new long[] { 3 })) {
            Check.Fails(ErrorCode.TypeMismatch, () => value.GetTensorDataAsSpan<int>());
            Check.Fails(ErrorCode.TypeMismatch, () => value.GetStringTensorAsArray());
            Check.Fails(ErrorCode.TypeMismatch, () => value.GetValue(0));
            Check.Equal("host", value.Memory);
        }
    }
    [Test("Unmanaged memory of the caller becomes a tensor, and a tensor has its address")]
    static void Unmanaged() {
        IntPtr memory = System.Runtime.InteropServices.Marshal.AllocHGlobal(16);
        try {
            System.Runtime.InteropServices.Marshal.Copy(new[] { 1, 2, 3, 4 }, 0, memory, 4);
            using (OrtValue value = OrtValue.CreateTensorValueWithData(OrtMemoryInfo.DefaultInstance,
                    TensorElementType.Int32, new long[] { 2, 2 }, memory, 16)) {
                Check.Equal(memory, value.GetTensorPointer());
                Check.Equal(16L, value.GetTensorSizeInBytes());
                using (OrtValue copy = value.CopyTo(OrtMemoryInfo.DefaultInstance)) {
                    Check.Same(new[] { 1, 2, 3, 4 }, copy.GetTensorDataAsSpan<int>().ToArray());
                    Check.True(copy.GetTensorPointer() != memory);
                }
            }
            Check.Fails(ErrorCode.ShapeMismatch, () => OrtValue.CreateTensorValueWithData(OrtMemoryInfo.DefaultInstance,
                TensorElementType.Int32, new long[] { 5 }, memory, 16));
        } finally {
            System.Runtime.InteropServices.Marshal.FreeHGlobal(memory);
        }
    }
    [Test("Float16 and BFloat16 round to the nearest, ties to even, and keep NaN and infinity")]
    static void Halves() {
        Check.Equal((ushort)0x3c00, ((Float16)1f).value);
        Check.Equal((ushort)0x7bff, ((Float16)65519.996f).value);
        Check.Equal((ushort)0x7c00, ((Float16)65520f).value);
        Check.Equal((ushort)0x0001, ((Float16)5.9604645e-8f).value);
        Check.Equal((ushort)0x0000, ((Float16)2.9802322e-8f).value);
        Check.Equal((ushort)0x0001, ((Float16)2.9802326e-8f).value);
        Check.Equal((ushort)0x8000, ((Float16)(-0f)).value);
        Check.Equal((ushort)0x3c00, ((Float16)1.00048828125f).value);
        Check.Equal((ushort)0x3c02, ((Float16)1.00146484375f).value);
        Check.True(Float16.IsNaN((Float16)float.NaN) && float.IsNaN(((Float16)float.NaN).ToFloat()));
        Check.Equal((ushort)0x3f80, ((BFloat16)1f).value);
        Check.Equal((ushort)0x3f80, ((BFloat16)1.00390625f).value);
        Check.Equal((ushort)0x3f82, ((BFloat16)1.01171875f).value);
        Check.Equal((ushort)0x7f80, ((BFloat16)float.MaxValue).value);
        Check.True(BFloat16.IsNaN((BFloat16)float.NaN));
        for (int bits = 0; bits < 65536; ++bits) {
            var half = new Float16((ushort)bits);
            if (!Float16.IsNaN(half)) Check.Equal(half, (Float16)half.ToFloat());
            var brain = new BFloat16((ushort)bits);
            if (!BFloat16.IsNaN(brain)) Check.Equal(brain, (BFloat16)brain.ToFloat());
        }
    }
}

// Values by name that are disposed together.
sealed class ValueMap : System.Collections.Generic.Dictionary<string, OrtValue>, IDisposable {
    internal void Replace(string name, OrtValue value) {
        this[name].Dispose();
        this[name] = value;
    }
    public void Dispose() {
        foreach (OrtValue value in Values) value.Dispose();
    }
}
