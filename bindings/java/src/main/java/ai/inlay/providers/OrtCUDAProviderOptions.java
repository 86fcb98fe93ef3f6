package ai.inlay.providers;

import ai.inlay.OrtException;

/** Options of the provider for CUDA, checked when it is added. */
public final class OrtCUDAProviderOptions extends StringConfigProviderOptions {
    public OrtCUDAProviderOptions() throws OrtException { this(0); }

    public OrtCUDAProviderOptions(int deviceId) throws OrtException { super(deviceId); }
}
