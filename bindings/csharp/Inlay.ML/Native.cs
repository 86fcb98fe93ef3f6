// The functions of <inlay.h>. Everything that crosses is a number, a pointer, an array of these or a SafeHandle: texts
// are UTF-8 that Utf8 writes and reads, because the runtime's own marshalling of strings differs by system.
using System;
using System.Runtime.InteropServices;

namespace Inlay.ML {
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
delegate int NativeProgress(IntPtr data, int stage, long count, long total);
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
delegate void NativeLog(IntPtr data, int severity, IntPtr text);

static class Native {
    const string Library = "inlay";  // libinlay.so next to the assembly, or where the system's loader looks

    [DllImport(Library)] internal static extern IntPtr inlay_version();
    [DllImport(Library)] internal static extern void inlay_text_free(IntPtr text);

    [DllImport(Library)] internal static extern int inlay_failure_code(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_name(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_text(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_node(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_op(IntPtr failure);
    [DllImport(Library)] internal static extern int inlay_failure_op_version(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_provider(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_shapes(IntPtr failure);
    [DllImport(Library)] internal static extern IntPtr inlay_failure_hint(IntPtr failure);
    [DllImport(Library)] internal static extern void inlay_failure_free(IntPtr failure);

    [DllImport(Library)] internal static extern IntPtr inlay_model_options_new(out OptionsHandle options);
    [DllImport(Library)] internal static extern IntPtr inlay_session_options_new(out OptionsHandle options);
    [DllImport(Library)] internal static extern IntPtr inlay_run_options_new(out OptionsHandle options);
    [DllImport(Library)]
    internal static extern IntPtr inlay_options_set(OptionsHandle options, byte[] name, byte[] text);
    [DllImport(Library)]
    internal static extern IntPtr inlay_options_set_progress(OptionsHandle options, NativeProgress callback,
            IntPtr data);
    [DllImport(Library)]
    internal static extern IntPtr inlay_options_set_log(OptionsHandle options, NativeLog callback, IntPtr data);
    [DllImport(Library)]
    internal static extern IntPtr inlay_options_set_deadline(OptionsHandle options, long nanoseconds);
    [DllImport(Library)]
    internal static extern IntPtr inlay_options_set_cancelled(OptionsHandle options, int cancelled);
    [DllImport(Library)] internal static extern void inlay_options_free(IntPtr options);

    [DllImport(Library)] internal static extern IntPtr inlay_providers_new(out ProvidersHandle list);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_built(out ProvidersHandle list);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_add(ProvidersHandle list, byte[] name);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_add_plugin(ProvidersHandle list, byte[] path);
    [DllImport(Library)]
    internal static extern IntPtr inlay_providers_set(ProvidersHandle list, byte[] option, byte[] text);
    [DllImport(Library)] internal static extern long inlay_providers_count(ProvidersHandle list);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_name(ProvidersHandle list, long index);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_status(ProvidersHandle list, long index);
    [DllImport(Library)] internal static extern IntPtr inlay_providers_checked_on(ProvidersHandle list, long index);
    [DllImport(Library)] internal static extern long inlay_providers_option_count(ProvidersHandle list, long index);
    [DllImport(Library)]
    internal static extern IntPtr inlay_providers_option_name(ProvidersHandle list, long index, long option);
    [DllImport(Library)]
    internal static extern IntPtr inlay_providers_option_text(ProvidersHandle list, long index, long option);
    [DllImport(Library)] internal static extern void inlay_providers_free(IntPtr list);

    [DllImport(Library)]
    internal static extern IntPtr inlay_model_load(byte[] path, OptionsHandle options, out ModelHandle model);
    [DllImport(Library)]
    internal static extern IntPtr inlay_model_parse(byte[] bytes, long size, OptionsHandle options,
            out ModelHandle model);
    [DllImport(Library)] internal static extern long inlay_model_input_count(ModelHandle model);
    [DllImport(Library)] internal static extern long inlay_model_output_count(ModelHandle model);
    [DllImport(Library)] internal static extern IntPtr inlay_model_input(ModelHandle model, long index);
    [DllImport(Library)] internal static extern IntPtr inlay_model_output(ModelHandle model, long index);
    [DllImport(Library)] internal static extern IntPtr inlay_model_metadata(ModelHandle model, byte[] key);
    [DllImport(Library)] internal static extern long inlay_model_metadata_count(ModelHandle model);
    [DllImport(Library)] internal static extern IntPtr inlay_model_metadata_key(ModelHandle model, long index);
    [DllImport(Library)] internal static extern IntPtr inlay_model_producer_name(ModelHandle model);
    [DllImport(Library)] internal static extern IntPtr inlay_model_domain(ModelHandle model);
    [DllImport(Library)] internal static extern IntPtr inlay_model_graph_name(ModelHandle model);
    [DllImport(Library)] internal static extern IntPtr inlay_model_description(ModelHandle model);
    [DllImport(Library)] internal static extern long inlay_model_version(ModelHandle model);
    [DllImport(Library)] internal static extern void inlay_model_free(IntPtr model);

    [DllImport(Library)] internal static extern IntPtr inlay_port_name(IntPtr port);
    [DllImport(Library)] internal static extern IntPtr inlay_port_type_text(IntPtr port);
    [DllImport(Library)] internal static extern int inlay_port_rank(IntPtr port);
    [DllImport(Library)] internal static extern IntPtr inlay_port_dims(IntPtr port);
    [DllImport(Library)] internal static extern IntPtr inlay_port_dim_name(IntPtr port, int axis);

    [DllImport(Library)]
    internal static extern IntPtr inlay_value_new(int type, long[] dims, int rank, byte[] memory,
            out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_borrow(int type, long[] dims, int rank, IntPtr data, long bytes,
            byte[] memory, out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_sequence(IntPtr[] items, long count, out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_map(ValueHandle keys, IntPtr[] items, long count, out ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_value_optional(IntPtr item, out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_copy(ValueHandle value, byte[] memory, out ValueHandle copy);
    [DllImport(Library)] internal static extern int inlay_value_kind(ValueHandle value);
    [DllImport(Library)] internal static extern int inlay_value_type(ValueHandle value);
    [DllImport(Library)] internal static extern int inlay_value_rank(ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_value_dims(ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_value_memory(ValueHandle value);
    [DllImport(Library)] internal static extern long inlay_value_bytes(ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_value_data(ValueHandle value);
    [DllImport(Library)] internal static extern long inlay_value_count(ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_value_string(ValueHandle value, long index, out long size);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_set_string(ValueHandle value, long index, byte[] text, long size);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_item(ValueHandle value, long index, out ValueHandle item);
    [DllImport(Library)]
    internal static extern IntPtr inlay_value_key(ValueHandle map, long index, out ValueHandle key);
    [DllImport(Library)] internal static extern void inlay_value_free(IntPtr value);

    [DllImport(Library)]
    internal static extern IntPtr inlay_session_new(ModelHandle model, ProvidersHandle providers, OptionsHandle options,
            out SessionHandle session);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_set_providers(SessionHandle session, ProvidersHandle providers);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_providers(SessionHandle session, out ProvidersHandle list);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_run(SessionHandle session, IntPtr[] inputNames, IntPtr[] inputs,
            long inputCount, IntPtr[] outputNames, [Out] IntPtr[] outputs, long outputCount, IntPtr cache,
            IntPtr options);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_bind(SessionHandle session, IntPtr[] names, int[] ranks, long[] dims,
            long count, out BindingHandle binding);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_make_cache(SessionHandle session, long rows, out CacheHandle cache);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_plan(SessionHandle session, IntPtr[] names, int[] ranks, long[] dims,
            long count, out IntPtr json);
    [DllImport(Library)]
    internal static extern IntPtr inlay_session_memory(SessionHandle session, IntPtr[] names, int[] ranks, long[] dims,
            long count, out IntPtr json);
    [DllImport(Library)] internal static extern IntPtr inlay_session_release_memory(SessionHandle session);
    [DllImport(Library)] internal static extern void inlay_session_free(IntPtr session);

    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_input(BindingHandle binding, byte[] name, out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_output(BindingHandle binding, byte[] name, out ValueHandle value);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_set_input(BindingHandle binding, byte[] name, ValueHandle tensor);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_set_output(BindingHandle binding, byte[] name, ValueHandle tensor);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_set_output_memory(BindingHandle binding, byte[] name, byte[] memory);
    [DllImport(Library)] internal static extern IntPtr inlay_binding_run(BindingHandle binding, IntPtr options);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_executed(BindingHandle binding, byte[] provider, out long nodes);
    [DllImport(Library)]
    internal static extern IntPtr inlay_binding_profile(BindingHandle binding, int runs, IntPtr options,
            out IntPtr json);
    [DllImport(Library)] internal static extern void inlay_binding_free(IntPtr binding);

    [DllImport(Library)] internal static extern long inlay_cache_rows(CacheHandle cache);
    [DllImport(Library)] internal static extern long inlay_cache_room(CacheHandle cache);
    [DllImport(Library)] internal static extern IntPtr inlay_cache_keep(CacheHandle cache, long rows);
    [DllImport(Library)]
    internal static extern IntPtr inlay_cache_past(CacheHandle cache, byte[] input, out ValueHandle value);
    [DllImport(Library)] internal static extern IntPtr inlay_cache_pairs(CacheHandle cache, out IntPtr json);
    [DllImport(Library)] internal static extern void inlay_cache_free(IntPtr cache);
}
}
