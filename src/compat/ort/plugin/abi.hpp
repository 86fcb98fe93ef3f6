// What this library uses of ONNX Runtime's binary interface. No package that a build could rely on has ONNX Runtime's
// headers with the part for providers in libraries, and its tables only ever grow at their end: so a function is given
// here by its position in its table and its signature, and is called by that.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

struct OrtApi;
struct OrtEpApi;
struct OrtEpDevice;
struct OrtEpGraphSupportInfo;
struct OrtAllocator;
struct OrtDataTransferImpl;
struct OrtGraph;
struct OrtHardwareDevice;
struct OrtKernelContext;
struct OrtKeyValuePairs;
struct OrtLogger;
struct OrtMemoryDevice;
struct OrtMemoryInfo;
struct OrtNode;
struct OrtNodeComputeContext;
struct OrtOpAttr;
struct OrtRunOptions;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtSyncStreamImpl;
struct OrtTensorTypeAndShapeInfo;
struct OrtTypeInfo;
struct OrtValue;
struct OrtValueInfo;

struct OrtApiBase {
    const OrtApi* (*GetApi)(std::uint32_t version) noexcept;
    const char* (*GetVersionString)() noexcept;
};

namespace inlay::ep {
inline constexpr std::uint32_t api_version = 24;     // of the functions that are called; the newest is has_shape
inline constexpr std::uint32_t struct_version = 23;  // of the structs below, which this library fills

// Not among them: 11, a failure of the provider, after which the Python package recreates a session without it.
enum class ort_error : int { fail = 1, invalid_argument = 2, runtime = 6, not_implemented = 9, invalid_graph = 10 };
enum class ort_severity : int { verbose, info, warning, error, fatal };
enum class ort_kind : int { unknown, tensor };  // the others are no tensors
enum class ort_attribute : int { undefined, integer, integers, real, reals, text, texts, graph, tensor };
enum class ort_hardware : int { cpu };

// Newer versions have more fields than these, which ONNX Runtime ignores where `version` is older.
struct compute_info {
    std::uint32_t version = struct_version;
    OrtStatus* (*create_state)(compute_info*, OrtNodeComputeContext*, void** state) = nullptr;
    OrtStatus* (*compute)(compute_info*, void* state, OrtKernelContext*) = nullptr;
    void (*release_state)(compute_info*, void* state) = nullptr;
};
struct fusion_options {
    std::uint32_t version = struct_version;
    bool drop_constant_initializers = false;
};
struct provider_table {  // OrtEp
    std::uint32_t version = struct_version;
    const char* (*name)(const provider_table*) = nullptr;
    OrtStatus* (*capability)(provider_table*, const OrtGraph*, OrtEpGraphSupportInfo*) = nullptr;
    OrtStatus* (*compile)(provider_table*, const OrtGraph**, const OrtNode**, std::size_t count, compute_info**,
                          OrtNode** context_nodes) = nullptr;
    void (*release_compute_infos)(provider_table*, compute_info**, std::size_t count) = nullptr;
    OrtStatus* (*preferred_data_layout)(provider_table*, int*) = nullptr;  // null: NCHW, as ONNX has it
    OrtStatus* (*should_convert_data_layout)(provider_table*, const char*, const char*, int, int*) = nullptr;
    OrtStatus* (*set_dynamic_options)(provider_table*, const char* const*, const char* const*, std::size_t) = nullptr;
    OrtStatus* (*on_run_start)(provider_table*, const OrtRunOptions*) = nullptr;
    OrtStatus* (*on_run_end)(provider_table*, const OrtRunOptions*, bool) = nullptr;
    OrtStatus* (*create_allocator)(provider_table*, const OrtMemoryInfo*, OrtAllocator**) = nullptr;
    OrtStatus* (*create_sync_stream)(provider_table*, const OrtMemoryDevice*, OrtSyncStreamImpl**) = nullptr;
    const char* (*compatibility_info)(provider_table*, const OrtGraph*) = nullptr;
};
struct factory_table {  // OrtEpFactory
    std::uint32_t version = struct_version;
    const char* (*name)(const factory_table*) = nullptr;
    const char* (*vendor)(const factory_table*) = nullptr;
    OrtStatus* (*supported_devices)(factory_table*, const OrtHardwareDevice* const* devices, std::size_t,
                                    OrtEpDevice** ep_devices, std::size_t most, std::size_t* count) = nullptr;
    OrtStatus* (*create_provider)(factory_table*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                                  std::size_t devices, const OrtSessionOptions*, const OrtLogger*,
                                  provider_table**) = nullptr;
    void (*release_provider)(factory_table*, provider_table*) = nullptr;
    std::uint32_t (*vendor_id)(const factory_table*) = nullptr;
    const char* (*provider_version)(const factory_table*) = nullptr;
    OrtStatus* (*validate_compiled_model)(factory_table*, const OrtHardwareDevice* const*, std::size_t, const char*,
                                          int*) = nullptr;
    OrtStatus* (*create_allocator)(factory_table*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                                   OrtAllocator**) = nullptr;
    void (*release_allocator)(factory_table*, OrtAllocator*) = nullptr;
    OrtStatus* (*create_data_transfer)(factory_table*, OrtDataTransferImpl**) = nullptr;
    bool (*is_stream_aware)(const factory_table*) = nullptr;
    OrtStatus* (*create_sync_stream)(factory_table*, const OrtMemoryDevice*, const OrtKeyValuePairs*,
                                     OrtSyncStreamImpl**) = nullptr;
};

// A function of a table: its position and its signature.
template <class Table, class Signature> struct slot;
template <class Table, class R, class... A> struct slot<Table, R(A...)> {
    int place;
    R operator()(const Table* table, std::type_identity_t<A>... a) const {
        const auto functions = reinterpret_cast<R (*const*)(A...)>(table);
        return functions[place](a...);
    }
};
template <class Signature> using api = slot<OrtApi, Signature>;
template <class Signature> using ep_api = slot<OrtEpApi, Signature>;
template <class... A> using asked = OrtStatus*(A...);  // what may fail: null where it did not

inline constexpr api<OrtStatus*(ort_error, const char*)> create_status{0};
inline constexpr api<const char*(const OrtStatus*)> error_message{2};
inline constexpr api<asked<OrtValue*, void**>> tensor_mutable_data{51};
inline constexpr api<asked<const OrtValue*, std::size_t*>> string_tensor_length{53};
inline constexpr api<asked<const OrtValue*, void*, std::size_t, std::size_t*, std::size_t>> string_tensor_content{54};
inline constexpr api<asked<const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**>> tensor_info_of_type{55};
inline constexpr api<asked<const OrtTypeInfo*, ort_kind*>> kind_of_type{56};
inline constexpr api<asked<const OrtTensorTypeAndShapeInfo*, int*>> element_type{60};
inline constexpr api<asked<const OrtTensorTypeAndShapeInfo*, std::size_t*>> dimensions_count{61};
inline constexpr api<asked<const OrtTensorTypeAndShapeInfo*, std::int64_t*, std::size_t>> dimensions{62};
inline constexpr api<asked<const OrtTensorTypeAndShapeInfo*, const char**, std::size_t>> symbolic_dimensions{63};
inline constexpr api<asked<const OrtValue*, OrtTensorTypeAndShapeInfo**>> tensor_type_and_shape{65};
inline constexpr api<asked<const OrtKernelContext*, std::size_t*>> kernel_input_count{88};
inline constexpr api<asked<const OrtKernelContext*, std::size_t*>> kernel_output_count{89};
inline constexpr api<asked<const OrtKernelContext*, std::size_t, const OrtValue**>> kernel_input{90};
inline constexpr api<asked<OrtKernelContext*, std::size_t, const std::int64_t*, std::size_t, OrtValue**>> kernel_output{
    91};
inline constexpr api<void(OrtStatus*)> release_status{93};
inline constexpr api<void(OrtValue*)> release_value{96};
inline constexpr api<void(OrtTensorTypeAndShapeInfo*)> release_tensor_info{99};
inline constexpr api<asked<const OrtLogger*, ort_severity, const char*, const char*, int, const char*>> log_message{
    247};
inline constexpr api<asked<const OrtLogger*, ort_severity*>> logger_severity{248};
inline constexpr api<asked<OrtValue*, std::size_t, std::size_t, char**>> resized_string_element{252};
inline constexpr api<asked<const OrtOpAttr*, ort_attribute, void*, std::size_t, std::size_t*>> read_attribute{272};
inline constexpr api<asked<const OrtValueInfo*, const char**>> value_name{289};
inline constexpr api<asked<const OrtValueInfo*, const OrtTypeInfo**>> value_type_info{290};
inline constexpr api<void(const OrtKeyValuePairs*, const char* const**, const char* const**, std::size_t*)>
    key_value_pairs{298};
inline constexpr api<void(OrtKeyValuePairs*)> release_key_value_pairs{300};
inline constexpr api<ort_hardware(const OrtHardwareDevice*)> hardware_type{307};
inline constexpr api<const OrtEpApi*()> provider_api{317};
inline constexpr api<asked<const OrtValueInfo*, const OrtValue**>> initializer_value{326};
inline constexpr api<asked<const OrtValueInfo*, bool*>> is_graph_output{330};
inline constexpr api<asked<const OrtValueInfo*, bool*>> is_constant_initializer{331};
inline constexpr api<asked<const OrtGraph*, std::int64_t*>> graph_ir_version{335};
inline constexpr api<asked<const OrtGraph*, std::size_t*>> graph_opset_count{336};
inline constexpr api<asked<const OrtGraph*, const char**, std::int64_t*, std::size_t>> graph_opsets{337};
inline constexpr api<asked<const OrtGraph*, std::size_t*>> graph_input_count{338};
inline constexpr api<asked<const OrtGraph*, const OrtValueInfo**, std::size_t>> graph_inputs{339};
inline constexpr api<asked<const OrtGraph*, std::size_t*>> graph_output_count{340};
inline constexpr api<asked<const OrtGraph*, const OrtValueInfo**, std::size_t>> graph_outputs{341};
inline constexpr api<asked<const OrtGraph*, std::size_t*>> graph_initializer_count{342};
inline constexpr api<asked<const OrtGraph*, const OrtValueInfo**, std::size_t>> graph_initializers{343};
inline constexpr api<asked<const OrtGraph*, std::size_t*>> graph_node_count{344};
inline constexpr api<asked<const OrtGraph*, const OrtNode**, std::size_t>> graph_nodes{345};
inline constexpr api<asked<const OrtGraph*, const OrtNode**>> graph_parent_node{346};
inline constexpr api<asked<const OrtNode*, const char**>> node_name{349};
inline constexpr api<asked<const OrtNode*, const char**>> node_operator{350};
inline constexpr api<asked<const OrtNode*, const char**>> node_domain{351};
inline constexpr api<asked<const OrtNode*, int*>> node_since_version{352};
inline constexpr api<asked<const OrtNode*, std::size_t*>> node_input_count{353};
inline constexpr api<asked<const OrtNode*, const OrtValueInfo**, std::size_t>> node_inputs{354};
inline constexpr api<asked<const OrtNode*, std::size_t*>> node_output_count{355};
inline constexpr api<asked<const OrtNode*, const OrtValueInfo**, std::size_t>> node_outputs{356};
inline constexpr api<asked<const OrtNode*, std::size_t*>> node_implicit_input_count{357};
inline constexpr api<asked<const OrtNode*, const OrtValueInfo**, std::size_t>> node_implicit_inputs{358};
inline constexpr api<asked<const OrtNode*, std::size_t*>> node_attribute_count{359};
inline constexpr api<asked<const OrtNode*, const OrtOpAttr**, std::size_t>> node_attributes{360};
inline constexpr api<asked<const OrtOpAttr*, OrtValue**>> attribute_tensor{362};
inline constexpr api<asked<const OrtOpAttr*, ort_attribute*>> attribute_type{363};
inline constexpr api<asked<const OrtOpAttr*, const char**>> attribute_name{364};
inline constexpr api<asked<const OrtNode*, std::size_t*>> node_subgraph_count{365};
inline constexpr api<asked<const OrtNode*, const OrtGraph**, std::size_t, const char**>> node_subgraphs{366};
inline constexpr api<asked<const OrtNode*, const OrtGraph**>> node_graph{367};
inline constexpr api<asked<const OrtNode*, const char**>> node_provider{368};
inline constexpr api<asked<const OrtValue*, const void**>> tensor_data{378};
inline constexpr api<asked<const OrtSessionOptions*, OrtKeyValuePairs**>> session_config_entries{379};
inline constexpr api<bool(const OrtTensorTypeAndShapeInfo*)> has_shape{390};

inline constexpr ep_api<
    asked<factory_table*, const OrtHardwareDevice*, const OrtKeyValuePairs*, const OrtKeyValuePairs*, OrtEpDevice**>>
    create_device{0};
inline constexpr ep_api<asked<OrtEpGraphSupportInfo*, const OrtNode* const*, std::size_t, const fusion_options*>>
    add_nodes_to_fuse{2};
}  // namespace inlay::ep
