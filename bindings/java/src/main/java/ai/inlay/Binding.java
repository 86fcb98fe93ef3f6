package ai.inlay;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Memory for one set of input shapes, whose runs make no heap call in the library, take no lock and look nothing up. It
 * does one thing at a time: a second thread gets an OrtException.
 */
public final class Binding extends NativeObject implements AutoCloseable {
    /** What tensors that were set depend on, by "input NAME" or "output NAME". */
    private final Map<String, Object[]> dependencies = new ConcurrentHashMap<>();

    Binding(Handle handle) { super(handle); }

    /** The memory that runs read: filled in place by {@link OnnxTensor#getMemory()}, until another is set. */
    public OnnxTensor getInput(String name) throws OrtException { return get(name, false); }

    /** The memory that runs write. An output of data-dependent shape is to be queried again after each run. */
    public OnnxTensor getOutput(String name) throws OrtException { return get(name, true); }

    private OnnxTensor get(String name, boolean output) throws OrtException {
        try (Uses uses = new Uses()) {
            long address = Native.boundValue(uses.add(this), Texts.bytes(name), output);
            Object[] memory = dependencies.values().stream().flatMap(Stream::of).toArray();
            return (OnnxTensor) Values.of(address, memory);
        }
    }

    /** Runs read this tensor from now on, of the same type and shape; over a direct buffer without a copy. */
    public void setInput(String name, OnnxTensor tensor) throws OrtException { set(name, false, tensor); }

    /** Runs write this tensor from now on, of the same type and shape. */
    public void setOutput(String name, OnnxTensor tensor) throws OrtException {
        tensor.checkWritable();
        set(name, true, tensor);
    }

    private synchronized void set(String name, boolean output, OnnxTensor tensor) throws OrtException {
        try (Uses uses = new Uses()) {
            long address = uses.add(tensor);
            Native.setBoundValue(uses.add(this), Texts.bytes(name), output, address);
        }
        dependencies.put((output ? "output " : "input ") + name, tensor.handle.dependencies());
    }

    /** Runs leave this output in a memory by its name in plans. */
    public void setOutputMemory(String name, String memory) throws OrtException {
        try (Uses uses = new Uses()) {
            Native.setBoundMemory(uses.add(this), Texts.bytes(name), Texts.bytes(memory));
        }
    }

    /** Creates no object of Java either. */
    public void run() throws OrtException {
        long address = handle.use();
        try {
            Native.runBound(address, 0);
        } finally {
            handle.release();
        }
    }

    public void run(OrtSession.RunOptions options) throws OrtException {
        try (Uses uses = new Uses()) {
            Native.runBound(uses.add(this), uses.add(options));
        }
    }

    /** How many nodes the provider of that name, as in {@link OrtSession#getProviders()}, ran in the last run. */
    public long getExecutedNodes(String provider) throws OrtException {
        try (Uses uses = new Uses()) {
            return Native.executedNodes(uses.add(this), Texts.bytes(provider));
        }
    }

    /** Runs with a clock between the steps; JSON of the schema inlay.profile. */
    public String profile(int runs) throws OrtException {
        try (Uses uses = new Uses()) {
            return Texts.text(Native.profile(uses.add(this), runs, 0));
        }
    }

    /** Values that it gave stay usable. */
    @Override
    public void close() {
        closeHandle();
    }
}
