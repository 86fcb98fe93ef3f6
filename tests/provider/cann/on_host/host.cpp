// An implementation of what CANN's libraries have that Inlay calls, for the host: offline models are ONNX that
// onnx_host runs by Inlay's reference kernels. It checks the order of calls, contexts, sizes, and which memory is the
// device's.
#include "../../onnx_host.hpp"
#include <acl/acl.h>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <graph/ascend_string.h>
#include <graph/graph.h>
#include <map>
#include <mutex>
#include <set>

// --- the compiler of graphs
namespace ge {
AscendString::AscendString(const char_t* const name) : name_(std::make_shared<std::string>(name)) {}
const char_t* AscendString::GetString() const { return name_ ? name_->c_str() : ""; }
bool AscendString::operator<(const AscendString& right) const {
    return std::strcmp(GetString(), right.GetString()) < 0;
}

class GraphImpl {
  public:
    std::string onnx;
};
class GraphUtils {  // a friend of Graph
  public:
    static GraphImplPtr& of(Graph& g) { return g.impl_; }
    static const GraphImplPtr& of(const Graph& g) { return g.impl_; }
};
using options = std::map<AscendString, AscendString>;
struct ModelBufferData {
    std::shared_ptr<std::uint8_t> data = nullptr;
    std::uint64_t length = 0;
};
}  // namespace ge

namespace {
std::mutex lock;
bool building = false;
int parses = 0;                                   // so far
std::string last_error;                           // the last call that failed
std::map<std::string, std::string> last_options;  // of the last model
struct model {
    onnx_host::program onnx;
};
std::map<std::uint32_t, std::unique_ptr<model>> models;
std::set<void*> device_memory;
std::set<aclrtContext> contexts;
thread_local aclrtContext current = nullptr;

template <class F> aclError answer(F f) try {
    f();
    return ACL_SUCCESS;
} catch (const std::exception& e) {
    last_error = e.what();
    return ACL_ERROR_INVALID_PARAM;
}
void require(bool good, const char* message) {
    if (!good) throw std::runtime_error(message);
}
void require_context() { require(contexts.count(current) > 0, "the thread has no context"); }
constexpr char mark[] = "host model";
}  // namespace

namespace ge {
graphStatus aclgrphBuildInitialize(options& global) {
    if (building || std::strcmp(global["ge.socVersion"].GetString(), "AscendHost") != 0) return GRAPH_PARAM_INVALID;
    building = true;
    return GRAPH_SUCCESS;
}
void aclgrphBuildFinalize() { building = false; }
graphStatus aclgrphBuildModel(const Graph& g, const options& build, ModelBufferData& buffer) {
    if (!building || !GraphUtils::of(g)) return GRAPH_PARAM_INVALID;
    last_options.clear();
    for (const auto& [key, value] : build) last_options[key.GetString()] = value.GetString();
    const std::string bytes = mark + GraphUtils::of(g)->onnx;
    buffer.data = std::shared_ptr<std::uint8_t>(new std::uint8_t[bytes.size()], std::default_delete<std::uint8_t[]>());
    std::memcpy(buffer.data.get(), bytes.data(), bytes.size());
    buffer.length = bytes.size();
    return GRAPH_SUCCESS;
}
graphStatus aclgrphParseONNXFromMem(const char* bytes, std::size_t size, const options&, Graph& g) {
    ++parses;
    const std::string onnx(bytes, size);
    const aclError status = answer([&] { onnx_host::program tried(onnx); });
    if (status != ACL_SUCCESS) return GRAPH_FAILED;
    GraphUtils::of(g) = std::make_shared<GraphImpl>();
    GraphUtils::of(g)->onnx = onnx;
    return GRAPH_SUCCESS;
}
}  // namespace ge

// --- AscendCL
struct aclDataBuffer {
    void* data;
    std::size_t size;
};
struct aclmdlDataset {
    std::vector<aclDataBuffer*> buffers;
};
struct aclmdlDesc {
    const model* m = nullptr;
};

