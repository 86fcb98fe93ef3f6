package ai.inlay.providers;

import ai.inlay.OrtException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Options of a provider by name, in the order in which they were added. */
abstract class StringConfigProviderOptions implements AutoCloseable {
    private final Map<String, String> options = new LinkedHashMap<>();

    StringConfigProviderOptions(int deviceId) { options.put("device_id", Integer.toString(deviceId)); }

    /** Nothing is thrown yet: programs that are written for ONNX Runtime catch it. */
    public void add(String key, String value) throws OrtException { options.put(key, value); }

    public Map<String, String> getOptions() { return Collections.unmodifiableMap(options); }

    /** name=text;name=text */
    public String getOptionsString() {
        StringBuilder text = new StringBuilder();
        options.forEach(
            (key, value) -> text.append(text.length() == 0 ? "" : ";").append(key).append('=').append(value));
        return text.toString();
    }

    /** Does nothing: it holds no memory of the library. */
    @Override
    public void close() {}
}
