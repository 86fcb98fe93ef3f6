package ai.inlay;

/** Of the creation of a session. */
public enum Stage {
    LOAD,
    PASSES,
    PARTITION,
    PLAN,
    PACK,
    /** One of a later library. */
    UNKNOWN;

    static Stage of(int number) { return number >= 0 && number < UNKNOWN.ordinal() ? values()[number] : UNKNOWN; }
}
