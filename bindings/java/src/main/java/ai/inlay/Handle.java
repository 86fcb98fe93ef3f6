package ai.inlay;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A handle of the library, which is freed once: when it is closed and no call uses it any more. So one thread may close
 * what another is using, and every later use is an exception.
 */
final class Handle implements Runnable, AutoCloseable {
    /** In the order of the native code. */
    enum Kind {
        OPTIONS("options"),
        PROVIDERS("list of providers"),
        MODEL("model"),
        VALUE("value"),
        SESSION("session"),
        BINDING("binding"),
        CACHE("cache");

        private final String text;

        Kind(String text) { this.text = text; }
    }

    private final Kind kind;
    private final long address;
    private final Object[] dependencies;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger users = new AtomicInteger(1);  // the owner is one

    /** dependencies: what has to live as long, such as memory that the handle's object reads. */
    Handle(Kind kind, long address, Object... dependencies) {
        this.kind = kind;
        this.address = address;
        this.dependencies = dependencies;
    }

    Object[] dependencies() { return dependencies; }

    /** The address, until {@link #release()}, which has to follow. */
    long use() {
        if (closed.get() || users.getAndUpdate(n -> n == 0 ? 0 : n + 1) == 0) {
            throw new IllegalStateException("inlay: this " + kind.text + " is closed");
        }
        return address;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            Native.free(kind.ordinal(), address);
        }
    }

    /** The address of a handle that this thread alone has. */
    long address() { return address; }

    boolean isClosed() { return closed.get(); }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    /** What the Cleaner does for an owner that was not closed. */
    @Override
    public void run() {
        close();
    }
}
