package ai.inlay;

/** The type of a value: {@link TensorInfo}, {@link SequenceInfo}, {@link MapInfo} or {@link OptionalInfo}. */
public interface ValueInfo {}
