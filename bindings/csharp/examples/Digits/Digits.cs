// Digits.exe MODEL: the scores of a handwritten digit, an image of 8 by 8 pixels; the plan is on standard error.
using System;
using System.Globalization;
using System.Linq;
using Inlay.ML;
using Inlay.ML.Tensors;

static class Digits {
    static void Main(string[] words) {
        var image = new DenseTensor<float>(new[] { 1, 1, 8, 8 });
        for (int row = 1; row < 7; ++row) image[0, 0, row, 4] = 1;  // a one
        Run(words[0], image);
    }
    static void Run(string file, DenseTensor<float> image) {
        using (var options = new SessionOptions()) {
            options.AppendExecutionProvider("cpu");  // in the order of priority
            options.AppendExecutionProvider("reference");
            using (var session = new InferenceSession(file, options))
            using (var results = session.Run(new[] { NamedOnnxValue.CreateFromTensor("image", image) })) {
                Tensor<float> scores = results.First().AsTensor<float>();
                for (int digit = 0; digit < scores.Length; ++digit) Print(digit, scores[0, digit]);
                Console.Error.WriteLine(session.Plan());  // JSON: which node runs where, and why not elsewhere
            }
        }
    }
    static void Print(int digit, float score) {
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0}: {1:0.000000e+00}", digit, score));
    }
}
