package ai.inlay;

import java.lang.ref.Cleaner;

/** An object over a handle. It is to be closed; where that is forgotten, a Cleaner does it at some time. */
abstract class NativeObject {
    static final Cleaner CLEANER = Cleaner.create();

    final Handle handle;
    private final Cleaner.Cleanable cleanable;

    NativeObject(Handle handle) {
        this.handle = handle;
        this.cleanable = CLEANER.register(this, handle);
    }

    /** Once; closing it again does nothing. */
    final void closeHandle() { cleanable.clean(); }

    public boolean isClosed() { return handle.isClosed(); }

    final void checkOpen() {
        handle.use();
        handle.release();
    }
}
