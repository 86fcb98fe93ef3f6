// Digits.exe MODEL: the digits model by P/Invoke, with the standard library of Mono or .NET alone:
//   mcs Digits.cs && LD_LIBRARY_PATH=... mono Digits.exe MODEL
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

static class Inlay {
    const string Library = "libinlay.so";  // found where the system's loader finds it

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    public delegate int Progress(IntPtr user, int stage, long done, long total);

    [DllImport(Library)] public static extern int inlay_api_version();
    [DllImport(Library)] static extern IntPtr inlay_failure_name(IntPtr failure);
    [DllImport(Library)] static extern IntPtr inlay_failure_text(IntPtr failure);
    [DllImport(Library)] static extern void inlay_failure_free(IntPtr failure);
    [DllImport(Library)] public static extern IntPtr inlay_model_options_new(out IntPtr options);
    [DllImport(Library)] public static extern IntPtr inlay_options_set_progress(IntPtr options, Progress progress, IntPtr user);
    [DllImport(Library)] public static extern void inlay_options_free(IntPtr options);
    [DllImport(Library)] public static extern IntPtr inlay_model_load(byte[] path, IntPtr options, out IntPtr model);
    [DllImport(Library)] public static extern void inlay_model_free(IntPtr model);
    [DllImport(Library)] public static extern IntPtr inlay_session_new(IntPtr model, IntPtr providers, IntPtr options, out IntPtr session);
    [DllImport(Library)] public static extern IntPtr inlay_session_run(IntPtr session, string[] names, IntPtr[] inputs, long count,
        string[] outputNames, [Out] IntPtr[] outputs, long outputCount, IntPtr cache, IntPtr options);
    [DllImport(Library)] public static extern void inlay_session_free(IntPtr session);
    [DllImport(Library)] public static extern IntPtr inlay_value_borrow(int type, long[] dims, int rank, IntPtr data, long bytes, IntPtr space, out IntPtr value);
    [DllImport(Library)] public static extern long inlay_value_count(IntPtr value);
    [DllImport(Library)] public static extern IntPtr inlay_value_data(IntPtr value);
    [DllImport(Library)] public static extern void inlay_value_free(IntPtr value);

    public class Failure : Exception {
        public readonly string Name;  // of its code
        public Failure(string name, string text) : base(text) { Name = name; }
    }
    // What a function that can fail gives.
    public static void Check(IntPtr failure) {
        if (failure == IntPtr.Zero) return;
        var e = new Failure(Marshal.PtrToStringAnsi(inlay_failure_name(failure)), Marshal.PtrToStringAnsi(inlay_failure_text(failure)));
        inlay_failure_free(failure);
        throw e;
    }
    public static byte[] Text(string text) { return Encoding.UTF8.GetBytes(text + "\0"); }
}

static class Digits {
    static void Require(bool good, string what) {
        if (!good) throw new InvalidOperationException(what);
    }
    static void CheckFailure() {
        try {
            IntPtr none;
            Inlay.Check(Inlay.inlay_model_load(Inlay.Text("/no/such/model.onnx"), IntPtr.Zero, out none));
        } catch (Inlay.Failure e) {
            Require(e.Name == "not_found" && e.Message.Contains("/no/such/model.onnx"), e.Message);
            return;
        }
        throw new InvalidOperationException("a file that there is not was loaded");
    }
    // The model, and the stages of its loading, which the library reports to a callback.
    static IntPtr Load(string file) {
        IntPtr options, model;
        var stages = new HashSet<int>();
        Inlay.Progress progress = (user, stage, done, total) => {
            stages.Add(stage);
            return 1;
        };
        Inlay.Check(Inlay.inlay_model_options_new(out options));
        Inlay.Check(Inlay.inlay_options_set_progress(options, progress, IntPtr.Zero));
        Inlay.Check(Inlay.inlay_model_load(Inlay.Text(file), options, out model));
        Inlay.inlay_options_free(options);
        GC.KeepAlive(progress);
        Require(stages.SetEquals(new[] { 0, 1 }), "other stages than reading and preparing");
        return model;
    }
    // The scores of an image of 8 by 8 pixels, which is read where it lies.
    static float[] Scores(IntPtr session, float[] image) {
        var pinned = GCHandle.Alloc(image, GCHandleType.Pinned);
        try {
            IntPtr tensor;
            var outputs = new IntPtr[1];
            Inlay.Check(Inlay.inlay_value_borrow(1, new long[] { 1, 1, 8, 8 }, 4, pinned.AddrOfPinnedObject(), image.Length * sizeof(float), IntPtr.Zero, out tensor));
            Inlay.Check(Inlay.inlay_session_run(session, new[] { "image" }, new[] { tensor }, 1, new[] { "scores" }, outputs, 1, IntPtr.Zero, IntPtr.Zero));
            var scores = new float[Inlay.inlay_value_count(outputs[0])];
            Marshal.Copy(Inlay.inlay_value_data(outputs[0]), scores, 0, scores.Length);
            Inlay.inlay_value_free(outputs[0]);
            Inlay.inlay_value_free(tensor);
            return scores;
        } finally {
            pinned.Free();
        }
    }
    static void Main(string[] words) {
        Require(Inlay.inlay_api_version() >= 1, "an older library");
        CheckFailure();
        IntPtr model = Load(words[0]), session;
        Inlay.Check(Inlay.inlay_session_new(model, IntPtr.Zero, IntPtr.Zero, out session));
        var image = new float[64];
        for (int row = 1; row < 7; ++row) image[row * 8 + 4] = 1;
        float[] scores = Scores(session, image);
        for (int digit = 0; digit < scores.Length; ++digit)
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0}: {1:0.000000e+00}", digit, scores[digit]));
        Inlay.inlay_session_free(session);
        Inlay.inlay_model_free(model);
    }
}
