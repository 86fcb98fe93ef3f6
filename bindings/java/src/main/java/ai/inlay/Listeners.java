package ai.inlay;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Listeners by number, as the native code knows them: one that is gone is not called, and its number is not used
 * again.
 */
final class Listeners {
    private static final Map<Long, WeakReference<Registration>> REGISTRATIONS = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();

    private Listeners() {}

    /** Has to live as long as what calls it. */
    static final class Registration {
        final long number = NUMBERS.incrementAndGet();
        final ProgressListener progress;
        final LogListener log;

        Registration(ProgressListener progress, LogListener log) {
            this.progress = progress;
            this.log = log;
            REGISTRATIONS.put(number, new WeakReference<>(this));
            NativeObject.CLEANER.register(this, removal(number));
        }

        private static Runnable removal(long number) { return () -> REGISTRATIONS.remove(number); }
    }

    private static Registration of(long number) {
        WeakReference<Registration> reference = REGISTRATIONS.get(number);
        return reference == null ? null : reference.get();
    }

    /** Called by the native code, which ends the work for false and for what this throws. */
    private static boolean progress(long number, int stage, long count, long total) {
        Registration registration = of(number);
        return registration == null || registration.progress.progress(Stage.of(stage), count, total);
    }

    /** Called by the native code, by any thread. */
    private static void log(long number, int severity, byte[] text) {
        Registration registration = of(number);
        if (registration == null) {
            return;
        }
        try {
            registration.log.log(OrtLoggingLevel.mapFromInt(severity), Texts.text(text));
        } catch (RuntimeException e) {
            System.getLogger("ai.inlay").log(System.Logger.Level.WARNING, "inlay: a listener of the log failed", e);
        }
    }
}