extern "C" {
aclError aclInit(const char*) { return ACL_SUCCESS; }
const char* aclGetRecentErrMsg() {
    thread_local std::string message;
    const std::lock_guard guard(lock);
    message = std::exchange(last_error, {});
    return message.c_str();
}
aclError aclrtGetDeviceCount(uint32_t* count) { return *count = 2, ACL_SUCCESS; }
const char* aclrtGetSocName() { return "AscendHost"; }
aclError aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
    *major = 8;
    *minor = *patch = 0;
    return ACL_SUCCESS;
}
aclError aclrtCreateContext(aclrtContext* c, int32_t device) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require(device >= 0 && device < 2, "there is no such device");
        current = *c = new int(device);
        contexts.insert(*c);
    });
}
aclError aclrtDestroyContext(aclrtContext c) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require(contexts.erase(c) == 1, "there is no such context");
        delete static_cast<int*>(c);
    });
}
aclError aclrtSetCurrentContext(aclrtContext c) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require(contexts.count(c) > 0, "there is no such context");
        current = c;
    });
}
aclError aclrtMalloc(void** p, size_t size, aclrtMemMallocPolicy) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require_context();
        require(size > 0, "it has no bytes");
        *p = std::malloc(size);
        require(*p != nullptr, "there is no memory left");
        device_memory.insert(*p);
    });
}
aclError aclrtFree(void* p) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require_context();
        require(device_memory.erase(p) == 1, "it is not the device's memory");
        std::free(p);
    });
}
aclError aclrtMemcpy(void* to, size_t most, const void* from, size_t size, aclrtMemcpyKind kind) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require_context();
        const bool up = kind == ACL_MEMCPY_HOST_TO_DEVICE;
        require(up || kind == ACL_MEMCPY_DEVICE_TO_HOST, "which way it goes is not said");
        require(size <= most, "it is too small");
        require(device_memory.count(up ? to : const_cast<void*>(from)) == 1, "it is not the device's memory");
        std::memcpy(to, from, size);
    });
}
aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return new aclDataBuffer{data, size}; }
aclError aclDestroyDataBuffer(const aclDataBuffer* b) { return delete b, ACL_SUCCESS; }
aclmdlDataset* aclmdlCreateDataset() { return new aclmdlDataset; }
aclError aclmdlDestroyDataset(const aclmdlDataset* s) { return delete s, ACL_SUCCESS; }
aclError aclmdlAddDatasetBuffer(aclmdlDataset* s, aclDataBuffer* b) { return s->buffers.push_back(b), ACL_SUCCESS; }
aclError aclmdlLoadFromMem(const void* data, size_t size, uint32_t* id) {
    const std::lock_guard guard(lock);
    return answer([&] {
        static std::uint32_t last_id = 0;
        require_context();
        const std::string content(static_cast<const char*>(data), size);
        require(content.starts_with(mark), "it is no model");
        auto m = std::unique_ptr<model>(new model{onnx_host::program(content.substr(sizeof mark - 1))});
        models[*id = ++last_id] = std::move(m);
    });
}
aclError aclmdlUnload(uint32_t id) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require_context();
        require(models.erase(id) == 1, "there is no such model");
    });
}
aclmdlDesc* aclmdlCreateDesc() { return new aclmdlDesc; }
aclError aclmdlDestroyDesc(aclmdlDesc* d) { return delete d, ACL_SUCCESS; }
aclError aclmdlGetDesc(aclmdlDesc* d, uint32_t id) {
    const std::lock_guard guard(lock);
    return answer([&] { d->m = models.at(id).get(); });
}
size_t aclmdlGetNumInputs(aclmdlDesc* d) { return d->m->onnx.inputs().size(); }
size_t aclmdlGetNumOutputs(aclmdlDesc* d) { return d->m->onnx.outputs().size(); }
size_t aclmdlGetInputSizeByIndex(aclmdlDesc* d, size_t k) { return std::size_t(d->m->onnx.inputs().at(k).bytes); }
// Results may have more room than they need.
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* d, size_t k) {
    return (std::size_t(d->m->onnx.outputs().at(k).bytes) + 31) / 32 * 32;
}
aclError aclmdlExecute(uint32_t id, const aclmdlDataset* in, aclmdlDataset* out) {
    const std::lock_guard guard(lock);
    return answer([&] {
        require_context();
        onnx_host::program& p = models.at(id)->onnx;
        require(in->buffers.size() == p.inputs().size() && out->buffers.size() == p.outputs().size(),
                "arguments are missing");
        std::vector<const void*> inputs;
        std::vector<void*> outputs;
        for (std::size_t k = 0; k < in->buffers.size(); ++k) {
            require(device_memory.count(in->buffers[k]->data) == 1 &&
                        in->buffers[k]->size >= std::size_t(p.inputs()[k].bytes),
                    "an input is not the device's");
            inputs.push_back(in->buffers[k]->data);
        }
        for (std::size_t k = 0; k < out->buffers.size(); ++k) {
            require(device_memory.count(out->buffers[k]->data) == 1 &&
                        out->buffers[k]->size >= (std::size_t(p.outputs()[k].bytes) + 31) / 32 * 32,
                    "an output is not the device's");
            outputs.push_back(out->buffers[k]->data);
        }
        p.run(inputs, outputs);
    });
}
// For the tests: how many graphs were parsed, an option of the last model, and what of the device is in use.
int host_parses() { return parses; }
const char* host_option(const char* key) {
    const auto at = last_options.find(key);
    return at == last_options.end() ? "" : at->second.c_str();
}
int host_objects() { return int(device_memory.size() + models.size() + contexts.size()); }
}
