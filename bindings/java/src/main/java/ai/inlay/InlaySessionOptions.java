package ai.inlay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The options of sessions, each checked when it is set. They are read when a session is created, so that they may be
 * changed or closed afterwards.
 */
public abstract class InlaySessionOptions extends ProviderMethods implements AutoCloseable {
    private static final String NO_FALLBACK = "session.disable_cpu_ep_fallback";
    private static final String FLUSH_DENORMALS = "session.set_denormal_as_zero";
    private static final String LEVEL = "log_severity_level";

    private final List<Choice> providers = new ArrayList<>();
    private final List<Map.Entry<String, String>> modelOptions = new ArrayList<>();
    private final Map<String, String> sessionOptions = new LinkedHashMap<>();
    private final Map<String, String> configEntries = new LinkedHashMap<>();
    private final Map<String, OrtLoggingLevel> notes = new LinkedHashMap<>();  // for the log of sessions
    private ProgressListener progressListener;
    private LogListener logListener;
    private boolean closed;

    InlaySessionOptions() {}

    /** A provider of the list, by name or by the file of a plugin. */
    private static final class Choice {
        private final String name;
        private final boolean isPlugin;
        private final Map<String, String> options;

        Choice(String name, boolean isPlugin, Map<String, String> options) {
            this.name = name;
            this.isPlugin = isPlugin;
            this.options = new LinkedHashMap<>(options);
        }

        void addTo(long list) throws OrtException {
            if (isPlugin) {
                Native.addPlugin(list, Texts.bytes(name));
            } else {
                Native.addProvider(list, Texts.bytes(name));
            }
            for (Map.Entry<String, String> option : options.entrySet()) {
                Native.setProviderOption(list, Texts.bytes(option.getKey()), Texts.bytes(option.getValue()));
            }
        }

        boolean isCpu() { return !isPlugin && (name.equals("cpu") || name.equals(OrtProvider.CPU.getName())); }
    }

