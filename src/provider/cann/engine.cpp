// Regions as offline models of CANN, whose compiler of graphs reads them as ONNX.
#include "library.hpp"
#include <inlay/provider/cann.hpp>
#include <algorithm>
#include <lowering/onnx_region_engine.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
using namespace lowering;
const cann_functions& acl() { return cann_library(); }
void check(aclError e) {
    if (e != ACL_SUCCESS) refuse(text_of_cann(e));
}
void check_graph(cann_graph_status s) {
    if (s != 0) refuse(text_of_cann(aclError(s)));
}
template <class T> T* made(T* p) {
    if (!p) refuse(text_of_cann(ACL_ERROR_BAD_ALLOC));
    return p;
}
constexpr element_set types = element_set::of(
    {element::f32, element::f16, element::i8, element::u8, element::i16, element::i32, element::i64, element::boolean});

// A context of the device, which the calls of a thread are for while it is the current one.
class device_context {
    aclrtContext context_ = nullptr;

  public:
    explicit device_context(int device) { check(acl().aclrtCreateContext(&context_, device)); }
    device_context(const device_context&) = delete;
    ~device_context() { acl().aclrtDestroyContext(context_); }
    void use() const { check(acl().aclrtSetCurrentContext(context_)); }
    void use_to_free() const noexcept { (void)acl().aclrtSetCurrentContext(context_); }
};
using shared_device = std::shared_ptr<const device_context>;
struct device_memory {
    void operator()(void* p) const { acl().aclrtFree(p); }
};
struct data_set_deleter {
    void operator()(aclmdlDataset* p) const { acl().aclmdlDestroyDataset(p); }
    void operator()(aclDataBuffer* p) const { acl().aclDestroyDataBuffer(p); }
    void operator()(aclmdlDesc* p) const { acl().aclmdlDestroyDesc(p); }
};
template <class T> using cann_ptr = std::unique_ptr<T, data_set_deleter>;

// The arguments of one side, in the device's memory.
class arguments {
    std::vector<std::unique_ptr<void, device_memory>> memory_;
    std::vector<cann_ptr<aclDataBuffer>> buffers_;
    cann_ptr<aclmdlDataset> set_;

  public:
    explicit arguments(const std::vector<std::size_t>& sizes) : set_(made(acl().aclmdlCreateDataset())) {
        for (std::size_t size : sizes) {
            void* p = nullptr;
            check(acl().aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
            memory_.emplace_back(p);
            buffers_.emplace_back(made(acl().aclCreateDataBuffer(p, size)));
            check(acl().aclmdlAddDatasetBuffer(set_.get(), buffers_.back().get()));
        }
    }
    void* data(std::size_t k) const { return memory_[k].get(); }
    aclmdlDataset* set() const { return set_.get(); }
};

class cann_region {
    shared_device device_;
    std::string bytes_;
    std::uint32_t model_ = 0;
    std::vector<onnx_port> inputs_, outputs_;
    std::vector<std::size_t> input_room_, output_room_;  // bytes that the model requires at least
    mutable std::mutex lock_;                            // a model has one memory for what it computes
    class one_run;

    // Refuses a model that does not have the region's arguments.
    void read_sizes() {
        const cann_ptr<aclmdlDesc> d(made(acl().aclmdlCreateDesc()));
        check(acl().aclmdlGetDesc(d.get(), model_));
        const auto read_sizes = [&](std::size_t count, auto size_at, const std::vector<onnx_port>& ports, auto& room,
                                    const std::string& kind) {
            if (count != ports.size())
                refuse("CANN's model has " + std::to_string(count) + " " + kind + ", and the region " +
                       std::to_string(ports.size()));
            for (std::size_t k = 0; k < count; ++k) {
                room.push_back(size_at(d.get(), k));
                if (room.back() < ports[k].bytes())
                    refuse("CANN's model has " + std::to_string(room.back()) + " bytes for one of the " + kind +
                           ", and the region " + std::to_string(ports[k].bytes()));
            }
        };
        read_sizes(acl().aclmdlGetNumInputs(d.get()), acl().aclmdlGetInputSizeByIndex, inputs_, input_room_, "inputs");
        read_sizes(acl().aclmdlGetNumOutputs(d.get()), acl().aclmdlGetOutputSizeByIndex, outputs_, output_room_,
                   "outputs");
    }

