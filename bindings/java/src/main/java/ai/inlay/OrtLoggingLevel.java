package ai.inlay;

/** Severities of the log. */
public enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE,
    ORT_LOGGING_LEVEL_INFO,
    ORT_LOGGING_LEVEL_WARNING,
    ORT_LOGGING_LEVEL_ERROR,
    ORT_LOGGING_LEVEL_FATAL;

    /** 0, verbose, to 4, fatal. */
    public int getValue() { return ordinal(); }

    /** Others than 0 to 4 are warnings. */
    public static OrtLoggingLevel mapFromInt(int value) {
        return value >= 0 && value < values().length ? values()[value] : ORT_LOGGING_LEVEL_WARNING;
    }
}
