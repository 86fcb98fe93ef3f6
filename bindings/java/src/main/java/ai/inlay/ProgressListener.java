package ai.inlay;

/** Called at the start (count 0) and at the end (count = total) of each stage, and between at most a hundred times. */
@FunctionalInterface
public interface ProgressListener {
    /** False ends the work, by an OrtException with {@link FailureCode#STOPPED}; what it throws ends it too. */
    boolean progress(Stage stage, long count, long total);
}
