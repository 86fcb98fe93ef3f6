package ai.inlay.providers;

import ai.inlay.OrtException;

/** Options of the provider for TensorRT, checked when it is added. */
public final class OrtTensorRTProviderOptions extends StringConfigProviderOptions {
    public OrtTensorRTProviderOptions() throws OrtException { this(0); }

    public OrtTensorRTProviderOptions(int deviceId) throws OrtException { super(deviceId); }
}
