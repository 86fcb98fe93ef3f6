// Regions as models of RKNN, compiled of their ONNX by rknn-toolkit2, and run by the chip's library or by the
// simulator.
#include "contract.hpp"
#include "library.hpp"
#include "toolkit.hpp"
#include <lowering/onnx_region_engine.hpp>

namespace inlay {
inline namespace v1 {
namespace {
using namespace lowering;
const rknn_functions& rknn() { return rknn_library(); }

// A model that the toolkit's process simulates.
struct simulated_model {
    std::shared_ptr<rknn_toolkit> toolkit;  // its folder is the process's
    rknn_model model;
    mutable std::mutex mutex{};  // a process has one run at a time

    struct one_run {
        const simulated_model& of;
        std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) const {
            std::vector<std::span<const std::byte>> from;
            std::vector<std::span<std::byte>> to;
            for (const buffer& b : inputs) from.emplace_back(b.as<std::byte>(), bytes_of(b.type, b.dims.elements()));
            for (const buffer& b : outputs) to.emplace_back(b.as<std::byte>(), bytes_of(b.type, b.dims.elements()));
            const std::lock_guard lock(of.mutex);
            return of.model.simulate(from, to);
        }
    };
    one_run instance() const { return {*this}; }
    std::string saved() const { return model.bytes; }
};

// A model that the chip has.
void check(int status, const char* prefix = "") {
    if (status != rknn_interface::succeeded) refuse(prefix + text_of_rknn(status));
}
class device_model {
    std::string bytes_;
    std::vector<onnx_port> inputs_, outputs_;
    rknn_interface::context context_ = 0;
    mutable std::mutex mutex_;  // a context has one run at a time

    void check_arguments(rknn_interface::query query, const std::vector<onnx_port>& ports) const {
        for (const onnx_port& p : ports) {
            rknn_interface::tensor_attributes attributes{};
            attributes.index = std::uint32_t(&p - ports.data());
            check(rknn().rknn_query(context_, query, &attributes, sizeof attributes));
            if (attributes.elements != std::uint64_t(p.dims.elements()))
                refuse("the compiled model has an argument of " + std::to_string(attributes.elements) +
                       " elements in place of " + to_string(p.dims));
        }
    }
    void load(int core_mask, const region& r) {
        if (bytes_.size() > UINT32_MAX) refuse("the compiled model has more than 4 GiB");
        rknn_interface::context context = 0;
        check(rknn().rknn_init(&context, bytes_.data(), std::uint32_t(bytes_.size()), 0, nullptr));
        context_ = context;
        if (core_mask != 0) check(rknn().rknn_set_core_mask(context_, core_mask), "core_mask: ");
        rknn_interface::counts counts{};
        check(rknn().rknn_query(context_, rknn_interface::in_out_num, &counts, sizeof counts));
        check_port_counts(r, counts.inputs, counts.outputs, "the compiled model");
        check_arguments(rknn_interface::input_attr, inputs_);
        check_arguments(rknn_interface::output_attr, outputs_);
    }
    class one_run {
        const device_model& of_;
        std::vector<rknn_interface::input> inputs_{};
        std::vector<rknn_interface::output> outputs_{};

      public:
        explicit one_run(const device_model& of) : of_(of) {
            for (const onnx_port& p : of.inputs_) {
                const auto format = p.dims.rank == 4 ? rknn_interface::nchw : rknn_interface::undefined;
                inputs_.push_back({std::uint32_t(inputs_.size()), nullptr, std::uint32_t(p.bytes()), 0,
                                   rknn_interface::float32, format});
            }
            for (const onnx_port& p : of.outputs_)  // as floats, where the library is called
                outputs_.push_back({1, 1, std::uint32_t(outputs_.size()), nullptr, std::uint32_t(p.bytes())});
        }
        std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) {
            for (std::size_t k = 0; k < inputs_.size(); ++k) inputs_[k].data = inputs[k].data;
            for (std::size_t k = 0; k < outputs_.size(); ++k) outputs_[k].data = outputs[k].data;
            const auto input_count = std::uint32_t(inputs_.size()), output_count = std::uint32_t(outputs_.size());
            const std::lock_guard lock(of_.mutex_);
            check(rknn().rknn_inputs_set(of_.context_, input_count, inputs_.data()));
            check(rknn().rknn_run(of_.context_, nullptr));
            check(rknn().rknn_outputs_get(of_.context_, output_count, outputs_.data(), nullptr));
            check(rknn().rknn_outputs_release(of_.context_, output_count, outputs_.data()));
            return {};
        }
    };

  public:
    device_model(std::string bytes, const region& r, int core_mask)
        : bytes_(std::move(bytes)), inputs_(input_ports(r)), outputs_(output_ports(r)) {
        try {
            load(core_mask, r);
        } catch (...) {
            if (context_) rknn().rknn_destroy(context_);
            throw;
        }
    }
    device_model(const device_model&) = delete;
    ~device_model() { rknn().rknn_destroy(context_); }
    one_run instance() const { return one_run(*this); }
    std::string saved() const { return bytes_; }
};

// Throws refused_node where nodes that the table has are no model.
void check_ends(const region& r) {
    if (r.inputs.empty()) refuse("these nodes read nothing that changes, and RKNN's models do");
    for (const auto ids : {r.inputs, r.outputs})
        for (const int id : ids)
            if (const element e = r.graph.values[std::size_t(id)].type; e != element::f32)
                refuse("RKNN's models read and give floats, and here is " + std::string(name_of(e)));
}

class rknpu_backend {
    rknpu options_;
    std::shared_ptr<rknn_toolkit> toolkit_;  // null: until something is to be compiled
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();

