// Digits LIBRARY MODEL: the digits model by the foreign functions of Java 17, with the JDK alone:
//   java --add-modules jdk.incubator.foreign --enable-native-access=ALL-UNNAMED Digits.java LIBRARY MODEL
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.Locale;
import jdk.incubator.foreign.CLinker;
import jdk.incubator.foreign.FunctionDescriptor;
import jdk.incubator.foreign.MemoryAccess;
import jdk.incubator.foreign.MemoryAddress;
import jdk.incubator.foreign.MemoryLayout;
import jdk.incubator.foreign.MemorySegment;
import jdk.incubator.foreign.ResourceScope;
import jdk.incubator.foreign.SymbolLookup;

public class Digits {
    static final MemoryAddress NULL = MemoryAddress.NULL;

    static MemoryLayout layoutOf(Class<?> type) {
        if (type == int.class) return CLinker.C_INT;
        if (type == long.class) return CLinker.C_LONG_LONG;
        return CLinker.C_POINTER;
    }
    // Calls a function of the library; its argument types follow from those of Java.
    static Object call(String name, Class<?> result, Object... arguments) throws Throwable {
        Class<?>[] types = new Class<?>[arguments.length];
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int k = 0; k < arguments.length; ++k) {
            types[k] = arguments[k] instanceof Integer ? int.class : arguments[k] instanceof Long ? long.class : MemoryAddress.class;
            layouts[k] = layoutOf(types[k]);
        }
        FunctionDescriptor descriptor = result == void.class ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(layoutOf(result), layouts);
        MemoryAddress address = SymbolLookup.loaderLookup().lookup(name).orElseThrow();
        MethodHandle f = CLinker.getInstance().downcallHandle(address, MethodType.methodType(result, types), descriptor);
        return f.invokeWithArguments(arguments);
    }
    static void check(String name, Object... arguments) throws Throwable {
        MemoryAddress failure = (MemoryAddress) call(name, MemoryAddress.class, arguments);
        if (failure.equals(NULL)) return;
        String text = CLinker.toJavaString((MemoryAddress) call("inlay_failure_text", MemoryAddress.class, failure));
        call("inlay_failure_free", void.class, failure);
        throw new IllegalStateException(text);
    }
    // The handle that a function makes; it is the last argument.
    static MemoryAddress made(ResourceScope scope, String name, Object... arguments) throws Throwable {
        MemorySegment handle = MemorySegment.allocateNative(CLinker.C_POINTER, scope);
        Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = handle.address();
        check(name, all);
        return MemoryAccess.getAddress(handle);
    }
    static MemoryAddress text(ResourceScope scope, String text) {
        return CLinker.toCString(text, scope).address();
    }
    static MemoryAddress list(ResourceScope scope, MemoryAddress one) {
        MemorySegment all = MemorySegment.allocateNative(CLinker.C_POINTER, scope);
        MemoryAccess.setAddress(all, one);
        return all.address();
    }

    public static void main(String[] words) throws Throwable {
        System.load(words[0]);
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            try {
                made(scope, "inlay_model_load", text(scope, "/no/such/model.onnx"), NULL);
                throw new AssertionError("a file that there is not was loaded");
            } catch (IllegalStateException e) {
                if (!e.getMessage().contains("/no/such/model.onnx")) throw e;
            }
            MemoryAddress model = made(scope, "inlay_model_load", text(scope, words[1]), NULL);
            MemoryAddress session = made(scope, "inlay_session_new", model, NULL, NULL);
            MemorySegment image = MemorySegment.allocateNative(64 * 4, 64, scope), dims = MemorySegment.allocateNative(4 * 8, 8, scope);
            for (int row = 1; row < 7; ++row) MemoryAccess.setFloatAtIndex(image, row * 8 + 4, 1);
            for (int axis = 0; axis < 4; ++axis) MemoryAccess.setLongAtIndex(dims, axis, axis < 2 ? 1 : 8);
            MemoryAddress tensor = made(scope, "inlay_value_borrow", 1, dims.address(), 4, image.address(), 64 * 4L, NULL);
            MemorySegment outputs = MemorySegment.allocateNative(CLinker.C_POINTER, scope);
            check("inlay_session_run", session, list(scope, text(scope, "image")), list(scope, tensor), 1L, list(scope, text(scope, "scores")),
                outputs.address(), 1L, NULL, NULL);
            MemoryAddress scores = MemoryAccess.getAddress(outputs);
            long count = (long) call("inlay_value_count", long.class, scores);
            MemorySegment data = ((MemoryAddress) call("inlay_value_data", MemoryAddress.class, scores)).asSegment(count * 4, scope);
            for (int digit = 0; digit < count; ++digit)
                System.out.printf(Locale.ROOT, "%d: %.6e%n", digit, MemoryAccess.getFloatAtIndex(data, digit));
            for (MemoryAddress value : new MemoryAddress[] {scores, tensor}) call("inlay_value_free", void.class, value);
            call("inlay_session_free", void.class, session);
            call("inlay_model_free", void.class, model);
        }
    }
}
