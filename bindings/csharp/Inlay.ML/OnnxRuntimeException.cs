using System;

namespace Inlay.ML {
/// <summary>What went wrong, as INLAY_FAILURE_... of the library. Later versions may add numbers.</summary>
public enum ErrorCode {
    InvalidArgument = 0,
    NotFound = 1,
    InvalidModel = 2,
    UnsupportedModel = 3,
    LimitExceeded = 4,
    NoProvider = 5,
    DuplicateProvider = 6,
    UnknownProvider = 7,
    UnknownOption = 8,
    InvalidOption = 9,
    NoSuchLevel = 10,
    ShapeMismatch = 11,
    TypeMismatch = 12,
    WrongMemorySpace = 13,
    OutOfMemory = 14,
    ProviderFailed = 15,
    InvalidValue = 16,
    Stopped = 17,
    DeadlinePassed = 18,
    ProviderUnavailable = 19,
    OutOfMemoryLimit = 20,
    DeviceLost = 21
}

/// <summary>An error of the library. Texts that do not apply are empty, OperatorVersion is 0 then.</summary>
public class OnnxRuntimeException : Exception {
    /// <summary>The kind of the error.</summary>
    public ErrorCode Code { get; private set; }
    /// <summary>The code's name: "shape_mismatch".</summary>
    public string Name { get; private set; }
    /// <summary>One line that is complete without the other fields.</summary>
    public string Text { get; private set; }
    /// <summary>The node of the model.</summary>
    public string Node { get; private set; }
    /// <summary>The node's operator.</summary>
    public string Operator { get; private set; }
    /// <summary>The version of the operator's schema.</summary>
    public int OperatorVersion { get; private set; }
    /// <summary>The execution provider that failed or refused.</summary>
    public string Provider { get; private set; }
    /// <summary>The shapes in question.</summary>
    public string Shapes { get; private set; }
    /// <summary>What may help.</summary>
    public string Hint { get; private set; }

    internal OnnxRuntimeException(ErrorCode code, string name, string text, string hint = "", Exception inner = null)
            : base(MessageOf(text, hint), inner) {
        Code = code;
        Name = name;
        Text = text;
        Node = Operator = Provider = Shapes = "";
        Hint = hint;
    }

    static string MessageOf(string text, string hint) {
        return hint.Length == 0 || text.Contains(hint) ? text : text + "; " + hint;
    }
    static OnnxRuntimeException Read(IntPtr failure) {
        var code = (ErrorCode)Native.inlay_failure_code(failure);
        string name = Utf8.Read(Native.inlay_failure_name(failure));
        string text = Utf8.Read(Native.inlay_failure_text(failure)), hint =
            Utf8.Read(Native.inlay_failure_hint(failure));
        return new OnnxRuntimeException(code, name, text, hint) {
            Node = Utf8.Read(Native.inlay_failure_node(failure)),
            Operator = Utf8.Read(Native.inlay_failure_op(failure)),
            OperatorVersion = Native.inlay_failure_op_version(failure),
            Provider = Utf8.Read(Native.inlay_failure_provider(failure)),
            Shapes = Utf8.Read(Native.inlay_failure_shapes(failure))
        };
    }
    // Throws what a function of the library returned; null is success.
    internal static void Check(IntPtr failure) {
        if (failure == IntPtr.Zero) return;
        try {
            throw Read(failure);
        } finally {
            Native.inlay_failure_free(failure);
        }
    }
    // The same error, which a callback's exception caused.
    internal OnnxRuntimeException Because(Exception inner) {
        return new OnnxRuntimeException(Code, Name, Text, Hint, inner) {
            Node = Node, Operator = Operator, OperatorVersion = OperatorVersion, Provider = Provider, Shapes = Shapes
        };
    }
}

static class Errors {
    internal static OnnxRuntimeException InvalidArgument(string text) {
        return new OnnxRuntimeException(ErrorCode.InvalidArgument, "invalid_argument", "inlay: " + text);
    }
    internal static OnnxRuntimeException TypeMismatch(string text) {
        return new OnnxRuntimeException(ErrorCode.TypeMismatch, "type_mismatch", "inlay: " + text);
    }
    internal static OnnxRuntimeException ShapeMismatch(string text) {
        return new OnnxRuntimeException(ErrorCode.ShapeMismatch, "shape_mismatch", "inlay: " + text);
    }
    internal static OnnxRuntimeException NotFound(string text) {
        return new OnnxRuntimeException(ErrorCode.NotFound, "not_found", "inlay: " + text);
    }
    // What ONNX Runtime has and this has not.
    internal static NotSupportedException NotSupported(string name, string reason) {
        return new NotSupportedException("inlay: " + name + " is not supported: " + reason);
    }
}
}