    std::shared_ptr<rknn_toolkit> toolkit() {
        const std::lock_guard lock(*mutex_);
        if (!toolkit_) toolkit_ = rknn_toolkit::shared().value_or_raise();
        return toolkit_;
    }
    region_result loaded(std::string bytes, const region& r) const {
        return result_of(error_code::provider_failed, [&]() -> region_result {
            return region_of(std::make_shared<const device_model>(std::move(bytes), r, options_.core_mask));
        });
    }

  public:
    static constexpr elements_in elements = elements_in::bytes;
    rknpu_backend(rknpu options, std::shared_ptr<rknn_toolkit> t)
        : options_(std::move(options)), toolkit_(std::move(t)) {}
    static auto node_refusal(const graph_view& g) {
        constexpr std::size_t newest = rknpu_contract.versions.size() - 1;
        return [reader = capability_reader(capabilities_of(rknpu_contract, newest), g)](const node_view& n) {
            return reader.refusal(n);
        };
    }
    region_result compile(const region& r, const std::string& onnx) {
        check_ends(r);
        const auto compiler = toolkit();
        rknn_model model = compiler->compile(options_.target_platform, onnx, options_.simulator).value_or_raise();
        if (!options_.simulator) return loaded(std::move(model.bytes), r);
        return region_of(std::shared_ptr<const simulated_model>(new simulated_model{compiler, std::move(model)}));
    }
    region_result restore(const region& r, std::string_view bytes) const {
        if (options_.simulator) refuse("rknn-toolkit2's simulator runs what it compiled itself, and no file");
        return loaded(std::string(bytes), r);
    }
    // A file is for the chip, whatever made it: its library says whether it can be had.
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {{"library", "RKNN 2"},
                {"device", options_.target_platform},
                {"option simulator", "any"},
                {"option core_mask", "any"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> rknpu::open() const {
    const auto failure = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (core_mask < 0) return failure(error_code::invalid_option, "core_mask cannot be negative");
    if (target_platform.empty()) return failure(error_code::invalid_option, "target_platform names a chip, as rk3588");
    std::shared_ptr<rknn_toolkit> toolkit;
    if (simulator) {
        auto shared_toolkit = rknn_toolkit::shared();
        if (!shared_toolkit) return failure(shared_toolkit.why().code, shared_toolkit.why().text);
        toolkit = std::move(*shared_toolkit);
    } else if (!rknn().problem.empty()) {
        return failure(error_code::provider_unavailable, "RKNN cannot be used: " + rknn().problem);
    }
    return std::make_shared<onnx_region_engine<rknpu_backend>>(rknpu_backend(*this, std::move(toolkit)));
}
device_inventory rknpu::inventory() {
    device_inventory inventory;
    inventory.unusable = rknn().problem;
    return inventory;
}
}  // namespace v1
}  // namespace inlay
