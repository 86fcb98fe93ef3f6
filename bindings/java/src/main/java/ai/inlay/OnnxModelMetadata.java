package ai.inlay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a model's file says of itself; texts are empty where it does not. */
public final class OnnxModelMetadata {
    private final String producerName;
    private final String domain;
    private final String graphName;
    private final String description;
    private final long version;
    private final Map<String, String> customMetadata = new LinkedHashMap<>();

    /** texts: as {@link Native#modelTexts} has them. */
    OnnxModelMetadata(byte[][] texts, long version) {
        this.producerName = Texts.text(texts[0]);
        this.domain = Texts.text(texts[1]);
        this.graphName = Texts.text(texts[2]);
        this.description = Texts.text(texts[3]);
        this.version = version;
        for (int k = 4; k + 1 < texts.length; k += 2) {
            customMetadata.put(Texts.text(texts[k]), Texts.text(texts[k + 1]));
        }
    }

    public String getProducerName() { return producerName; }

    public String getGraphName() { return graphName; }

    public String getDomain() { return domain; }

    public String getDescription() { return description; }

    public long getVersion() { return version; }

    public Optional<String> getCustomMetadataValue(String key) { return Optional.ofNullable(customMetadata.get(key)); }

    public Map<String, String> getCustomMetadata() { return Collections.unmodifiableMap(customMetadata); }

    @Override
    public String toString() {
        return "OnnxModelMetadata(producerName=" + producerName + ",graphName=" + graphName + ",domain=" + domain
            + ",description=" + description + ",version=" + version + ",customMetadata=" + customMetadata + ")";
    }
}
