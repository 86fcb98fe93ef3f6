// Runs the tests of the package: Tests.exe MODELS DIGITS PLUGIN [WORD]: those whose sentence has the word. Each is a
// static method with [Test]. The exit status is 1 if one fails, or fewer than Least ran without a word.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

[AttributeUsage(AttributeTargets.Method)]
sealed class TestAttribute : Attribute {
    internal readonly string Sentence;
    public TestAttribute(string sentence) { Sentence = sentence; }
}

sealed class CheckFailed : Exception {
    internal CheckFailed(string text) : base(text) { }
}

static class Check {
    internal static void True(bool condition, string text = "the condition does not hold") {
        if (!condition) throw new CheckFailed(text);
    }
    internal static void Equal<T>(T expected, T actual) {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new CheckFailed("expected `" + expected + "`, and it is `" + actual + "`");
    }
    internal static void Same<T>(IEnumerable<T> expected, IEnumerable<T> actual) {
        True(actual != null, "there is none");
        True(expected.SequenceEqual(actual), "expected [" + string.Join(", ", expected) + "], and it is ["
            + string.Join(", ", actual) + "]");
    }
    internal static void Contains(string part, string text) {
        True(text != null && text.Contains(part), "`" + text + "` does not contain `" + part + "`");
    }
    internal static T Throws<T>(Action action) where T : Exception {
        try {
            action();
        } catch (T e) {
            return e;
        }
        throw new CheckFailed("no " + typeof(T).Name + " was thrown");
    }
    internal static Inlay.ML.OnnxRuntimeException Fails(Inlay.ML.ErrorCode code, Action action) {
        var e = Throws<Inlay.ML.OnnxRuntimeException>(action);
        Equal(code, e.Code);
        return e;
    }
}

static class Runner {
    const int Least = 20;
    internal static string Models, Digits, Plugin;
    internal static string Model(string name) { return System.IO.Path.Combine(Models, name + ".onnx"); }

    static int Main(string[] words) {
        if (words[0] == "environment") return OptionTests.InAnotherProcess(words[1]);
        Models = words[0];
        Digits = words[1];
        Plugin = words[2];
        int passed = 0, failed = 0;
        var all = BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public;
        foreach (MethodInfo method in Assembly.GetExecutingAssembly().GetTypes().OrderBy(type =>
                type.Name).SelectMany(type => type.GetMethods(all))) {
            var test = (TestAttribute)Attribute.GetCustomAttribute(method, typeof(TestAttribute));
            if (test == null || words.Length > 3 && !test.Sentence.Contains(words[3])) continue;
            try {
                method.Invoke(null, null);
                ++passed;
                Console.WriteLine("passed: " + test.Sentence);
            } catch (TargetInvocationException e) {
                ++failed;
                Console.WriteLine("FAILED: " + test.Sentence + "\n" + e.InnerException);
            }
        }
        Console.WriteLine(passed + " passed, " + failed + " failed");
        return failed > 0 || words.Length == 3 && passed < Least ? 1 : 0;
    }
}
