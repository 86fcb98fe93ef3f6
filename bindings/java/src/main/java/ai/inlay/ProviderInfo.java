package ai.inlay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An execution provider: what it is, and its options. */
public final class ProviderInfo {
    private final String name;
    private final String status;
    private final String checkedOn;
    private final Map<String, String> options;

    private ProviderInfo(byte[][] texts) {
        this.name = Texts.text(texts[0]);
        this.status = Texts.text(texts[1]);
        this.checkedOn = Texts.text(texts[2]);
        Map<String, String> pairs = new LinkedHashMap<>();
        for (int k = 3; k + 1 < texts.length; k += 2) {
            pairs.put(Texts.text(texts[k]), Texts.text(texts[k + 1]));
        }
        this.options = Collections.unmodifiableMap(pairs);
    }

    static List<ProviderInfo> of(long list) {
        List<ProviderInfo> infos = new ArrayList<>();
        for (long k = 0; k < Native.providerCount(list); ++k) {
            infos.add(new ProviderInfo(Native.provider(list, k)));
        }
        return Collections.unmodifiableList(infos);
    }

    /** ONNX Runtime's name: "CPUExecutionProvider". */
    public String getName() { return name; }

    /** "production", "preview", "deprecated" or "community". */
    public String getStatus() { return status; }

    /** Which kind of check ran: "device", "simulator", "library", "own stand-in", or nothing where it says nothing. */
    public String getCheckedOn() { return checkedOn; }

    /** By name, with their values as text: those that were set, or of a session or the environment all. */
    public Map<String, String> getOptions() { return options; }

    @Override
    public String toString() {
        return name + options;
    }
}
