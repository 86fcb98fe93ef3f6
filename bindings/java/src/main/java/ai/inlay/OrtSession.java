package ai.inlay;

import ai.inlay.TensorInfo.OnnxTensorType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A model that is ready to run. Any number of threads may run it at once, and may close it while others run it: these
 * runs end as they would have, and later ones are an IllegalStateException.
 */
public class OrtSession extends NativeObject implements AutoCloseable {
    private final Map<String, NodeInfo> inputs;
    private final Map<String, NodeInfo> outputs;

    private OrtSession(Handle handle, Map<String, NodeInfo> inputs, Map<String, NodeInfo> outputs) {
        super(handle);
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** Loads a model with options of it, whose handle is given. */
    interface Loader {
        long load(long modelOptions) throws OrtException;
    }

    static OrtSession create(OrtEnvironment env, SessionOptions options, Loader loader) throws OrtException {
        Listeners.Registration listeners = options.listeners();
        try (Handle modelOptions = options.newModelOptions(listeners);
             Handle model = new Handle(Handle.Kind.MODEL, loader.load(modelOptions.address()));
             Handle providers = options.newProviders();
             Handle sessionOptions = options.newSessionOptions(listeners, env.getLoggingLevel())) {
            options.reportUnused(env.getLoggingLevel());
            Map<String, NodeInfo> inputs = ports(model.address(), false);
            Map<String, NodeInfo> outputs = ports(model.address(), true);
            long address = Native.newSession(model.address(), providers.address(), sessionOptions.address());
            return new OrtSession(new Handle(Handle.Kind.SESSION, address, listeners), inputs, outputs);
        }
    }

    private static Map<String, NodeInfo> ports(long model, boolean output) {
        Map<String, NodeInfo> ports = new LinkedHashMap<>();
        for (long k = 0; k < Native.portCount(model, output); ++k) {
            byte[][] texts = Native.portTexts(model, output, k);
            String name = Texts.text(texts[0]);
            ports.put(name, new NodeInfo(name, info(texts, Native.portNumbers(model, output, k))));
        }
        return Collections.unmodifiableMap(ports);
    }

    private static ValueInfo info(byte[][] texts, long[] numbers) {
        if (numbers[0] != 0) {
            return TypeText.info(Texts.text(texts[1]));
        }
        int rank = (int) numbers[2];
        long[] shape = Arrays.copyOfRange(numbers, 3, numbers.length);
        String[] names = Arrays.stream(texts).skip(2).map(Texts::text).toArray(String[] ::new);
        return new TensorInfo(shape, rank, names, OnnxTensorType.mapFromInt((int) numbers[1]));
    }

    public long getNumInputs() {
        checkOpen();
        return inputs.size();
    }

    public long getNumOutputs() {
        checkOpen();
        return outputs.size();
    }

    /** In the model's order, as are the following. */
    public Set<String> getInputNames() {
        checkOpen();
        return inputs.keySet();
    }

    public Set<String> getOutputNames() {
        checkOpen();
        return outputs.keySet();
    }

    public Map<String, NodeInfo> getInputInfo() throws OrtException {
        checkOpen();
        return inputs;
    }

    public Map<String, NodeInfo> getOutputInfo() throws OrtException {
        checkOpen();
        return outputs;
    }

    public OnnxModelMetadata getMetadata() throws OrtException {
        long session = handle.use();
        try (Handle model = new Handle(Handle.Kind.MODEL, Native.sessionModel(session))) {
            return new OnnxModelMetadata(Native.modelTexts(model.address()), Native.modelVersion(model.address()));
        } finally {
            handle.release();
        }
    }

    /** Runs the model for all outputs. Inputs are tensors, or values of the kinds that the model declares. */
    public Result run(Map<String, ? extends OnnxValue> inputs) throws OrtException {
        return run(inputs, getOutputNames(), Map.of(), null);
    }

    public Result run(Map<String, ? extends OnnxValue> inputs, RunOptions runOptions) throws OrtException {
        return run(inputs, getOutputNames(), Map.of(), runOptions);
    }

    /** For these outputs alone, in their order. */
    public Result run(Map<String, ? extends OnnxValue> inputs, Set<String> requestedOutputs) throws OrtException {
        return run(inputs, requestedOutputs, Map.of(), null);
    }

    public Result run(Map<String, ? extends OnnxValue> inputs, Set<String> requestedOutputs, RunOptions runOptions)
        throws OrtException {
        return run(inputs, requestedOutputs, Map.of(), runOptions);
    }

    /** Copies outputs into tensors on the host, of their types and shapes; {@link #bind} writes in place instead. */
    public Result run(Map<String, ? extends OnnxValue> inputs, Map<String, ? extends OnnxValue> pinnedOutputs)
        throws OrtException {
        return run(inputs, Set.of(), pinnedOutputs, null);
    }

    public Result run(Map<String, ? extends OnnxValue> inputs, Map<String, ? extends OnnxValue> pinnedOutputs,
        RunOptions runOptions) throws OrtException {
        return run(inputs, Set.of(), pinnedOutputs, runOptions);
    }

    public Result run(Map<String, ? extends OnnxValue> inputs, Set<String> requestedOutputs,
        Map<String, ? extends OnnxValue> pinnedOutputs) throws OrtException {
        return run(inputs, requestedOutputs, pinnedOutputs, null);
    }

    /** The result has the requested outputs, then the pinned ones, which its {@link Result#close()} leaves open. */
    public Result run(Map<String, ? extends OnnxValue> inputs, Set<String> requestedOutputs,
        Map<String, ? extends OnnxValue> pinnedOutputs, RunOptions runOptions) throws OrtException {
        List<String> names = new ArrayList<>(requestedOutputs);
        names.addAll(pinnedOutputs.keySet());
        if (new LinkedHashSet<>(names).size() != names.size()) {
            throw OrtException.of(FailureCode.INVALID_ARGUMENT, "inlay: an output is requested and pinned");
        }
        Result result = new Result(names, runNative(inputs, names, null, runOptions), requestedOutputs.size());
        try {
            result.pin(pinnedOutputs);
            return result;
        } catch (OrtException | RuntimeException e) {
            result.close();
            throw e;
        }
    }

    /** Runs a decoder's step: without the inputs and outputs that the cache has. */
    public Result run(Map<String, ? extends OnnxValue> inputs, Set<String> requestedOutputs, KvCache cache,
        RunOptions runOptions) throws OrtException {
        List<String> names = new ArrayList<>(requestedOutputs);
        return new Result(names, runNative(inputs, names, cache, runOptions), names.size());
    }

    private List<OnnxValue> runNative(Map<String, ? extends OnnxValue> inputs, List<String> outputNames, KvCache cache,
        RunOptions runOptions) throws OrtException {
        long[] results = new long[outputNames.size()];
        try (Uses uses = new Uses()) {
            long[] values = Values.addresses(uses, new ArrayList<>(inputs.values()));
            Native.run(uses.add(this), Texts.bytes(inputs.keySet()), values, Texts.bytes(outputNames), results,
                uses.add(cache), uses.add(runOptions));
        }
        List<OnnxValue> values = new ArrayList<>(results.length);
        try {
            for (long result : results) {
                values.add(Values.of(result));
            }
            return values;
        } catch (RuntimeException | Error e) {
            for (int k = values.size() + 1; k < results.length; ++k) {
                Native.free(Handle.Kind.VALUE.ordinal(), results[k]);
            }
            OnnxValue.close(values);
            throw e;
        }
    }

    /** Memory for one set of input shapes, whose runs make no heap call in the library. */
    public Binding bind(Map<String, long[]> shapes) throws OrtException {
        try (Uses uses = new Uses()) {
            long address = Native.bind(uses.add(this), Texts.bytes(shapes.keySet()), dims(shapes));
            return new Binding(new Handle(Handle.Kind.BINDING, address, handle.dependencies()));
        }
    }

    /** The same for a model that fixes all shapes. */
    public Binding bind() throws OrtException { return bind(Map.of()); }

    /** For a decoder: capacity, in rows, of every input that the model returns with more rows. */
    public KvCache makeCache(long rows) throws OrtException {
        try (Uses uses = new Uses()) {
            long address = Native.newCache(uses.add(this), rows);
            return new KvCache(new Handle(Handle.Kind.CACHE, address, handle.dependencies()));
        }
    }

    /** JSON: which node runs where, and why not elsewhere; for the shapes of the last run, else the model's own. */
    public String plan() throws OrtException { return plan(Map.of()); }

    /** The same for shapes of inputs. */
    public String plan(Map<String, long[]> shapes) throws OrtException {
        try (Uses uses = new Uses()) {
            return Texts.text(Native.plan(uses.add(this), Texts.bytes(shapes.keySet()), dims(shapes)));
        }
    }

    /** JSON: where each value lives, and how long. */
    public String memory() throws OrtException { return memory(Map.of()); }

    public String memory(Map<String, long[]> shapes) throws OrtException {
        try (Uses uses = new Uses()) {
            return Texts.text(Native.memory(uses.add(this), Texts.bytes(shapes.keySet()), dims(shapes)));
        }
    }

    private static long[][] dims(Map<String, long[]> shapes) { return shapes.values().toArray(new long[0][]); }

    /** Releases the memory that finished runs left for later ones. */
    public void releaseMemory() throws OrtException {
        try (Uses uses = new Uses()) {
            Native.releaseMemory(uses.add(this));
        }
    }

    /** The providers in use, an appended CPU included, each with all of its options. */
    public List<ProviderInfo> getProviders() throws OrtException {
        try (Uses uses = new Uses();
             Handle list = new Handle(Handle.Kind.PROVIDERS, Native.sessionProviders(uses.add(this)))) {
            return ProviderInfo.of(list.address());
        }
    }

    /**
     * Goes on with the providers of these options; runs, bindings and caches that have begun keep the previous ones.
     */
    public void setProviders(SessionOptions options) throws OrtException {
        try (Uses uses = new Uses(); Handle list = options.newProviders()) {
            Native.setSessionProviders(uses.add(this), list.address());
        }
    }

    /** Bindings, caches and outputs stay usable. */
    @Override
    public void close() throws OrtException {
        closeHandle();
    }

    @Override
    public String toString() {
        return "OrtSession(inputs=" + inputs.keySet() + ",outputs=" + outputs.keySet() + ",closed=" + isClosed() + ")";
    }

    /**
     * How sessions are created, by ONNX Runtime's methods; what has no effect here is reported in the session's log.
     */
    public static class SessionOptions extends InlaySessionOptions {
        /** ONNX Runtime's levels, of which all but NO_OPT are one here. */
        public enum OptLevel { NO_OPT, BASIC_OPT, EXTENDED_OPT, ALL_OPT }

        /** PARALLEL has no effect: steps run one after another, each on all threads of the session. */
        public enum ExecutionMode { SEQUENTIAL, PARALLEL }

        public void setOptimizationLevel(OptLevel level) throws OrtException {
            setOption("optimize", Boolean.toString(level != OptLevel.NO_OPT));
        }

        /** Threads of the CPU, the caller included; 0: one per core. */
        public void setIntraOpNumThreads(int numThreads) throws OrtException {
            setOption("intra_op_num_threads", Integer.toString(numThreads));
        }

        public void setSessionLogLevel(OrtLoggingLevel level) throws OrtException {
            setOption("log_severity_level", Integer.toString(level.getValue()));
        }

        /** Gives the inputs' free dimension of this name a size. */
        public void setSymbolicDimensionValue(String dimensionName, long dimensionValue) throws OrtException {
            setOption("dimension." + dimensionName, Long.toString(dimensionValue));
        }

        public void setExecutionMode(ExecutionMode mode) throws OrtException {
            if (mode == ExecutionMode.PARALLEL) {
                noteUnused("ExecutionMode.PARALLEL", "steps run one after another, each on all threads of the session");
            }
        }

        public void setInterOpNumThreads(int numThreads) throws OrtException {
            if (numThreads > 1) {
                noteUnused("setInterOpNumThreads(" + numThreads + ")", "steps run one after another");
            }
        }

        public void setMemoryPatternOptimization(boolean enabled) throws OrtException {
            if (!enabled) {
                noteUnused("setMemoryPatternOptimization(false)", "memory of a run is always planned");
            }
        }

        public void setCPUArenaAllocator(boolean enabled) throws OrtException {
            if (!enabled) {
                noteUnused("setCPUArenaAllocator(false)", "memory of a run is always planned, in one arena");
            }
        }

        public void setSessionLogVerbosityLevel(int level) throws OrtException {
            if (level != 0) {
                noteUnused("setSessionLogVerbosityLevel(" + level + ")", "setSessionLogLevel() decides what is logged");
            }
        }

        public void setLoggerId(String loggerId) throws OrtException {
            if (!loggerId.isEmpty()) {
                noteUnused("setLoggerId(" + loggerId + ")", "lines of the log have no name; a LogListener may add one");
            }
        }

        /** Has no effect: results never depend on the number of threads. */
        public void setDeterministicCompute(boolean isDeterministic) throws OrtException { checkOpen(); }
    }

    /** Options of runs; closing them twice is fine. Any thread may set them, also during a run. */
    public static class RunOptions extends NativeObject implements AutoCloseable {
        private String tag = "";

        public RunOptions() throws OrtException { super(new Handle(Handle.Kind.OPTIONS, Native.runOptions())); }

        /** True ends all runs with these options, with {@link FailureCode#STOPPED}, until it is false again. */
        public void setTerminate(boolean terminate) throws OrtException {
            try (Uses uses = new Uses()) {
                Native.setCancelled(uses.add(this), terminate);
            }
        }

        /**
         * Runs end with {@link FailureCode#DEADLINE_PASSED} so long after this call; negative: never. Not during a
         * run.
         */
        public void setDeadline(Duration time) throws OrtException {
            try (Uses uses = new Uses()) {
                Native.setDeadline(uses.add(this), time.isNegative() ? -1 : nanoseconds(time));
            }
        }

        private static long nanoseconds(Duration time) {
            try {
                return time.toNanos();
            } catch (ArithmeticException e) {
                return Long.MAX_VALUE;
            }
        }

        /** Has no effect on the log. */
        public void setRunTag(String runTag) throws OrtException {
            checkOpen();
            tag = runTag;
        }

        public String getRunTag() throws OrtException {
            checkOpen();
            return tag;
        }

        @Override
        public void close() {
            closeHandle();
        }
    }

    /** The outputs of a run, in the order in which they were requested. */
    public static class Result implements AutoCloseable, Iterable<Map.Entry<String, OnnxValue>> {
        private final Map<String, OnnxValue> values = new LinkedHashMap<>();
        private final List<OnnxValue> list;
        private final int owned;  // the values after them are the caller's
        private boolean closed;

        Result(List<String> names, List<OnnxValue> list, int owned) {
            this.list = list;
            this.owned = owned;
            for (int k = 0; k < list.size(); ++k) {
                values.put(names.get(k), list.get(k));
            }
        }

        /** Copies outputs into the caller's tensors, which take their places. */
        private void pin(Map<String, ? extends OnnxValue> pinned) throws OrtException {
            List<OnnxValue> outputs = new ArrayList<>(list.subList(owned, list.size()));
            try {
                int k = 0;
                for (Map.Entry<String, ? extends OnnxValue> entry : pinned.entrySet()) {
                    OnnxTensor.copy(entry.getKey(), outputs.get(k), entry.getValue());
                    list.set(owned + k++, entry.getValue());
                    values.put(entry.getKey(), entry.getValue());
                }
            } finally {
                OnnxValue.close(outputs);
            }
        }

        private void check() {
            if (closed) {
                throw new IllegalStateException("inlay: this result is closed");
            }
        }

        public int size() {
            check();
            return list.size();
        }

        /** Throws IndexOutOfBoundsException where there is none. */
        public OnnxValue get(int index) {
            check();
            return list.get(index);
        }

        public Optional<OnnxValue> get(String key) {
            check();
            return Optional.ofNullable(values.get(key));
        }

        /** Whether closing the result closes this value: not one that the caller gave for it. */
        public boolean isResultOwner(int index) {
            check();
            return list.get(index) != null && index < owned;
        }

        @Override
        public Iterator<Map.Entry<String, OnnxValue>> iterator() {
            check();
            return Collections.unmodifiableMap(values).entrySet().iterator();
        }

        /** Closes its values. */
        @Override
        public void close() {
            if (!closed) {
                closed = true;
                OnnxValue.close(list.subList(0, owned));
            }
        }

        @Override
        public String toString() {
            return "Result(values=" + values.keySet() + ",closed=" + closed + ")";
        }
    }
}
