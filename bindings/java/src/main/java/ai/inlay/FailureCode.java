package ai.inlay;

/** What went wrong, by Inlay's codes; docs/reference/errors.md explains each and what to do. */
public enum FailureCode {
    INVALID_ARGUMENT,
    NOT_FOUND,
    INVALID_MODEL,
    UNSUPPORTED_MODEL,
    LIMIT_EXCEEDED,
    NO_PROVIDER,
    DUPLICATE_PROVIDER,
    UNKNOWN_PROVIDER,
    UNKNOWN_OPTION,
    INVALID_OPTION,
    NO_SUCH_LEVEL,
    SHAPE_MISMATCH,
    TYPE_MISMATCH,
    WRONG_MEMORY_SPACE,
    OUT_OF_MEMORY,
    PROVIDER_FAILED,
    INVALID_VALUE,
    STOPPED,
    DEADLINE_PASSED,
    PROVIDER_UNAVAILABLE,
    OUT_OF_MEMORY_LIMIT,
    DEVICE_LOST,
    /** A code of a later library; {@link OrtException#getName()} has its name. */
    UNKNOWN;

    /** The library's numbers are the ordinals. */
    static FailureCode of(int number) { return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN; }
}
