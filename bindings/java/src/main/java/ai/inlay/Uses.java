package ai.inlay;

import java.util.ArrayList;
import java.util.List;

/** Handles that one call uses: released at its end, however it ends. */
final class Uses implements AutoCloseable {
    private final List<Handle> handles = new ArrayList<>();

    long add(Handle handle) {
        long address = handle.use();
        handles.add(handle);
        return address;
    }

    /** 0 for null. */
    long add(NativeObject object) { return object == null ? 0 : add(object.handle); }

    @Override
    public void close() {
        for (Handle handle : handles) {
            handle.release();
        }
    }
}
