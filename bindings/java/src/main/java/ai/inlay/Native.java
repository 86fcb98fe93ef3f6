package ai.inlay;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * The functions of the C library, one native method for each use. Handles are numbers; {@link Handle} keeps them from
 * being used after they were freed. Texts are UTF-8. Everything else is checked on the other side.
 */
final class Native {
    static { NativeLibrary.load(); }

    private Native() {}

    static native byte[] version();

    /** kind: the ordinal of a {@link Handle.Kind}. */
    static native void free(int kind, long handle);

    static native long modelOptions() throws OrtException;

    static native long sessionOptions() throws OrtException;

    static native long runOptions() throws OrtException;

    static native void setOption(long options, byte[] name, byte[] text) throws OrtException;

    /** listener: a number of {@link Listeners}; 0: none. */
    static native void setProgress(long options, long listener) throws OrtException;

    static native void setLog(long options, long listener) throws OrtException;

    static native void setDeadline(long options, long nanoseconds) throws OrtException;

    static native void setCancelled(long options, boolean cancelled) throws OrtException;

    /** An empty list, or one of all that the library was built with. */
    static native long providers(boolean built) throws OrtException;

    static native void addProvider(long list, byte[] name) throws OrtException;

    static native void addPlugin(long list, byte[] path) throws OrtException;

    /** Of the provider that was added last. */
    static native void setProviderOption(long list, byte[] option, byte[] text) throws OrtException;

    static native long providerCount(long list);

    /** Name, status, what it was checked on, then the name and the text of each option; null: an index out of range. */
    static native byte[][] provider(long list, long index);

    static native long loadModel(byte[] path, long options) throws OrtException;

    static native long parseModel(byte[] bytes, long options) throws OrtException;

    static native long parseModelBuffer(Buffer direct, long offset, long size, long options) throws OrtException;

    static native long portCount(long model, boolean output);

    /** Name, type as text, then the name of each dimension. */
    static native byte[][] portTexts(long model, boolean output, long index);

    /** Kind, element type, rank (-1: unknown), then the dimensions (-1: not fixed). */
    static native long[] portNumbers(long model, boolean output, long index);

    /** Producer, domain, name of the graph, description, then key and text of each entry of metadata. */
    static native byte[][] modelTexts(long model);

    static native long modelVersion(long model);

    /** memory: null for the host's. */
    static native long newValue(int type, long[] dims, byte[] memory) throws OrtException;

    /** Over the memory of a direct buffer, from an offset in bytes. */
    static native long borrowValue(int type, long[] dims, Buffer direct, long offset, long bytes) throws OrtException;

    static native long newSequence(long[] items) throws OrtException;

    static native long newMap(long keys, long[] items) throws OrtException;

    /** item: 0 for an optional that holds nothing. */
    static native long newOptional(long item) throws OrtException;

    static native long copyValue(long value, byte[] memory) throws OrtException;

    /** Kind, element type, rank, count, bytes (of strings -1), then the dimensions. */
    static native long[] valueNumbers(long value);

    static native byte[] valueMemory(long value);

    /** The elements of a tensor on the host, as a buffer that does not keep them alive. */
    static native ByteBuffer valueBuffer(long value, long offset, long size) throws OrtException;

    static native byte[][] valueStrings(long value) throws OrtException;

    static native void setValueStrings(long value, byte[][] texts) throws OrtException;

    static native long valueItem(long value, long index) throws OrtException;

    static native long valueKey(long value, long index) throws OrtException;

    static native long newSession(long model, long providers, long options) throws OrtException;

    static native void setSessionProviders(long session, long providers) throws OrtException;

    static native long sessionProviders(long session) throws OrtException;

    static native long sessionModel(long session) throws OrtException;

    /** results: gets the handles of the outputs. cache, options: 0 for none. */
    static native void run(long session, byte[][] inputNames, long[] inputs, byte[][] outputNames, long[] results,
        long cache, long options) throws OrtException;

    /** names and shapes: of inputs; null for both: none. */
    static native long bind(long session, byte[][] names, long[][] shapes) throws OrtException;

    static native long newCache(long session, long rows) throws OrtException;

    static native byte[] plan(long session, byte[][] names, long[][] shapes) throws OrtException;

    static native byte[] memory(long session, byte[][] names, long[][] shapes) throws OrtException;

    static native void releaseMemory(long session) throws OrtException;

    static native long boundValue(long binding, byte[] name, boolean output) throws OrtException;

    static native void setBoundValue(long binding, byte[] name, boolean output, long tensor) throws OrtException;

    static native void setBoundMemory(long binding, byte[] output, byte[] memory) throws OrtException;

    static native void runBound(long binding, long options) throws OrtException;

    static native long executedNodes(long binding, byte[] provider) throws OrtException;

    static native byte[] profile(long binding, int runs, long options) throws OrtException;

    static native long cacheRows(long cache);

    static native long cacheCapacity(long cache);

    static native void keepRows(long cache, long rows) throws OrtException;

    static native void assignCache(long cache, byte[][] names, long[] values) throws OrtException;

    static native long cachedPast(long cache, byte[] input) throws OrtException;

    static native byte[] cachePairs(long cache) throws OrtException;
}
