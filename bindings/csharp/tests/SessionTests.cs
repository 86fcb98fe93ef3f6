using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Inlay.ML;
using Inlay.ML.Tensors;

static class SessionTests {
    internal static DenseTensor<float> One() {  // an image of it
        var image = new DenseTensor<float>(new[] { 1, 1, 8, 8 });
        for (int row = 1; row < 7; ++row) image[0, 0, row, 4] = 1;
        return image;
    }
    internal static int Digit(InferenceSession session, DenseTensor<float> image) {
        using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("image", image) })) {
            List<float> scores = results.First().AsTensor<float>().ToList();
            return scores.IndexOf(scores.Max());
        }
    }
    [Test("A model runs from a file, from its bytes, and from a path with letters of all scripts")]
    static void Sources() {
        using (var session = new InferenceSession(Runner.Digits)) Check.Equal(1, Digit(session, One()));
        using (var session = new InferenceSession(File.ReadAllBytes(Runner.Digits)))
            Check.Equal(1, Digit(session, One()));
        string folder = Path.Combine(Path.GetTempPath(), "größe 日本 " + Guid.NewGuid());
        Directory.CreateDirectory(folder);
        try {
            string file = Path.Combine(folder, "été 🙂.onnx");
            File.Copy(Runner.Digits, file);
            using (var session = new InferenceSession(file, new SessionOptions()))
                Check.Equal(1, Digit(session, One()));
        } finally {
            Directory.Delete(folder, true);
        }
    }
    [Test("A file that is not there, bytes that are no model, null and a path with a NUL are exceptions")]
    static void NoModel() {
        var e = Check.Fails(ErrorCode.NotFound, () => new InferenceSession("/no/such/größe.onnx"));
        Check.Contains("/no/such/größe.onnx", e.Message);
        Check.Equal("not_found", e.Name);
        Check.Fails(ErrorCode.InvalidModel, () => new InferenceSession(new byte[] { 1, 2, 3 }));
        Check.Throws<ArgumentNullException>(() => new InferenceSession((byte[])null));
        Check.Throws<ArgumentNullException>(() => new InferenceSession((string)null));
        Check.Throws<ArgumentException>(() => new InferenceSession("a\0b"));
        var unknown = Check.Fails(ErrorCode.NoProvider, () => new InferenceSession(Runner.Model("unknown")));
        Check.Equal("Something", unknown.Operator);
    }
    [Test("Metadata has names, types, sizes and names of axes")]
    static void Metadata() {
        using (var session = new InferenceSession(Runner.Model("two"))) {
            Check.Same(new[] { "x", "b" }, session.InputNames);
            Check.Same(new[] { "y", "z" }, session.OutputNames);
            NodeMetadata x = session.InputMetadata["x"];
            Check.True(x.IsTensor && !x.IsString && x.HasShape);
            Check.Equal(TensorElementType.Float, x.ElementDataType);
            Check.Equal(typeof(float), x.ElementType);
            Check.Equal("tensor(float)", x.TypeText);
            Check.Same(new[] { -1, 4 }, x.Dimensions);
            Check.Same(new[] { "N", "" }, x.SymbolicDimensions);
            Check.Fails(ErrorCode.TypeMismatch, () => x.AsSequenceMetadata());
            Check.Equal(0, session.OverridableInitializerMetadata.Count);
        }
        using (var session = new InferenceSession(Runner.Model("maps"))) {
            MapMetadata map = session.OutputMetadata["z"].AsSequenceMetadata().ElementMeta.AsMapMetadata();
            Check.Equal(TensorElementType.Int64, map.KeyDataType);
            Check.Equal(TensorElementType.Float, map.ValueMetadata.ElementDataType);
        }
        using (var session = new InferenceSession(Runner.Model("optionals"))) {
            Check.Equal(OnnxValueType.ONNX_TYPE_OPTIONAL, session.InputMetadata["o"].OnnxValueType);
            Check.Equal(TensorElementType.Float,
                session.InputMetadata["o"].AsOptionalMetadata().ElementMeta.ElementDataType);
        }
    }
    [Test("A model's own metadata: its writer, version, domain, texts, and entries in letters of all scripts")]
    static void ModelMetadata() {
        using (var session = new InferenceSession(Runner.Model("two"))) {
            ModelMetadata data = session.ModelMetadata;
            Check.Equal("a writer", data.ProducerName);
            Check.Equal(7L, data.Version);
            Check.Equal("org.example", data.Domain);
            Check.Equal("two", data.GraphName);
            Check.Equal("adds and negates", data.Description);
            Check.Same(new[] { "author", "empty" }, data.CustomMetadataMap.Keys.OrderBy(key => key));
            Check.Equal("a test", data.CustomMetadataMap["author"]);
        }
        using (var session = new InferenceSession(Runner.Model("labels"))) {
            Check.Equal("die größte Zahl", session.ModelMetadata.Description);
            Check.Equal("日本 🙂", session.ModelMetadata.CustomMetadataMap["été"]);
        }
    }
    static TensorElementType Type(this OrtValue value) { return value.GetTensorTypeAndShape().ElementDataType; }
    static OrtValue Over(DenseTensor<float> tensor) {
        TensorElementType type;
        return OrtValue.CreateFromTensorObject(tensor, out type);
    }
    [Test("Each overload of Run gives the same results")]
    static void Overloads() {
        float[] x = Enumerable.Range(0, 8).Select(k => k - 4f).ToArray();
        float[] expected = x.Select(v => Math.Max(-v, 0)).ToArray();
        var tensor = new DenseTensor<float>(x, new[] { 2, 4 });
        string[] inputs = { "x" }, outputs = { "y" };
        var named = new[] { NamedOnnxValue.CreateFromTensor("x", tensor) };
        var shape = new long[] { 2, 4 };
        using (var session = new InferenceSession(Runner.Model("fixed")))
        using (var options = new RunOptions())
        using (OrtValue value = OrtValue.CreateTensorValueFromMemory(x, shape))
        using (FixedBufferOnnxValue buffer = FixedBufferOnnxValue.CreateFromTensor(tensor)) {
            using (var results = session.Run(named)) Check.Same(expected, results.First().AsTensor<float>());
            using (var results = session.Run(named, outputs))
                Check.Same(expected, results.First().AsEnumerable<float>());
            using (var results = session.Run(named, outputs, options)) Check.Equal("y", results.First().Name);
            using (var results = session.Run(inputs, new[] { buffer }))
                Check.Same(expected, results.First().AsTensor<float>());
            using (var results = session.Run(inputs, new[] { buffer }, outputs, options))
                Check.Same(expected, results.First().AsTensor<float>());
            using (var results = session.Run(options, inputs, new[] { value }, outputs))
                Check.Same(expected, results.First().GetTensorDataAsSpan<float>().ToArray());
            using (var results = session.Run(options, new Dictionary<string, OrtValue> { { "x", value } }, outputs))
                Check.Same(expected, results.First().GetTensorDataAsSpan<float>().ToArray());
            var intoMemory = new Action<DenseTensor<float>>[] {
                y => session.Run(named, new[] { NamedOnnxValue.CreateFromTensor("y", y) }),
                y => session.Run(inputs, new[] { buffer }, new[] { NamedOnnxValue.CreateFromTensor("y", y) }),
                y => {
                    using (var target = FixedBufferOnnxValue.CreateFromTensor(y))
                        session.Run(named, outputs, new[] { target });
                },
                y => {
                    var host = OrtMemoryInfo.DefaultInstance;
                    using (var target = FixedBufferOnnxValue.CreateFromMemory(host, y.Buffer, value.Type(), shape, 32))
                        session.Run(inputs, new[] { buffer }, outputs, new[] { target });
                },
                y => {
                    using (OrtValue target = Over(y))
                        session.Run(options, inputs, new[] { value }, outputs, new[] { target });
                },
                y => {
                    using (OrtValue target = Over(y))
                        session.RunAsync(options, inputs, new[] { value }, outputs, new[] { target }).Wait();
                }
            };
            foreach (Action<DenseTensor<float>> run in intoMemory) {
                var y = new DenseTensor<float>(new[] { 2, 4 });
                run(y);
                Check.Same(expected, y);
            }
        }
    }
    [Test("Wrong names, types and shapes are exceptions whose fields say what is wrong")]
    static void Errors() {
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            var x = new DenseTensor<float>(new[] { 2, 4 });
            Func<string, Tensor<float>, NamedOnnxValue[]> named = (name, tensor) =>
                new[] { NamedOnnxValue.CreateFromTensor(name, tensor) };
            var e = Check.Fails(ErrorCode.ShapeMismatch, () =>
                session.Run(named("x", new DenseTensor<float>(new[] { 2, 5 }))));
            Check.Equal("shape_mismatch", e.Name);
            Check.Contains("x", e.Text);
            Check.Contains("5", e.Text + e.Shapes);
            Check.Contains(e.Text, e.Message);
            Check.Fails(ErrorCode.TypeMismatch, () => session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                new DenseTensor<double>(new[] { 2, 4 })) }));
            Check.Contains("`X`", Check.Fails(ErrorCode.NotFound, () => session.Run(named("X", x))).Message);
            Check.Fails(ErrorCode.NotFound, () => session.Run(named("x", x), new[] { "Y" }));
            Check.Fails(ErrorCode.InvalidArgument, () => session.Run(named("x", x), new string[0]));
            Check.Throws<OnnxRuntimeException>(() => session.Run(new NamedOnnxValue[0]));
            Check.Throws<ArgumentException>(() => session.Run(null, new[] { "x" }, new OrtValue[0], new[] { "y" }));
            Check.Throws<ArgumentException>(() => session.Run(null, new[] { "x" }, new OrtValue[] { null },
                new[] { "y" }));
            var target = new DenseTensor<float>(new[] { 4, 2 });
            Check.Fails(ErrorCode.ShapeMismatch, () => session.Run(named("x", x), named("y", target)));
            Check.Fails(ErrorCode.TypeMismatch, () => session.Run(named("x", x),
                new[] { NamedOnnxValue.CreateFromTensor("y", new DenseTensor<int>(new[] { 2, 4 })) }));
        }
        using (var session = new InferenceSession(Runner.Model("gather"))) {
            var e = Check.Fails(ErrorCode.InvalidValue, () =>
                session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", new float[3].ToTensor()),
                NamedOnnxValue.CreateFromTensor("i", new[] { 7L }.ToTensor()) }));
            Check.Equal("Gather", e.Operator);
            Check.Equal(13, e.OperatorVersion);
            Check.True(e.Node.Length > 0, "the node has no name");
            Check.Equal("CPUExecutionProvider", e.Provider);
        }
    }
    [Test("An exception is caught by its code")]
    static void Caught() {
        var inputs = new[] { NamedOnnxValue.CreateFromTensor("x", new DenseTensor<float>(new[] { 2, 5 })) };
        System.IO.TextWriter error = Console.Error;
        var written = new StringWriter();
        Console.SetError(written);
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            try {
                session.Run(inputs);
            } catch (OnnxRuntimeException e) when (e.Code == ErrorCode.ShapeMismatch) {
                Console.Error.WriteLine(e.Text);
            } finally {
                Console.SetError(error);
            }
        }
        Check.Contains("x", written.ToString());
    }
    [Test("Outputs stay valid when their session and inputs are disposed")]
    static void OutputsOutlive() {
        IDisposableReadOnlyCollection<DisposableNamedOnnxValue> results;
        var x = new DenseTensor<float>(new[] { -1f, 2, 3, 4, 5, 6, 7, 8 }, new[] { 2, 4 });
        using (var session = new InferenceSession(Runner.Model("fixed")))
            results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", x) });
        x.Fill(100);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Check.Same(new[] { 1f, 0, 0, 0, 0, 0, 0, 0 }, results.First().AsTensor<float>());
        results.Dispose();
    }
    [Test("A result of one run is an input of the next, without a copy of its own")]
    static void Chained() {
        using (var session = new InferenceSession(Runner.Model("fixed")))
        using (var first = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
            new DenseTensor<float>(Enumerable.Repeat(-2f, 8).ToArray(), new[] { 2, 4 })) }))
        using (var second = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
            first.First().AsTensor<float>()) }))
            Check.Same(new float[8], second.First().AsTensor<float>());
    }
    [Test("Several threads run one session at once, each with its own results")]
    static void Threads() {
        using (var session = new InferenceSession(Runner.Model("two"))) {
            Exception failure = null;
            Thread[] threads = Enumerable.Range(1, 4).Select(number => new Thread(() => {
                try {
                    for (int run = 0; run < 500; ++run) {
                        var x = new DenseTensor<float>(Enumerable.Repeat((float)number, number * 4).ToArray(),
                            new[] { number, 4 });
                        using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x", x),
                            NamedOnnxValue.CreateFromTensor("b", x) }))
                            Check.Same(Enumerable.Repeat(2f * number, number * 4), results.First().AsTensor<float>());
                    }
                } catch (Exception e) {
                    failure = e;
                }
            })).ToArray();
            foreach (Thread thread in threads) thread.Start();
            foreach (Thread thread in threads) thread.Join();
            Check.True(failure == null, "" + failure);
        }
    }
    internal static NamedOnnxValue[] Endless() {
        return new[] { NamedOnnxValue.CreateFromTensor("times",
            new DenseTensor<long>(new[] { long.MaxValue }, new int[0])),
            NamedOnnxValue.CreateFromTensor("go", new DenseTensor<bool>(new[] { true }, new int[0])),
            NamedOnnxValue.CreateFromTensor("x", new float[4].ToTensor()) };
    }
    [Test("A run that would never end is terminated by another thread, and one with a deadline ends by itself")]
    static void Terminated() {
        using (var session = new InferenceSession(Runner.Model("loop")))
        using (var options = new RunOptions()) {
            Task<OnnxRuntimeException> run = Task.Run(() =>
                Check.Throws<OnnxRuntimeException>(() => session.Run(Endless(), session.OutputNames, options)));
            Thread.Sleep(50);
            options.Terminate = true;
            Check.Equal(ErrorCode.Stopped, run.Result.Code);
            Check.True(options.Terminate);
            Check.Fails(ErrorCode.Stopped, () => session.Run(Endless(), session.OutputNames, options));
            options.Terminate = false;
            options.SetDeadline(TimeSpan.FromMilliseconds(20));
            Check.Fails(ErrorCode.DeadlinePassed, () => session.Run(Endless(), session.OutputNames, options));
            options.SetDeadline(TimeSpan.MaxValue);
            options.ClearDeadline();
            NamedOnnxValue[] few = Endless();
            few[0].AsTensor<long>().SetValue(0, 3);
            using (var results = session.Run(few, session.OutputNames, options))
                Check.Equal(4L, results.First().AsTensor<float>().Length);
        }
    }
    [Test("Plans and memory are JSON, for shapes by name, and memory is released")]
    static void Reports() {
        using (var session = new InferenceSession(Runner.Model("two"))) {
            var shapes = new Dictionary<string, long[]> { { "x", new long[] { 5, 4 } }, { "b", new long[] { 5, 4 } } };
            Check.Contains("\"schema\":\"inlay.plan\"", session.Plan(shapes));
            Check.Contains("[5,4]", session.Plan(shapes));
            Check.Contains("\"schema\":\"inlay.memory\"", session.Memory(shapes));
            Check.Contains("CPUExecutionProvider", session.Plan(shapes));
            Check.Fails(ErrorCode.NotFound, () => session.Plan(new Dictionary<string,
                long[]> { { "nothing", new long[] { 1 } } }));
            session.ReleaseMemory();
        }
    }
    [Test("A decoder's cache keeps its rows in place")]
    static void Decoder() {
        using (var session = new InferenceSession(Runner.Model("decoder")))
        using (DecoderCache cache = session.MakeCache(8))
        using (OrtValue x = OrtValue.CreateTensorValueFromMemory(new[] { 1f, 2, 3, 4 }, new long[] { 1, 1, 4 })) {
            var inputs = new Dictionary<string, OrtValue> { { "x", x } };
            for (int run = 1; run <= 3; ++run)
                using (var results = session.RunWithCache(null, inputs, new[] { "y" }, cache))
                    Check.Same(new long[] { 1, run, 4 }, results[0].GetTensorTypeAndShape().Shape);
            Check.Equal(3L, cache.Rows);
            Check.Equal(8L, cache.Capacity);
            cache.Keep(1);
            using (OrtValue past = cache.Past("past"))
                Check.Same(new[] { 1f, 2, 3, 4 }, past.GetTensorDataAsSpan<float>().ToArray());
            Check.Contains("\"present\"", cache.Pairs());
        }
    }
}
