package ai.inlay;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;

/** The one environment of a process, which creates sessions. */
public final class OrtEnvironment implements AutoCloseable {
    public static final String DEFAULT_NAME = "inlay";

    private static OrtEnvironment environment;

    private final OrtLoggingLevel loggingLevel;
    private final String name;

    private OrtEnvironment(OrtLoggingLevel loggingLevel, String name) {
        this.loggingLevel = loggingLevel;
        this.name = name;
    }

    public static OrtEnvironment getEnvironment() {
        return getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, DEFAULT_NAME);
    }

    public static OrtEnvironment getEnvironment(String name) {
        return getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, name);
    }

    public static OrtEnvironment getEnvironment(OrtLoggingLevel loggingLevel) {
        return getEnvironment(loggingLevel, DEFAULT_NAME);
    }

    /**
     * The first call decides the level of sessions whose options have none; later calls return the same environment.
     */
    public static synchronized OrtEnvironment getEnvironment(OrtLoggingLevel loggingLevel, String name) {
        if (environment == null) {
            environment = new OrtEnvironment(loggingLevel, name);
        }
        return environment;
    }

    /** Of the library, as "0.2.0". */
    public String getVersion() { return Texts.text(Native.version()); }

    /** Those that the library was built with. Whether a device is there shows when a session is created. */
    public static EnumSet<OrtProvider> getAvailableProviders() {
        EnumSet<OrtProvider> providers = EnumSet.noneOf(OrtProvider.class);
        try {
            getProviders().forEach(provider -> providers.add(OrtProvider.mapFromProviderName(provider.getName())));
        } catch (OrtException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        return providers;
    }

    /** The same with status, what each was checked on, and all options with their defaults. */
    public static List<ProviderInfo> getProviders() throws OrtException {
        try (Handle list = new Handle(Handle.Kind.PROVIDERS, Native.providers(true))) {
            return ProviderInfo.of(list.address());
        }
    }

    public OrtSession createSession(String modelPath) throws OrtException {
        return createSession(modelPath, new OrtSession.SessionOptions());
    }

    /** Weights stay in the file while the session lives: it may be replaced then, but not written into. */
    public OrtSession createSession(String modelPath, OrtSession.SessionOptions options) throws OrtException {
        byte[] path = Texts.bytes(modelPath);
        return OrtSession.create(this, options, modelOptions -> Native.loadModel(path, modelOptions));
    }

    public OrtSession createSession(byte[] modelArray) throws OrtException {
        return createSession(modelArray, new OrtSession.SessionOptions());
    }

    /** Of the bytes of a model's file. */
    public OrtSession createSession(byte[] modelArray, OrtSession.SessionOptions options) throws OrtException {
        return OrtSession.create(this, options, modelOptions -> Native.parseModel(modelArray, modelOptions));
    }

    public OrtSession createSession(ByteBuffer modelBuffer) throws OrtException {
        return createSession(modelBuffer, new OrtSession.SessionOptions());
    }

    /** Of the bytes that remain in a buffer, direct or not, whose position stays. */
    public OrtSession createSession(ByteBuffer modelBuffer, OrtSession.SessionOptions options) throws OrtException {
        if (modelBuffer.isDirect()) {
            return OrtSession.create(this, options,
                modelOptions
                -> Native.parseModelBuffer(modelBuffer, modelBuffer.position(), modelBuffer.remaining(), modelOptions));
        }
        byte[] bytes = new byte[modelBuffer.remaining()];
        modelBuffer.duplicate().get(bytes);
        return createSession(bytes, options);
    }

    OrtLoggingLevel getLoggingLevel() { return loggingLevel; }

    /** Has no effect: nothing is reported to anywhere. */
    public void setTelemetry(boolean sendTelemetry) throws OrtException {}

    public boolean isTrainingEnabled() { return false; }

    /** Does nothing: it lasts as long as the process. */
    @Override
    public void close() {}

    @Override
    public String toString() {
        return "OrtEnvironment(name=" + name + ",version=" + getVersion() + ")";
    }
}
