package ai.inlay;

import java.util.Locale;

/** What the library reports: one line of text, and where they apply the node, its operator, the provider and a hint. */
public class OrtException extends Exception {
    private static final long serialVersionUID = 1L;

    private final FailureCode failure;
    private final String name;
    private final String node;
    private final String operator;
    private final int operatorVersion;
    private final String provider;
    private final String shapes;
    private final String hint;

    /** Called by the native code. */
    OrtException(int code, byte[] name, byte[] text, byte[] node, byte[] operator, int operatorVersion, byte[] provider,
        byte[] shapes, byte[] hint) {
        super(Texts.text(text));
        this.failure = FailureCode.of(code);
        this.name = Texts.text(name);
        this.node = Texts.text(node);
        this.operator = Texts.text(operator);
        this.operatorVersion = operatorVersion;
        this.provider = Texts.text(provider);
        this.shapes = Texts.text(shapes);
        this.hint = Texts.text(hint);
    }

    private OrtException(FailureCode failure, String text, String hint) {
        super(text);
        this.failure = failure;
        this.name = failure.name().toLowerCase(Locale.ROOT);
        this.node = "";
        this.operator = "";
        this.operatorVersion = 0;
        this.provider = "";
        this.shapes = "";
        this.hint = hint;
    }

    static OrtException of(FailureCode failure, String text) { return new OrtException(failure, text, ""); }

    static OrtException of(FailureCode failure, String text, String hint) {
        return new OrtException(failure, text, hint);
    }

    /** The code by ONNX Runtime's names, of which several of {@link #getFailure()} share one. */
    public OrtErrorCode getCode() { return OrtErrorCode.of(failure); }

    public FailureCode getFailure() { return failure; }

    /** The name of the failure: "shape_mismatch". */
    public String getName() { return name; }

    /** The text alone, which is the message too. */
    public String getText() { return getMessage(); }

    /** Empty where it does not apply, as are the following. */
    public String getNode() { return node; }

    public String getOperator() { return operator; }

    /** Of the operator's schema; 0 where there is none. */
    public int getOperatorVersion() { return operatorVersion; }

    public String getProvider() { return provider; }

    public String getShapes() { return shapes; }

    /** What may help. */
    public String getHint() { return hint; }

    /** ONNX Runtime's codes. */
    public enum OrtErrorCode {
        ORT_JAVA_UNKNOWN(-1),
        ORT_OK(0),
        ORT_FAIL(1),
        ORT_INVALID_ARGUMENT(2),
        ORT_NO_SUCHFILE(3),
        ORT_NO_MODEL(4),
        ORT_ENGINE_ERROR(5),
        ORT_RUNTIME_EXCEPTION(6),
        ORT_INVALID_PROTOBUF(7),
        ORT_MODEL_LOADED(8),
        ORT_NOT_IMPLEMENTED(9),
        ORT_INVALID_GRAPH(10),
        ORT_EP_FAIL(11);

        private final int value;

        OrtErrorCode(int value) { this.value = value; }

        public int getValue() { return value; }

        static OrtErrorCode of(FailureCode failure) {
            switch (failure) {
                case NOT_FOUND: return ORT_NO_SUCHFILE;
                case INVALID_MODEL: return ORT_INVALID_PROTOBUF;
                case UNSUPPORTED_MODEL:
                case NO_PROVIDER: return ORT_NOT_IMPLEMENTED;
                case INVALID_ARGUMENT:
                case DUPLICATE_PROVIDER:
                case UNKNOWN_PROVIDER:
                case UNKNOWN_OPTION:
                case INVALID_OPTION:
                case NO_SUCH_LEVEL:
                case SHAPE_MISMATCH:
                case TYPE_MISMATCH:
                case WRONG_MEMORY_SPACE: return ORT_INVALID_ARGUMENT;
                case PROVIDER_FAILED:
                case PROVIDER_UNAVAILABLE:
                case DEVICE_LOST: return ORT_EP_FAIL;
                case OUT_OF_MEMORY:
                case OUT_OF_MEMORY_LIMIT:
                case INVALID_VALUE: return ORT_RUNTIME_EXCEPTION;
                case LIMIT_EXCEEDED:
                case STOPPED:
                case DEADLINE_PASSED: return ORT_FAIL;
                default: return ORT_JAVA_UNKNOWN;
            }
        }
    }
}
