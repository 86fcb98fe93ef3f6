package ai.inlay;

/** Gets the log of a session instead of standard error. Several threads may call it at once; what it throws is lost. */
@FunctionalInterface
public interface LogListener {
    void log(OrtLoggingLevel severity, String text);
}
