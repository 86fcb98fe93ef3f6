using System;
using System.Collections.Generic;
using System.Linq;
using Inlay.ML;
using Inlay.ML.Tensors;

static class ContainerTests {
    static OrtValue Pair(float a, float b) {
        return OrtValue.CreateTensorValueFromMemory(new[] { a, b }, new long[] { 2 });
    }

    [Test("Sequences go into a model and come out, as native values and as enumerations")]
    static void Sequences() {
        using (var session = new InferenceSession(Runner.Model("sequences"))) {
            using (OrtValue first = Pair(1, 2), second = Pair(3, 4), x = Pair(5, 6), sequence =
                OrtValue.CreateSequence(new[] { first, second }))
            using (var results = session.Run(null, new[] { "x", "s" }, new[] { x, sequence }, new[] { "t", "y" })) {
                Check.Equal(OnnxValueType.ONNX_TYPE_SEQUENCE, results[0].OnnxType);
                Check.Equal(3, results[0].GetValueCount());
                var visited = new List<float>();
                results[0].ProcessSequence((item, index) =>
                    visited.AddRange(item.GetTensorDataAsSpan<float>().ToArray()));
                Check.Same(new[] { 1f, 2, 3, 4, 5, 6 }, visited);
                Check.Same(visited, results[1].GetTensorDataAsSpan<float>().ToArray());
                Check.Fails(ErrorCode.NotFound, () => results[0].GetValue(3));
                Check.Fails(ErrorCode.TypeMismatch, () => results[0].GetTensorTypeAndShape());
                Check.Fails(ErrorCode.TypeMismatch, () => results[0].ProcessMap((keys, values) => { }));
            }
            var tensors = new[] { new[] { 1f, 2 }.ToTensor(), new[] { 3f, 4 }.ToTensor() };
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", new[] { 5f, 6 }.ToTensor()),
                    NamedOnnxValue.CreateFromSequence("s", tensors) })) {
                IEnumerable<NamedOnnxValue> items = results.First().AsEnumerable<NamedOnnxValue>();
                Check.Same(new[] { 1f, 2, 3, 4, 5, 6 }, items.SelectMany(item => item.AsTensor<float>()));
            }
            Check.Fails(ErrorCode.TypeMismatch, () => session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                new[] { 5f, 6 }.ToTensor()), NamedOnnxValue.CreateFromTensor("s", new[] { 5f, 6 }.ToTensor()) }));
        }
    }
    [Test("Maps of numbers and of strings go into a model and come out, as native values and as dictionaries")]
    static void Maps() {
        using (var session = new InferenceSession(Runner.Model("maps"))) {
            var x = new DenseTensor<float>(new[] { 1f, 2, 3 }, new[] { 1, 3 });
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", x),
                    NamedOnnxValue.CreateFromMap("m", new Dictionary<long, float> { { 9, 90 }, { 5, 50 } }) })) {
                IDictionary<long, float> map =
                    results.First().AsEnumerable<NamedOnnxValue>().Single().AsDictionary<long, float>();
                Check.Same(new[] { 5L, 7, 9 }, map.Keys.OrderBy(key => key));
                Check.Equal(1f, map[7]);
                Check.Same(new[] { 50f, 0, 90 }, results.Last().AsTensor<float>());
            }
            using (OrtValue map = OrtValue.CreateMap(new[] { 7L, 5 }, new[] { 70f, 50 })) {
                Check.Equal(2, map.GetValueCount());
                map.ProcessMap((keys, values) => {
                    Check.Same(new[] { 5L, 7 }, keys.GetTensorDataAsSpan<long>().ToArray());
                    Check.Same(new[] { 50f, 70 }, values.GetTensorDataAsSpan<float>().ToArray());
                });
                using (OrtValue input = x.Shape1())
                using (var results = session.Run(null, new[] { "x", "m" }, new[] { input, map }, new[] { "d" }))
                    Check.Same(new[] { 50f, 70, 0 }, results[0].GetTensorDataAsSpan<float>().ToArray());
            }
        }
        using (var session = new InferenceSession(Runner.Model("labels")))
        using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                new DenseTensor<float>(new[] { 1f, 2, 3, 4, 5, 6 }, new[] { 2, 3 })) })) {
            List<NamedOnnxValue> rows = results.First().AsEnumerable<NamedOnnxValue>().ToList();
            Check.Equal(6f, rows[1].AsDictionary<string, float>()["日本"]);
            Check.Equal(1f, rows[0].AsDictionary<string, float>()["größe"]);
        }
    }
    static OrtValue Shape1(this DenseTensor<float> tensor) {
        TensorElementType type;
        return OrtValue.CreateFromTensorObject(tensor, out type);
    }
    [Test("Maps hold strings, and what is no key or not as many is refused")]
    static void MapsOfStrings() {
        using (OrtValue map = OrtValue.CreateMapWithStringKeys(new[] { "b\0", "日本" }, new[] { 1.5, 2.5 })) {
            map.ProcessMap((keys, values) => {
                Check.Same(new[] { "b\0", "日本" }, keys.GetStringTensorAsArray());
                Check.Same(new[] { 1.5, 2.5 }, values.GetTensorDataAsSpan<double>().ToArray());
            });
        }
        using (OrtValue map = OrtValue.CreateMapWithStringValues(new[] { 1L }, new[] { "größe" }))
            map.ProcessMap((keys, values) => Check.Equal("größe", values.GetStringElement(0)));
        Check.Fails(ErrorCode.TypeMismatch, () => OrtValue.CreateMap(new[] { 1f }, new[] { 1f }));
        Check.Fails(ErrorCode.ShapeMismatch, () => OrtValue.CreateMap(new[] { 1L, 2 }, new[] { 1f }));
        Check.Fails(ErrorCode.InvalidArgument, () => OrtValue.CreateMap(new[] { 1L, 1 }, new[] { 1f, 2 }));
    }
    [Test("An optional is empty, or holds a value, which may be given as it is")]
    static void Optionals() {
        using (var session = new InferenceSession(Runner.Model("optionals"))) {
            using (OrtValue empty = OrtValue.CreateOptional(null))
            using (var results = session.Run(null, new[] { "o" }, new[] { empty }, new[] { "has", "same" })) {
                Check.Same(new[] { false }, results[0].GetTensorDataAsSpan<bool>().ToArray());
                Check.Equal(0, results[1].GetValueCount());
            }
            using (OrtValue item = Pair(1, 2), full = OrtValue.CreateOptional(item))
            using (var results = session.Run(null, new[] { "o" }, new[] { full }, new[] { "has", "same" })) {
                Check.Same(new[] { true }, results[0].GetTensorDataAsSpan<bool>().ToArray());
                using (OrtValue same = results[1].GetValue(0))
                    Check.Same(new[] { 1f, 2 }, same.GetTensorDataAsSpan<float>().ToArray());
            }
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("o",
                new[] { 3f, 4 }.ToTensor()) })) Check.Same(new[] { 3f, 4 }, results.Last().AsTensor<float>());
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromOptional("o", null) }))
                Check.Equal(null, results.Last().Value);
        }
    }
    [Test("Containers share what they hold: values may be disposed first, and pinned arrays stay where they are")]
    static void Sharing() {
        OrtValue sequence = Shared();
        LifetimeTests.Overwrite();
        OrtValue item = sequence.GetValue(1);
        sequence.Dispose();
        LifetimeTests.Overwrite();
        Check.Same(new[] { 3f, 4 }, item.GetTensorDataAsSpan<float>().ToArray());
        item.Dispose();
        Check.Throws<ObjectDisposedException>(() => sequence.GetValue(0));
    }
    static OrtValue Shared() {
        using (OrtValue first = Pair(1, 2), second = Pair(3, 4))
            return OrtValue.CreateSequence(new[] { first, second });
    }
}
