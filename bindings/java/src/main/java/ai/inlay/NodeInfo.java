package ai.inlay;

/** An input or output of a model. */
public class NodeInfo {
    private final String name;
    private final ValueInfo info;

    public NodeInfo(String name, ValueInfo info) {
        this.name = name;
        this.info = info;
    }

    public String getName() { return name; }

    public ValueInfo getInfo() { return info; }

    @Override
    public String toString() {
        return "NodeInfo(name=" + name + ",info=" + info + ")";
    }
}