    final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("inlay: these options are closed");
        }
    }

    @Override
    public void addProvider(String name, Map<String, String> options) throws OrtException {
        add(new Choice(name, false, options));
    }

    /** Appends the provider of a shared library, as docs/how-to/plugins.md describes them. */
    public void addPlugin(String path, Map<String, String> options) throws OrtException {
        add(new Choice(path, true, options));
    }

    private void add(Choice choice) throws OrtException {
        checkOpen();
        try (Handle list = new Handle(Handle.Kind.PROVIDERS, Native.providers(false))) {
            choice.addTo(list.address());
        }
        providers.add(choice);
    }

    /** The providers that were added, each with the options that were set; OrtEnvironment has the defaults. */
    public List<ProviderInfo> getProviders() throws OrtException {
        try (Handle list = newProviders()) {
            return ProviderInfo.of(list.address());
        }
    }

    /**
     * Sets an option of Inlay: fallback, partition, intra_op_num_threads, plans, plan_only, contexts, determinism or
     * log_severity_level; or of the model: optimize, without, folder, dimension.NAME, limits.NAME. What each is stands
     * in docs/reference/java.md.
     */
    public void setOption(String name, String text) throws OrtException {
        checkOpen();
        try (Handle options = new Handle(Handle.Kind.OPTIONS, Native.sessionOptions())) {
            Native.setOption(options.address(), Texts.bytes(name), Texts.bytes(text));
            sessionOptions.put(name, text);
        } catch (OrtException e) {
            if (e.getFailure() != FailureCode.UNKNOWN_OPTION) {
                throw e;
            }
            setModelOption(name, text, e);
        }
    }

    /** unknown: what the session's options say, for a name that neither has. */
    private void setModelOption(String name, String text, OrtException unknown) throws OrtException {
        try (Handle options = new Handle(Handle.Kind.OPTIONS, Native.modelOptions())) {
            Native.setOption(options.address(), Texts.bytes(name), Texts.bytes(text));
            modelOptions.add(Map.entry(name, text));
        } catch (OrtException e) {
            boolean isFarFromAll = e.getFailure() == FailureCode.UNKNOWN_OPTION && e.getHint().isEmpty();
            throw isFarFromAll ? unknown : e;
        }
    }

    /** What {@link #setOption} set; of an option with several texts, the last. */
    public Map<String, String> getOptions() {
        checkOpen();
        Map<String, String> options = new LinkedHashMap<>(sessionOptions);
        modelOptions.forEach(option -> options.put(option.getKey(), option.getValue()));
        return options;
    }

    /**
     * Sets an entry by ONNX Runtime's name. session.disable_cpu_ep_fallback and session.set_denormal_as_zero have a
     * meaning here, with 0 or 1; others are a warning in the session's log.
     */
    public void addConfigEntry(String configKey, String configValue) throws OrtException {
        checkOpen();
        boolean hasMeaning = configKey.equals(NO_FALLBACK) || configKey.equals(FLUSH_DENORMALS);
        if (hasMeaning && !configValue.equals("0") && !configValue.equals("1")) {
            throw OrtException.of(
                FailureCode.INVALID_OPTION, "inlay: " + configKey + " is 0 or 1, not `" + configValue + "`");
        } else if (!hasMeaning) {
            noteUnused(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING,
                "the configuration " + configKey + " = " + configValue, "Inlay has nothing that it stands for");
        }
        configEntries.put(configKey, configValue);
    }

    public Map<String, String> getConfigEntries() {
        checkOpen();
        return Collections.unmodifiableMap(configEntries);
    }

    /** Called while sessions are created, and while later shapes need a plan; null: nothing is. */
    public void setProgressListener(ProgressListener listener) {
        checkOpen();
        progressListener = listener;
    }

    /** Gets the log of sessions; null: it goes to standard error. */
    public void setLogListener(LogListener listener) {
        checkOpen();
        logListener = listener;
    }

    /** Notes for the log of sessions that a setting has no effect. */
    final void noteUnused(String setting, String reason) {
        noteUnused(OrtLoggingLevel.ORT_LOGGING_LEVEL_INFO, setting, reason);
    }

    private void noteUnused(OrtLoggingLevel severity, String setting, String reason) {
        checkOpen();
        notes.put("inlay: " + setting + " has no effect: " + reason, severity);
    }

    /** To the listener, or to Java's own log, what is at least as severe as the session's level. */
    final void reportUnused(OrtLoggingLevel environmentLevel) {
        int level = Integer.parseInt(sessionOptions.getOrDefault(LEVEL, Integer.toString(environmentLevel.getValue())));
        notes.forEach((text, severity) -> {
            if (severity.getValue() < level) {
                return;
            }
            if (logListener != null) {
                logListener.log(severity, text);
            } else {
                boolean isWarning = severity == OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING;
                System.getLogger("ai.inlay")
                    .log(isWarning ? System.Logger.Level.WARNING : System.Logger.Level.INFO, text);
            }
        });
    }

    /** For {@link #newModelOptions} and {@link #newSessionOptions}; null: there is none. */
    final Listeners.Registration listeners() {
        checkOpen();
        boolean isHeard = progressListener != null || logListener != null;
        return isHeard ? new Listeners.Registration(progressListener, logListener) : null;
    }

    private interface Filling {
        void fill(long handle) throws OrtException;
    }

    private static Handle filled(Handle handle, Filling filling) throws OrtException {
        try {
            filling.fill(handle.address());
            return handle;
        } catch (OrtException | RuntimeException | Error e) {
            handle.close();
            throw e;
        }
    }

    final Handle newModelOptions(Listeners.Registration listeners) throws OrtException {
        return filled(new Handle(Handle.Kind.OPTIONS, Native.modelOptions()), options -> {
            for (Map.Entry<String, String> option : modelOptions) {
                Native.setOption(options, Texts.bytes(option.getKey()), Texts.bytes(option.getValue()));
            }
            if (progressListener != null) {
                Native.setProgress(options, listeners.number);
            }
        });
    }

    final Handle newSessionOptions(Listeners.Registration listeners, OrtLoggingLevel level) throws OrtException {
        Map<String, String> texts = new LinkedHashMap<>(sessionOptions);
        texts.putIfAbsent(LEVEL, Integer.toString(level.getValue()));
        if (mayNotFallBack()) {
            texts.put("fallback", "never");
        }
        return filled(new Handle(Handle.Kind.OPTIONS, Native.sessionOptions()), options -> {
            for (Map.Entry<String, String> option : texts.entrySet()) {
                Native.setOption(options, Texts.bytes(option.getKey()), Texts.bytes(option.getValue()));
            }
            if (progressListener != null) {
                Native.setProgress(options, listeners.number);
            }
            if (logListener != null) {
                Native.setLog(options, listeners.number);
            }
        });
    }

    private boolean mayNotFallBack() {
        return "1".equals(configEntries.get(NO_FALLBACK)) || "never".equals(sessionOptions.get("fallback"));
    }

    /**
     * The list for a session. Where denormal numbers are to be zero, it names the CPU, which would be appended anyway.
     */
    final Handle newProviders() throws OrtException {
        checkOpen();
        boolean flush = "1".equals(configEntries.get(FLUSH_DENORMALS));
        List<Choice> choices = new ArrayList<>(providers);
        if (flush && choices.stream().noneMatch(Choice::isCpu) && !(mayNotFallBack() && !choices.isEmpty())) {
            choices.add(new Choice(OrtProvider.CPU.getName(), false, Map.of()));
        }
        return filled(new Handle(Handle.Kind.PROVIDERS, Native.providers(false)), list -> {
            for (Choice choice : choices) {
                choice.addTo(list);
                if (flush && choice.isCpu()) {
                    Native.setProviderOption(list, Texts.bytes("flush_denormals"), Texts.bytes("true"));
                }
            }
        });
    }

    /** Sessions that were created with them stay as they are; closing twice is fine. */
    @Override
    public void close() {
        closed = true;
    }
}
