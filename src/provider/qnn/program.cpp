#include "program.hpp"

namespace inlay {
inline namespace v1 {
namespace {
qnn_abi::tensor tensor_of(const qnn_program::tensor_facts& t, std::vector<std::uint32_t>& dims,
                          std::vector<qnn_abi::scale_offset>& encodings) {
    qnn_abi::tensor result;
    qnn_abi::tensor_v1& v = result.v1;
    v.name = t.name.c_str();
    v.kind = t.kind;
    v.type = t.type;
    for (const float s : t.scales) encodings.push_back({s, -t.zero});
    if (!encodings.empty()) {
        v.quantization.definition = qnn_abi::encoding_defined;
        if (encodings.size() == 1) {
            v.quantization.encoding = qnn_abi::encoding_kind::scale_offset;
            v.quantization.per_tensor = encodings[0];
        } else {
            v.quantization.encoding = qnn_abi::encoding_kind::axis_scale_offset;
            v.quantization.per_axis = {t.axis, std::uint32_t(encodings.size()), encodings.data()};
        }
    }
    for (const std::int64_t d : t.dims) dims.push_back(std::uint32_t(d));
    v.rank = std::uint32_t(dims.size());
    v.dims = dims.data();
    if (t.kind == qnn_abi::tensor_kind::constant) v.buffer = {const_cast<void*>(t.elements), std::uint32_t(t.bytes)};
    return result;
}

// An operation as QNN reads it, over tensors that were made before.
struct native_operation {
    std::string type;
    std::deque<std::string> names;
    std::vector<qnn_abi::parameter> parameters;
    std::vector<qnn_abi::tensor> inputs, outputs;
    qnn_abi::operation operation;

    native_operation(const qnn_program::operation& o, qnn_tensors& tensors) : type(o.type) {
        for (const qnn_program::parameter& p : o.parameters) {
            qnn_abi::parameter& q = parameters.emplace_back();
            q.name = names.emplace_back(p.name).c_str();
            q.kind = p.tensor >= 0;
            if (p.tensor >= 0)
                q.tensor = tensors.at(p.tensor);
            else
                q.scalar = p.scalar;
        }
        for (const int k : o.inputs) inputs.push_back(tensors.at(k));
        for (const int k : o.outputs) outputs.push_back(tensors.at(k));
        qnn_abi::operation_v1& v = operation.v1;
        v.name = o.name.c_str();
        v.type = type.c_str();
        v.parameter_count = std::uint32_t(parameters.size());
        v.parameters = parameters.data();
        v.input_count = std::uint32_t(inputs.size());
        v.inputs = inputs.data();
        v.output_count = std::uint32_t(outputs.size());
        v.outputs = outputs.data();
    }
    native_operation(const native_operation&) = delete;
    native_operation& operator=(const native_operation&) = delete;
};

// What HTP is given of a graph: its own numbers of options.
struct htp_graph_config {
    enum : std::uint32_t { optimization = 1, precision = 2, vtcm_mb = 3 };
    std::uint32_t option = 0;
    union {
        std::uint32_t number = 0;
        struct {
            std::uint32_t kind;
            float value;
        } optimized;
        std::uint64_t room[5];
    };
};
class graph_configs {
    std::deque<htp_graph_config> htp_configs_;
    std::deque<qnn_abi::config> configs_;
    std::vector<const qnn_abi::config*> list_;

    htp_graph_config& add(std::uint32_t option) {
        htp_configs_.emplace_back().option = option;
        configs_.emplace_back().custom = &htp_configs_.back();
        list_.push_back(&configs_.back());
        return htp_configs_.back();
    }

  public:
    explicit graph_configs(const qnn_backend& b) {
        if (!b.is_htp()) return;
        const qnn& o = b.options();
        add(htp_graph_config::precision).number = o.enable_htp_fp16_precision ? 1 : 0;
        if (o.vtcm_mb) add(htp_graph_config::vtcm_mb).number = std::uint32_t(o.vtcm_mb);
        constexpr std::uint32_t how_long_to_optimise = 3;
        if (const int mode = o.htp_graph_finalization_optimization_mode)
            add(htp_graph_config::optimization).optimized = {how_long_to_optimise, float(mode)};
    }
    graph_configs(const graph_configs&) = delete;
    graph_configs& operator=(const graph_configs&) = delete;
    const qnn_abi::config** list() {
        if (list_.empty()) return nullptr;
        if (list_.back()) list_.push_back(nullptr);
        return list_.data();
    }
};
}  // namespace

std::size_t size_of(qnn_abi::data_type t) {
    switch (t) {
        case qnn_abi::data_type::sfixed_8:
        case qnn_abi::data_type::ufixed_8:
        case qnn_abi::data_type::bool_8: return 1;
        case qnn_abi::data_type::float_16: return 2;
        case qnn_abi::data_type::int_64: return 8;
        default: return 4;
    }
}
qnn_tensors::qnn_tensors(std::span<const qnn_program::tensor_facts> facts) {
    native_.reserve(facts.size());
    for (const qnn_program::tensor_facts& t : facts) {
        sizes& s = sizes_.emplace_back();
        native_.push_back(tensor_of(t, s.dims, s.encodings));
    }
}

void validate(const qnn_backend& b, const qnn_program& p) {
    if (!b.f().backend_validate_op_config) return;
    qnn_tensors tensors(p.tensors);
    for (const qnn_program::operation& o : p.operations) {
        const native_operation native(o, tensors);
        if (const std::string reason = b.problem_of(b.f().backend_validate_op_config, b.backend(), native.operation);
            !reason.empty())
            refuse("QNN has no such " + std::string(o.type) + ": " + reason);
    }
}

void qnn_graph::add(const qnn_program& p) {
    const qnn_backend& b = *backend_;
    qnn_tensors tensors(p.tensors);
    for (qnn_abi::tensor& t : tensors.all()) b.call(b.f().tensor_create_graph_tensor, graph_, &t);
    for (const qnn_program::operation& o : p.operations)
        b.call(b.f().graph_add_node, graph_, native_operation(o, tensors).operation);
    for (const auto* list : {&p.inputs, &p.outputs})
        for (const int k : *list) {
            arguments_.push_back(p.tensors[std::size_t(k)]);
            ids_.push_back(tensors.at(k).v1.id);
        }
    inputs_ = p.inputs.size();
}
std::shared_ptr<const qnn_graph> qnn_graph::make(std::shared_ptr<const qnn_backend> backend, const qnn_program& p) {
    const auto graph = std::make_shared<qnn_graph>(std::move(backend));
    const qnn_backend& b = *graph->backend_;
    constexpr std::uint32_t priorities[] = {0, 100, 150, 200};  // low, normal, normal_high, high
    qnn_abi::config priority;
    priority.option = 1;
    priority.priority = priorities[int(b.options().qnn_context_priority)];
    const qnn_abi::config* list[] = {&priority, nullptr};
    const bool usual = b.options().qnn_context_priority == qnn_priority::normal;
    b.call(b.f().context_create, b.backend(), b.device(), usual ? nullptr : list, &graph->context_);
    graph_configs configs(b);
    b.call(b.f().graph_create, graph->context_, qnn_graph_name, configs.list(), &graph->graph_);
    graph->add(p);
    b.call(b.f().graph_finalize, graph->graph_, nullptr, nullptr);
    return graph;
}
qnn_graph::~qnn_graph() {
    if (context_) backend_->f().context_free(context_, nullptr);
}
std::string qnn_graph::execute(std::span<qnn_abi::tensor> arguments) const {
    const std::lock_guard lock(one_at_a_time_);
    return backend_->problem_of(backend_->f().graph_execute, graph_, arguments.data(), std::uint32_t(inputs_),
                                arguments.data() + inputs_, std::uint32_t(arguments.size() - inputs_), nullptr,
                                nullptr);
}

qnn_run::qnn_run(const qnn_graph& g) : graph_(g), tensors_(g.arguments()) {
    for (std::size_t k = 0; k < g.ids().size(); ++k) tensors_.at(int(k)).v1.id = g.ids()[k];
}
std::string qnn_run::run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) {
    if (graph_.backend().only_records()) return "the backend records its calls, and computes nothing";
    for (std::size_t k = 0; k < tensors_.all().size(); ++k) {
        const buffer& b = k < inputs.size() ? inputs[k] : outputs[k - inputs.size()];
        const qnn_program::tensor_facts& t = graph_.arguments()[k];
        tensors_.at(int(k)).v1.buffer = {b.data, std::uint32_t(t.dims.elements() * std::int64_t(size_of(t.type)))};
    }
    return graph_.execute(tensors_.all());
}
}  // namespace v1
}  // namespace inlay
