package ai.inlay;

/** The type of an optional. */
public class OptionalInfo implements ValueInfo {
    private final ValueInfo elementInfo;

    OptionalInfo(ValueInfo elementInfo) { this.elementInfo = elementInfo; }

    /** The type of what it may hold; null for a value that holds nothing. */
    public ValueInfo getElementInfo() { return elementInfo; }

    @Override
    public String toString() {
        return "OptionalInfo(element=" + elementInfo + ")";
    }
}
