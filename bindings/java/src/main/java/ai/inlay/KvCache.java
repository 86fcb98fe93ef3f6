package ai.inlay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a decoder keeps between its steps, in place. It does one thing at a time: a second thread gets an OrtException.
 */
public final class KvCache extends NativeObject implements AutoCloseable {
    private Object[] dependencies = {};  // of the tensors that were assigned

    KvCache(Handle handle) { super(handle); }

    /** How many rows it holds. */
    public long getRows() {
        try (Uses uses = new Uses()) {
            return Native.cacheRows(uses.add(this));
        }
    }

    /** How many it may hold. */
    public long getCapacity() {
        try (Uses uses = new Uses()) {
            return Native.cacheCapacity(uses.add(this));
        }
    }

    /** Keeps the first rows, and forgets the others. */
    public void keep(long rows) throws OrtException {
        try (Uses uses = new Uses()) {
            Native.keepRows(uses.add(this), rows);
        }
    }

    /** The rows of these tensors in place of all that it holds: every input of the cache, all of one length. */
    public synchronized void assign(Map<String, OnnxTensor> pasts) throws OrtException {
        List<OnnxTensor> tensors = new ArrayList<>(pasts.values());
        try (Uses uses = new Uses()) {
            Native.assignCache(uses.add(this), Texts.bytes(pasts.keySet()), Values.addresses(uses, tensors));
        }
        dependencies = Values.dependencies(tensors);
    }

    /** A copy of the rows of an input. */
    public synchronized OnnxTensor getPast(String input) throws OrtException {
        try (Uses uses = new Uses()) {
            return (OnnxTensor) Values.of(Native.cachedPast(uses.add(this), Texts.bytes(input)), dependencies);
        }
    }

    /** JSON: which input goes with which output, and whether the last run copied rows. */
    public String getPairs() throws OrtException {
        try (Uses uses = new Uses()) {
            return Texts.text(Native.cachePairs(uses.add(this)));
        }
    }

    @Override
    public void close() {
        closeHandle();
    }
}
