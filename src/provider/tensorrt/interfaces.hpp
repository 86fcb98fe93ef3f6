// The C++ interfaces of TensorRT and TensorRT RTX, as much of them as is called here. What they are made of is known
// from their public headers NvInfer.h, NvInferImpl.h and NvOnnxParser.h: an object begins with a pointer to its table
// of virtual functions (Itanium's C++ ABI), of which the first two are destructors; those that nvinfer makes have a
// second pointer, to the object whose functions are called. Functions were taken out of these tables between versions
// 10 and 11, so a place in them is a number that depends on the version. library.cpp proves them when it opens one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace inlay {
inline namespace v1 {
struct nv_dims {  // nvinfer1::Dims64
    std::int32_t rank = 0;
    std::int64_t sizes[8]{};  // as many as a tensor may have here
};
enum class nv_type : std::int32_t { f32, f16, i8, i32, boolean, u8, f8, bf16, i64 };  // nvinfer1::DataType
enum class nv_flag : std::int32_t { f16 = 0, i8 = 1, tf32 = 6, obey_types = 9 };      // nvinfer1::BuilderFlag
enum class nv_severity : std::int32_t { internal_error, error, warning, info, verbose };
enum class nv_io : std::int32_t { none, input, output };
constexpr std::int32_t nv_workspace = 0;  // nvinfer1::MemoryPoolType

// Where functions stand in the tables.
struct nv_places {
    std::uint32_t strongly_typed;  // of make_network(): types are those of the model, as they always are since 11
    struct {
        int make_config, make_network, build, logger, set_threads, threads;
    } builder;
    struct {
        int layers, inputs, input, outputs, output;
    } network;
    struct {
        int name, dims, type;
    } tensor;
    struct {
        int clear_flag, set_flag, flag, set_pool, pool;
        int set_capabilities, capabilities;  // of TensorRT RTX alone; 0: there is none
    } config;
    struct {
        int restore, logger;
    } runtime;
    struct {
        int make_context, dims, type, is_shape, mode, count, name;
        int make_configured_context, make_config;  // of TensorRT RTX alone
    } engine;
    struct {
        int set_address, enqueue;
    } context;
    struct {
        int parse, supports_operator, errors, error, destroy, supports, subgraphs, is_supported, nodes;
    } parser;
};
inline constexpr nv_places nv_places_10{1u << 1,
                                        {7, 8, 14, 16, 17, 18},
                                        {12, 14, 15, 16, 17},
                                        {3, 5, 7},
                                        {10, 11, 12, 43, 44, 0, 0},
                                        {3, 11},
                                        {5, 19, 20, 22, 23, 30, 31, 0, 0},
                                        {24, 37},
                                        {0, 4, 5, 6, 9, 17, 18, 19, 20}};
inline constexpr nv_places nv_places_11{0,
                                        {5, 6, 11, 13, 14, 15},
                                        {12, 14, 15, 16, 17},
                                        {3, 5, 6},
                                        {8, 9, 10, 32, 33, 55, 56},
                                        {3, 10},
                                        {5, 15, 16, 18, 19, 26, 27, 47, 48},
                                        {23, 36},
                                        {0, 2, 3, 4, 7, 15, 16, 17, 18}};

template <class R, class... A> R nv_call(void* object, int place, A... arguments) {
    using function = R (*)(void*, A...);
    return (*static_cast<function**>(object))[place](object, arguments...);
}
struct nv_deleter {
    int place = 1;  // of the destructor that frees the object
    void operator()(void* object) const { nv_call<void>(object, place); }
};
using nv_ptr = std::unique_ptr<void, nv_deleter>;

// Objects of nvinfer1, which are called by way of their second pointer.
class nv_object {
    void* object_ = nullptr;

  protected:
    const nv_places* at_ = nullptr;
    template <class R, class... A> R call(int place, A... arguments) const {
        return nv_call<R>(static_cast<void**>(object_)[1], place, arguments...);
    }

  public:
    nv_object(const nv_places& at, void* object) : object_(object), at_(&at) {}
    void* get() const { return object_; }
};
struct nv_tensor : nv_object {
    using nv_object::nv_object;
    const char* name() const { return call<const char*>(at_->tensor.name); }
    nv_dims dims() const { return call<nv_dims>(at_->tensor.dims); }
    nv_type type() const { return call<nv_type>(at_->tensor.type); }
};
template <class Object> class nv_owned : public Object {
    nv_ptr owner_;

  public:
    nv_owned(const nv_places& at, void* object) : Object(at, object), owner_(object) {}
    explicit operator bool() const { return owner_ != nullptr; }
};
struct nv_network_functions : nv_object {
    using nv_object::nv_object;
    int layers() const { return call<std::int32_t>(at_->network.layers); }
    int inputs() const { return call<std::int32_t>(at_->network.inputs); }
    int outputs() const { return call<std::int32_t>(at_->network.outputs); }
    nv_tensor input(std::int32_t k) const { return {*at_, call<void*>(at_->network.input, k)}; }
    nv_tensor output(std::int32_t k) const { return {*at_, call<void*>(at_->network.output, k)}; }
};
using nv_network = nv_owned<nv_network_functions>;
struct nv_config_functions : nv_object {
    using nv_object::nv_object;
    void set(nv_flag f, bool on) const { call<void>(on ? at_->config.set_flag : at_->config.clear_flag, f); }
    bool has(nv_flag f) const { return call<bool>(at_->config.flag, f); }
    void set_workspace(std::size_t bytes) const { call<void>(at_->config.set_pool, nv_workspace, bytes); }
    std::size_t workspace() const { return call<std::size_t>(at_->config.pool, nv_workspace); }
    bool set_capabilities(std::int32_t count) const { return call<bool>(at_->config.set_capabilities, count); }
    int capabilities() const { return call<std::int32_t>(at_->config.capabilities); }
};
using nv_config = nv_owned<nv_config_functions>;
struct nv_memory_functions : nv_object {  // its places never moved
    using nv_object::nv_object;
    const char* data() const { return static_cast<const char*>(call<void*>(2)); }
    std::size_t size() const { return call<std::size_t>(3); }
};
using nv_memory = nv_owned<nv_memory_functions>;
struct nv_builder_functions : nv_object {
    using nv_object::nv_object;
    nv_config make_config() const { return {*at_, call<void*>(at_->builder.make_config)}; }
    nv_network make_network(std::uint32_t flags) const { return {*at_, call<void*>(at_->builder.make_network, flags)}; }
    nv_memory build(const nv_network& n, const nv_config& c) const {
        return {*at_, call<void*>(at_->builder.build, n.get(), c.get())};
    }
    void* logger() const { return call<void*>(at_->builder.logger); }
    bool set_threads(std::int32_t count) const { return call<bool>(at_->builder.set_threads, count); }
    int threads() const { return call<std::int32_t>(at_->builder.threads); }
};
using nv_builder = nv_owned<nv_builder_functions>;
struct nv_context_functions : nv_object {
    using nv_object::nv_object;
    bool set_address(const char* tensor, void* data) const {
        return call<bool>(at_->context.set_address, tensor, data);
    }
    bool enqueue(void* stream) const { return call<bool>(at_->context.enqueue, stream); }
};
using nv_context = nv_owned<nv_context_functions>;
// Of TensorRT RTX alone, which compiles for the device when a context is made or first run: what it then keeps.
struct nv_runtime_cache_functions : nv_object {
    using nv_object::nv_object;
    nv_memory save() const { return {*at_, call<void*>(2)}; }
    bool restore(const void* bytes, std::size_t size) const { return call<bool>(3, bytes, size); }
};
using nv_runtime_cache = nv_owned<nv_runtime_cache_functions>;
struct nv_runtime_config_functions : nv_object {
    using nv_object::nv_object;
    nv_runtime_cache make_cache() const { return {*at_, call<void*>(5)}; }
    bool set(const nv_runtime_cache& c) const { return call<bool>(6, c.get()); }
    bool record_runs() const { return call<bool>(10, std::int32_t(1)); }  // each as one graph of the driver's
};
using nv_runtime_config = nv_owned<nv_runtime_config_functions>;
struct nv_engine_functions : nv_object {
    using nv_object::nv_object;
    nv_context make_context() const { return {*at_, call<void*>(at_->engine.make_context, std::int32_t(0))}; }
    nv_runtime_config make_config() const { return {*at_, call<void*>(at_->engine.make_config)}; }
    nv_context make_context(const nv_runtime_config& c) const {
        return {*at_, call<void*>(at_->engine.make_configured_context, c.get())};
    }
    nv_dims dims(const char* tensor) const { return call<nv_dims>(at_->engine.dims, tensor); }
    nv_type type(const char* tensor) const { return call<nv_type>(at_->engine.type, tensor); }
    bool is_shape(const char* tensor) const { return call<bool>(at_->engine.is_shape, tensor); }  // on the host
    nv_io mode(const char* tensor) const { return call<nv_io>(at_->engine.mode, tensor); }
    int tensors() const { return call<std::int32_t>(at_->engine.count); }
    const char* name(std::int32_t k) const { return call<const char*>(at_->engine.name, k); }
};
using nv_engine = nv_owned<nv_engine_functions>;
struct nv_runtime_functions : nv_object {
    using nv_object::nv_object;
    nv_engine restore(const void* bytes, std::size_t size) const {
        return {*at_, call<void*>(at_->runtime.restore, bytes, size)};
    }
    void* logger() const { return call<void*>(at_->runtime.logger); }
};
using nv_runtime = nv_owned<nv_runtime_functions>;

struct nv_parser_error {  // nvonnxparser::IParserError
    void* object;
    const char* text() const { return nv_call<const char*>(object, 1); }
    int node() const { return nv_call<int>(object, 5); }
};
class nv_parser {  // nvonnxparser::IParser, which is called itself
    nv_ptr owner_;
    const nv_places* at_;
    template <class R, class... A> R call(int place, A... arguments) const {
        return nv_call<R>(owner_.get(), place, arguments...);
    }

  public:
    nv_parser(const nv_places& at, void* object) : owner_(object, {at.parser.destroy}), at_(&at) {}
    explicit operator bool() const { return owner_ != nullptr; }
    bool parse(const void* model, std::size_t size) const {
        return call<bool>(at_->parser.parse, model, size, static_cast<const char*>(nullptr));
    }
    bool supports_operator(const char* op) const { return call<bool>(at_->parser.supports_operator, op); }
    int errors() const { return call<int>(at_->parser.errors); }
    nv_parser_error error(int k) const { return {call<void*>(at_->parser.error, k)}; }
    bool supports(const void* model, std::size_t size) const {
        return call<bool>(at_->parser.supports, model, size, static_cast<const char*>(nullptr));
    }
    std::int64_t subgraphs() const { return call<std::int64_t>(at_->parser.subgraphs); }
    bool is_supported(std::int64_t subgraph) const { return call<bool>(at_->parser.is_supported, subgraph); }
    std::pair<const std::int64_t*, std::int64_t> nodes(std::int64_t subgraph) const {
        std::int64_t count = 0;
        const auto* list = call<std::int64_t*>(at_->parser.nodes, subgraph, &count);
        return {list, count};
    }
};

// nvinfer1::ILogger of both versions: that of 11 derives from IVersionedInterface.
struct nv_logger_10 {
    virtual void log(nv_severity, const char* text) noexcept = 0;
    virtual ~nv_logger_10() = default;
};
struct nv_logger_11 {
    struct info {
        const char* kind;
        std::int32_t major, minor;
    };
    virtual std::int32_t language() const noexcept { return 0; }  // C++
    virtual info interface() const noexcept { return {"ILogger", 1, 0}; }
    virtual ~nv_logger_11() = default;
    virtual void log(nv_severity, const char* text) noexcept = 0;
};
}  // namespace v1
}  // namespace inlay
