using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Inlay.ML;
using Inlay.ML.Tensors;

static class LifetimeTests {
    static readonly long[] shape = { 2, 4 };
    static OrtValue Eight(float value) {
        return OrtValue.CreateTensorValueFromMemory(Enumerable.Repeat(value, 8).ToArray(), shape);
    }

    [Test("Everything may be disposed twice, and used afterwards is an ObjectDisposedException, never a crash")]
    static void UseAfterDispose() {
        var session = new InferenceSession(Runner.Model("fixed"));
        OrtValue value = Eight(-1), item = Eight(1), sequence = OrtValue.CreateSequence(new[] { item });
        var runOptions = new RunOptions();
        var options = new SessionOptions();
        OrtIoBinding binding = session.CreateIoBinding();
        binding.BindInput("x", value);
        FixedBufferOnnxValue buffer = FixedBufferOnnxValue.CreateFromTensor(new DenseTensor<float>(new[] { 2, 4 }));
        var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
            new DenseTensor<float>(new[] { 2, 4 })) });
        Tensor<float> tensor = results.First().AsTensor<float>();
        var decoder = new InferenceSession(Runner.Model("decoder"));
        DecoderCache cache = decoder.MakeCache(4);
        for (int k = 0; k < 2; ++k)
            foreach (IDisposable one in new IDisposable[] { results, sequence, item, runOptions, options, binding,
                buffer, session, value, cache, decoder })
                one.Dispose();
        Check.Throws<ObjectDisposedException>(() => value.GetTensorDataAsSpan<float>());
        Check.Throws<ObjectDisposedException>(() => value.OnnxType.ToString());
        Check.Throws<ObjectDisposedException>(() => sequence.GetValueCount());
        Check.Throws<ObjectDisposedException>(() => tensor.GetValue(0));
        Check.Throws<ObjectDisposedException>(() => runOptions.Terminate = true);
        Check.Throws<ObjectDisposedException>(() => options.IntraOpNumThreads = 1);
        Check.Throws<ObjectDisposedException>(() => new InferenceSession(Runner.Digits, options));
        Check.Throws<ObjectDisposedException>(() => binding.BindInput("x", shape));
        Check.Throws<ObjectDisposedException>(() => binding.GetOutputValues());
        Check.Throws<ObjectDisposedException>(() => session.Plan());
        Check.Throws<ObjectDisposedException>(() => session.GetProviders());
        Check.Throws<ObjectDisposedException>(() => session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
            new DenseTensor<float>(new[] { 2, 4 })) }));
        Check.Throws<ObjectDisposedException>(() => cache.Rows.ToString());
        Check.Throws<ObjectDisposedException>(() => OrtValue.CreateSequence(new[] { value }));
        using (var other = new InferenceSession(Runner.Model("fixed"))) {
            Check.Throws<ObjectDisposedException>(() => other.Run(null, new[] { "x" }, new[] { value }, new[] { "y" }));
            Check.Throws<ObjectDisposedException>(() => other.Run(new[] { "x" }, new[] { buffer }));
            Check.Throws<ObjectDisposedException>(() => other.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                tensor) }));
            using (var good = Eight(-1))
                Check.Throws<ObjectDisposedException>(() => other.Run(runOptions, new[] { "x" }, new[] { good },
                    new[] { "y" }));
            using (OrtIoBinding open = other.CreateIoBinding())
                Check.Throws<ObjectDisposedException>(() => open.BindInput("x", value));
        }
    }
    [Test("A binding runs over memory of the caller, over its own, and again after other values are bound")]
    static void Binding() {
        using (var session = new InferenceSession(Runner.Model("two")))
        using (OrtIoBinding binding = session.CreateIoBinding()) {
            float[] y = new float[8], x = Enumerable.Repeat(1f, 8).ToArray();
            Check.Fails(ErrorCode.InvalidArgument, () => session.RunWithBinding(null, binding));
            using (OrtValue input = OrtValue.CreateTensorValueFromMemory(x, shape), output =
                    OrtValue.CreateTensorValueFromMemory(y, shape)) {
                binding.BindInput("x", input);
                binding.BindInput("b", shape);
                binding.BindOutput("y", output);
                binding.BindOutputToDevice("z", OrtMemoryInfo.DefaultInstance);
            }  // the binding keeps the values
            GC.Collect();
            using (OrtValue b = binding.GetInputValue("b")) b.GetTensorMutableDataAsSpan<float>().Fill(2);
            Check.Same(new[] { "y", "z" }, binding.GetOutputNames());
            session.RunWithBinding(null, binding);
            Check.Same(Enumerable.Repeat(3f, 8), y);
            x[0] = 10;
            using (var results = session.RunWithBindingAndNames(null, binding, new[] { "sum", "negative" })) {
                Check.Equal(12f, y[0]);
                Check.Equal("negative", results.Last().Name);
                Check.Equal(-10f, results.Last().AsTensor<float>()[0, 0]);
            }
            using (OrtValue other = Eight(5)) binding.BindInput("x", other);
            session.RunWithBinding(null, binding);
            Check.Equal(7f, y[0]);
            var three = new long[] { 3, 4 };
            binding.BindInput("x", three);
            binding.BindInput("b", three);
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            session.RunWithBinding(null, binding);
            using (var results = binding.GetOutputValues()) Check.Same(three, results[0].GetTensorTypeAndShape().Shape);
            Check.Equal(7f, y[0]);
            Check.Contains("\"schema\":\"inlay.profile\"", binding.Profile(3));
            Check.True(binding.GetExecutedNodes("CPUExecutionProvider") > 0);
            Check.Fails(ErrorCode.NotFound, () => binding.BindInput("X", shape));
            Check.Fails(ErrorCode.NotFound, () => binding.BindOutputToDevice("Y", OrtMemoryInfo.DefaultInstance));
            binding.SynchronizeBoundInputs();
            binding.ClearBoundInputs();
            binding.ClearBoundOutputs();
            Check.Fails(ErrorCode.InvalidArgument, () => session.RunWithBinding(null, binding));
            using (var foreign = new InferenceSession(Runner.Digits))
                Check.Fails(ErrorCode.InvalidArgument, () => foreign.RunWithBinding(null, binding));
        }
    }
    [Test("A binding has outputs of data-dependent shape, strings, and sequences")]
    static void BindingOfOthers() {
        using (var session = new InferenceSession(Runner.Model("late")))
        using (OrtIoBinding binding = session.CreateIoBinding()) {
            var x = new[] { 0f, 1, 0, 1 };
            using (OrtValue value = OrtValue.CreateTensorValueFromMemory(x, new long[] { 4 }))
                binding.BindInput("x", value);
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            using (var results = session.RunWithBoundResults(null, binding))
                Check.Same(new[] { 1L, 3 }, results[0].GetTensorDataAsSpan<long>().ToArray());
            x[0] = 1;
            using (var results = session.RunWithBoundResults(null, binding))
                Check.Same(new[] { 0L, 1, 3 }, results[0].GetTensorDataAsSpan<long>().ToArray());
            var y = new long[3];
            using (OrtValue target = OrtValue.CreateTensorValueFromMemory(y, new long[] { 1, 3 }))
                binding.BindOutput("y", target);
            session.RunWithBinding(null, binding);
            Check.Same(new[] { 0L, 1, 3 }, y);
            x[1] = 0;
            Check.Fails(ErrorCode.ShapeMismatch, () => session.RunWithBinding(null, binding));
        }
        using (var session = new InferenceSession(Runner.Model("strings")))
        using (OrtIoBinding binding = session.CreateIoBinding())
        using (OrtValue a = OrtValue.CreateFromStringTensor(new[] { "größe", "\0" }.ToTensor()), c =
                OrtValue.CreateTensorWithEmptyStrings(OrtAllocator.DefaultInstance, new long[] { 2 })) {
            binding.BindInput("a", a);
            binding.BindInput("b", a);
            binding.BindOutput("c", c);
            session.RunWithBinding(null, binding);
            Check.Same(new[] { "größegröße", "\0\0" }, c.GetStringTensorAsArray());
        }
        using (var session = new InferenceSession(Runner.Model("sequences")))
        using (OrtIoBinding binding = session.CreateIoBinding())
        using (OrtValue x = OrtValue.CreateTensorValueFromMemory(new[] { 1f, 2 }, new long[] { 2 }), s =
                OrtValue.CreateSequence(new[] { x })) {
            binding.BindInput("x", x);
            binding.BindInput("s", s);
            binding.BindOutputToDevice("t", OrtMemoryInfo.DefaultInstance);
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            using (var results = session.RunWithBoundResults(null, binding)) {
                Check.Equal(2, results[0].GetValueCount());
                Check.Same(new[] { 1f, 2, 1, 2 }, results[1].GetTensorDataAsSpan<float>().ToArray());
            }
        }
    }
    [Test("Results of a binding outlive it and its session, whose log is a callback, and whose providers change")]
    static void BindingOutlives() {
        using (var options = new SessionOptions { LogSeverityLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE, Log =
            (severity, text) => { } })
        using (var reference = new SessionOptions()) {
            reference.AppendExecutionProvider("reference");
            var session = new InferenceSession(Runner.Model("fixed"), options);
            OrtIoBinding binding = session.CreateIoBinding();
            using (OrtValue x = Eight(-3)) binding.BindInput("x", x);
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            session.RunWithBinding(null, binding);
            session.SetProviders(reference);
            session.RunWithBinding(null, binding);
            Check.Equal(1L, binding.GetExecutedNodes(session.GetProviders()[0].Name) > 0 ? 1L : 0L);
            session.Dispose();
            Check.Throws<ObjectDisposedException>(() => session.RunWithBinding(null, binding));
            IDisposableReadOnlyCollection<OrtValue> results = binding.GetOutputValues();
            binding.Dispose();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Check.Same(Enumerable.Repeat(3f, 8), results[0].GetTensorDataAsSpan<float>().ToArray());
            results.Dispose();
        }
    }
    [Test("A binding does one thing at a time: a second thread gets an exception")]
    static void OneAtATime() {
        using (var session = new InferenceSession(Runner.Model("loop")))
        using (OrtIoBinding binding = session.CreateIoBinding())
        using (var options = new RunOptions()) {
            using (OrtValue times = OrtValue.CreateTensorValueFromMemory(new[] { long.MaxValue }, new long[0]), go =
                    OrtValue.CreateTensorValueFromMemory(new[] { true }, new long[0]), x =
                    OrtValue.CreateTensorValueFromMemory(new float[4], new long[] { 4 })) {
                binding.BindInput("times", times);
                binding.BindInput("go", go);
                binding.BindInput("x", x);
            }
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            Task<OnnxRuntimeException> run = Task.Run(() => {
                OnnxRuntimeException e;
                do e = Check.Throws<OnnxRuntimeException>(() => session.RunWithBinding(options, binding));
                while (e.Code == ErrorCode.InvalidArgument);  // the test itself had the binding
                return e;
            });
            OnnxRuntimeException inUse = null;
            while (inUse == null && !run.IsCompleted) inUse = InUse(binding);
            Check.Contains("another thread", inUse.Message);
            Check.Fails(ErrorCode.InvalidArgument, () => session.RunWithBinding(null, binding));
            Check.Fails(ErrorCode.InvalidArgument, () => binding.Dispose());
            options.Terminate = true;
            Check.Equal(ErrorCode.Stopped, run.Result.Code);
        }
    }
    static OnnxRuntimeException InUse(OrtIoBinding binding) {
        try {
            binding.SynchronizeBoundInputs();
            return null;
        } catch (OnnxRuntimeException e) {
            return e;
        }
    }
    [Test("A session is disposed while another thread runs it: the run ends as it would")]
    static void DisposedWhileItRuns() {
        var session = new InferenceSession(Runner.Model("loop"));
        using (var options = new RunOptions()) {
            var started = new ManualResetEvent(false);
            Task<OnnxRuntimeException> run = Task.Run(() => Check.Throws<OnnxRuntimeException>(() => {
                started.Set();
                session.Run(SessionTests.Endless(), session.OutputNames, options);
            }));
            started.WaitOne();
            Thread.Sleep(300);  // so that it is within the library
            session.Dispose();
            GC.Collect();
            options.Terminate = true;
            Check.Equal(ErrorCode.Stopped, run.Result.Code);
        }
    }

    // ---- Memory

    static long ResidentKilobytes() {
        return long.Parse(File.ReadLines("/proc/self/status").First(line =>
            line.StartsWith("VmRSS")).Split(new[] { ' ', '\t' }, StringSplitOptions.RemoveEmptyEntries)[1]);
    }
    static void RequireFlat(string name, int runs, Action run, long limit = 2500) {
        for (int k = 0; k < runs / 4; ++k) run();
        for (int k = 0; k < 1 << 16; ++k) new byte[1000].ToString();  // touches what the collector has for new objects
        Settle();
        long before = ResidentKilobytes();
        for (int k = 0; k < runs; ++k) run();
        Settle();
        long growth = ResidentKilobytes() - before;
        Console.WriteLine("  " + name + ": " + runs + " runs, " + growth + " kB more");
        Check.True(growth < limit, name + ": memory grew by " + growth + " kB in " + runs + " runs");
    }
    // Moves and frees what it may, and writes over where it was.
    internal static void Overwrite() {
        for (int round = 0; round < 3; ++round) {
            GC.Collect(round % 2);
            GC.WaitForPendingFinalizers();
            for (int k = 0; k < 200000; ++k) {
                var array = new float[2 + k % 7];
                for (int i = 0; i < array.Length; ++i) array[i] = -123;
            }
        }
    }
    static void Settle() {
        for (int k = 0; k < 3; ++k) {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }
    [Test("Memory stays flat over 100,000 runs of each kind, also where nothing is disposed")]
    static void Flat() {
        float[] x = new float[8], y = new float[8];
        var tensor = new DenseTensor<float>(x, new[] { 2, 4 });
        string[] inputs = { "x" }, outputs = { "y" };
        using (var session = new InferenceSession(Runner.Model("fixed")))
        using (OrtIoBinding binding = session.CreateIoBinding())
        using (OrtValue fixedInput = OrtValue.CreateTensorValueFromMemory(x, shape), fixedOutput =
                OrtValue.CreateTensorValueFromMemory(y, shape)) {
            binding.BindInput("x", fixedInput);
            binding.BindOutput("y", fixedOutput);
            RequireFlat("errors", 40000, () => Check.Throws<OnnxRuntimeException>(() =>
                session.Run(null, inputs, new[] { fixedInput }, inputs)));
            RequireFlat("a binding", 100000, () => session.RunWithBinding(null, binding));
            RequireFlat("native values", 100000, () => session.Run(null, inputs, new[] { fixedInput },
                outputs).Dispose());
            RequireFlat("managed tensors", 100000, () => session.Run(new[] { NamedOnnxValue.CreateFromTensor("x",
                tensor) }).Dispose());
            RequireFlat("nothing is disposed", 100000, () =>
                session.Run(null, inputs, new[] { OrtValue.CreateTensorValueFromMemory(new float[8], shape) },
                outputs));
        }
    }
    [Test("Memory stays flat over 1,000 sessions with callbacks, which are not disposed")]
    static void Sessions() {
        RequireFlat("sessions", 1000, () => {
            using (var options = new SessionOptions()) {
                options.LogSeverityLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE;
                options.Log = (severity, text) => { };
                options.Progress = (stage, done, total) => true;
                new InferenceSession(Runner.Model("fixed"), options).CreateIoBinding();
            }
        }, 10000);  // each has more than 200 kB, and some dozens wait for the collector
    }
    [Test("Memory stays flat over 3,000 bindings that are not disposed, with the arrays that they pin")]
    static void Bindings() {
        using (var session = new InferenceSession(Runner.Model("two"))) {
            var size = new long[] { 4096, 4 };
            RequireFlat("bindings", 3000, () => {
                OrtIoBinding binding = session.CreateIoBinding();
                OrtValue x = OrtValue.CreateTensorValueFromMemory(new float[4096 * 4], size);
                binding.BindInput("x", x);
                binding.BindInput("b", x);
                binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
                session.RunWithBinding(null, binding);
            }, 100000);  // of 200,000 that the arrays have
        }
    }
    [Test("Large results that are not disposed are collected in time")]
    static void LargeResults() {
        var elements = new float[1 << 19];
        var size = new long[] { 1 << 17, 4 };
        using (var session = new InferenceSession(Runner.Model("two")))
        using (OrtValue x = OrtValue.CreateTensorValueFromMemory(elements, size))
            for (int k = 0; k < 400; ++k) session.Run(null, new[] { "x", "b" }, new[] { x, x }, new[] { "y", "z" });
        long resident = ResidentKilobytes();
        Check.True(resident < 1000000, "1.6 GB of results are " + resident + " kB of memory");
    }
    [Test("Runs over a binding allocate no managed memory")]
    static void NoAllocation() {
        using (var session = new InferenceSession(Runner.Model("fixed")))
        using (OrtIoBinding binding = session.CreateIoBinding()) {
            binding.BindInput("x", shape);
            binding.BindOutputToDevice("y", OrtMemoryInfo.DefaultInstance);
            session.RunWithBinding(null, binding);
            Settle();
            int collections = GC.CollectionCount(0);
            for (int k = 0; k < 500000; ++k)
                session.RunWithBinding(null, binding);  // of 16 bytes each, two collections
            Check.Equal(collections, GC.CollectionCount(0));
        }
    }
    [Test("Arrays that only a value refers to are not moved while the collector runs between runs")]
    static void Pinned() {
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            var values = new List<OrtValue>();
            for (int k = 0; k < 200; ++k) {
                values.Add(Fresh(k));
                new byte[1000 * k].ToString();
                if (k % 10 == 0) GC.Collect(k % 30 == 0 ? 2 : 0);
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
            for (int k = 0; k < values.Count; ++k)
                using (var results = session.Run(null, new[] { "x" }, new[] { values[k] }, new[] { "y" }))
                    Check.Same(Enumerable.Repeat((float)k, 8), results[0].GetTensorDataAsSpan<float>().ToArray());
            foreach (OrtValue value in values) value.Dispose();
        }
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static OrtValue Fresh(int number) { return Eight(-number); }
    [Test("Memory of the caller that a binding wrote stays as long as results refer to it")]
    static void BoundOutputs() {
        using (var session = new InferenceSession(Runner.Model("fixed"))) {
            IDisposableReadOnlyCollection<OrtValue> results = Bound(session);
            Overwrite();
            Check.Same(Enumerable.Repeat(4f, 8), results[0].GetTensorDataAsSpan<float>().ToArray());
            results.Dispose();
        }
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static IDisposableReadOnlyCollection<OrtValue> Bound(InferenceSession session) {
        using (OrtIoBinding binding = session.CreateIoBinding())
        using (OrtValue x = Eight(-4), y = Eight(0)) {
            binding.BindInput("x", x);
            binding.BindOutput("y", y);
            return session.RunWithBoundResults(null, binding);
        }
    }
    [Test("A disposed value unpins its array, which then is collected")]
    static void Unpinned() {
        WeakReference array = Disposed();
        for (int k = 0; k < 10 && array.IsAlive; ++k) {
            Dirty(50);
            Settle();
        }
        Check.True(!array.IsAlive, "the array is still there");
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Disposed() {
        var array = new float[100000];
        OrtValue.CreateTensorValueFromMemory(array, new long[] { 100000 }).Dispose();
        return new WeakReference(array);
    }
    // Overwrites the stack, which a conservative collector searches.
    static int Dirty(int depth) { return depth == 0 ? 0 : 1 + Dirty(depth - 1); }
}