  public:
    cann_region(shared_device device, std::string bytes, const region& r)
        : device_(std::move(device)), bytes_(std::move(bytes)), inputs_(input_ports(r)), outputs_(output_ports(r)) {
        device_->use();
        check(acl().aclmdlLoadFromMem(bytes_.data(), bytes_.size(), &model_));
        try {
            read_sizes();
        } catch (...) {
            acl().aclmdlUnload(model_);
            throw;
        }
    }
    cann_region(const cann_region&) = delete;
    ~cann_region() {  // on whichever thread has it last
        device_->use_to_free();
        acl().aclmdlUnload(model_);
    }
    one_run instance() const;
    std::string saved() const { return bytes_; }
};
class cann_region::one_run {
    const cann_region& r_;
    arguments inputs_, outputs_;

  public:
    explicit one_run(const cann_region& r) : r_(r), inputs_(r.input_room_), outputs_(r.output_room_) {}
    ~one_run() { r_.device_->use_to_free(); }  // before the members free their memory
    std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) const {
        r_.device_->use();
        for (std::size_t k = 0; k < inputs.size(); ++k)
            check(acl().aclrtMemcpy(inputs_.data(k), r_.input_room_[k], inputs[k].data, r_.inputs_[k].bytes(),
                                    ACL_MEMCPY_HOST_TO_DEVICE));
        {
            const std::lock_guard one_at_a_time(r_.lock_);
            check(acl().aclmdlExecute(r_.model_, inputs_.set(), outputs_.set()));
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const std::size_t bytes = r_.outputs_[k].bytes();
            check(acl().aclrtMemcpy(outputs[k].data, bytes, outputs_.data(k), bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        }
        return {};
    }
};
cann_region::one_run cann_region::instance() const {
    device_->use();
    return one_run(*this);
}

// The compiler of graphs has one state for the process.
std::mutex& compiler() {
    static std::mutex mutex;
    return mutex;
}
// A graph that the compiler parsed. No document says whether one outlives the end of a build: it is parsed again then.
class parsed_graph {
    static inline int ended_builds = 0;
    std::string onnx_;
    cann_graph graph_{};
    int parsed_after_ = 0;

    void parse() {
        graph_ = {};
        check_graph(acl().parse_onnx(onnx_.data(), onnx_.size(), {}, graph_));
        parsed_after_ = ended_builds;
    }

  public:
    explicit parsed_graph(std::string onnx) : onnx_(std::move(onnx)) {
        const std::lock_guard one_at_a_time(compiler());
        parse();
    }
    parsed_graph(parsed_graph&&) = default;
    parsed_graph& operator=(parsed_graph&&) = default;
    ~parsed_graph() {
        const std::lock_guard one_at_a_time(compiler());
        graph_ = {};
    }
    std::string built(cann_options global, const cann_options& build) {
        const std::lock_guard one_at_a_time(compiler());
        if (parsed_after_ != ended_builds) parse();
        check_graph(acl().build_initialize(global));
        cann_model model;
        const cann_graph_status status = acl().build_model(graph_, build, model);
        acl().build_finalize();
        ++ended_builds;
        check_graph(status);
        return {reinterpret_cast<const char*>(model.data.get()), std::size_t(model.length)};
    }
};

struct cann_backend {
    cann options;
    shared_device device;
    std::string version, chip;
    static constexpr elements_in elements = elements_in::bytes;
    static constexpr bool queries_elements = false;

    static auto node_refusal(const graph_view&) {
        return [](const node_view& n) -> std::string {
            const bool multiplies = n.record.op == "MatMul" || n.record.op == "Gemm";
            if (multiplies && n.input_type(0) != element::f32 && n.input_type(0) != element::f16)
                return "CANN multiplies matrices of floats";
            return refusal_of_tensors(n, types, "CANN gets no tensors of type",
                                      "CANN gets no tensors without elements");
        };
    }
    static parsed_graph parse(std::string onnx) { return parsed_graph(std::move(onnx)); }
    // What it parses it supports.
    static refused_nodes query(const region&, const parsed_graph&) { return {}; }
    auto compile(const region& r, parsed_graph graph) const {
        device->use();
        cann_options global, build;
        const auto set = [](cann_options& to, const char* key, const std::string& text) {
            if (!text.empty()) to.emplace(cann_string(key), cann_string(text.c_str()));
        };
        set(global, "ge.socVersion", chip);
        set(build, "ge.exec.precision_mode", options.precision_mode);
        set(build, "ge.opSelectImplmode", options.op_select_impl_mode);
        set(build, "ge.optypelistForImplmode", options.optypelist_for_implmode);
        return std::make_shared<const cann_region>(device, graph.built(std::move(global), build), r);
    }
    auto restore(const region& r, std::string_view bytes) const {
        return std::make_shared<const cann_region>(device, std::string(bytes), r);
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {{"library", version}, {"device", chip}};
    }
};

std::string version_text() {
    std::int32_t major = 0, minor = 0, patch = 0;
    check(acl().aclrtGetVersion(&major, &minor, &patch));
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}
std::uint32_t device_count() {
    std::uint32_t count = 0;
    check(acl().aclrtGetDeviceCount(&count));
    return count;
}
std::string chip_name() {
    const char* name = acl().aclrtGetSocName();
    return name ? name : "";
}
// What an option says that CANN does not know; empty: nothing.
std::string unknown_value(const cann& p) {
    constexpr std::string_view precisions[] = {"force_fp32",          "force_fp16",
                                               "allow_fp32_to_fp16",  "must_keep_origin_dtype",
                                               "allow_mix_precision", "cube_fp16in_fp32out"},
                               implementations[] = {"high_performance", "high_precision"};
    if (std::ranges::find(precisions, p.precision_mode) == std::end(precisions))
        return "precision_mode cannot be `" + p.precision_mode + "`";
    if (std::ranges::find(implementations, p.op_select_impl_mode) == std::end(implementations))
        return "op_select_impl_mode cannot be `" + p.op_select_impl_mode + "`";
    return p.device_id < 0 ? "device_id cannot be negative" : "";
}
}  // namespace

result<std::shared_ptr<engine>> cann::open() const try {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (const std::string reason = unknown_value(*this); !reason.empty())
        return unusable(error_code::invalid_option, reason);
    if (!acl().problem.empty())
        return unusable(error_code::provider_unavailable, "CANN cannot be used: " + acl().problem);
    if (const std::uint32_t count = device_count(); std::uint32_t(device_id) >= count)
        return unusable(
            error_code::provider_unavailable,
            "CANN cannot be used: there is no device " + std::to_string(device_id) + " among " + std::to_string(count));
    auto device = std::make_shared<const device_context>(device_id);
    return std::make_shared<onnx_region_engine<cann_backend>>(
        cann_backend{*this, std::move(device), version_text(), chip_name()});
} catch (const refused_node& r) {
    return error(error_code::provider_unavailable, std::string(name) + ": CANN cannot be used: " + r.reason);
}
device_inventory cann::inventory() try {
    device_inventory inventory;
    if (!acl().problem.empty()) {
        inventory.unusable = acl().problem;
        return inventory;
    }
    inventory.libraries = {{"CANN", version_text()}};
    const std::uint32_t count = device_count();
    if (count == 0) inventory.unusable = "there is no device";
    for (std::uint32_t k = 0; k < count; ++k) inventory.devices.push_back({int(k), chip_name(), 0, {}});
    return inventory;
} catch (const refused_node& r) {
    return {r.reason, {}, {}};
}
}  // namespace v1
}  // namespace inlay
