// Regions as graphs of QNN, each in a context of its own.
#include "lowering.hpp"
#include <inlay/provider/qnn.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
std::size_t bytes_of_argument(const qnn_program::tensor_facts& t) {
    const auto count = std::size_t(t.dims.elements());
    switch (t.type) {
        case qnn_abi::data_type::ufixed_8:
        case qnn_abi::data_type::sfixed_8:
        case qnn_abi::data_type::bool_8: return count;
        case qnn_abi::data_type::float_16: return 2 * count;
        case qnn_abi::data_type::int_64: return 8 * count;
        default: return 4 * count;
    }
}

class qnn_run final : public executable {
    std::shared_ptr<const qnn_graph> graph_;
    qnn_tensors tensors_;

  public:
    explicit qnn_run(std::shared_ptr<const qnn_graph> g) : graph_(std::move(g)), tensors_(graph_->arguments()) {
        for (std::size_t k = 0; k < graph_->ids().size(); ++k) tensors_.at(int(k)).v1.id = graph_->ids()[k];
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (graph_->backend().only_records())
            return c.fail("the backend records what it is told, and computes nothing", status::failed);
        for (std::size_t k = 0; k < tensors_.all().size(); ++k) {
            const buffer& b = k < inputs.size() ? inputs[k] : outputs[k - inputs.size()];
            tensors_.at(int(k)).v1.buffer = {b.data, std::uint32_t(bytes_of_argument(graph_->arguments()[k]))};
        }
        if (c.stoppable() && c.stopped()) return c.end_of_run();
        const std::string problem = graph_->run(tensors_.all());
        return problem.empty() ? status::ok : c.fail(problem, status::failed);
    } catch (const std::bad_alloc&) {
        return c.fail("there is no memory left", status::failed);
    }
};

class qnn_region final : public compiled_region {
    std::shared_ptr<const qnn_graph> graph_;

  public:
    explicit qnn_region(std::shared_ptr<const qnn_graph> g) : graph_(std::move(g)) {}
    result<std::unique_ptr<executable>> instance() const override { return std::make_unique<qnn_run>(graph_); }
    result<std::string> save() const override try { return graph_->saved(); } catch (const refused_node& e) {
        return error(error_code::provider_failed, e.why);
    }
};

class qnn_engine final : public engine {
    std::shared_ptr<const qnn_backend> backend_;

    // QNN itself is asked about a node and those that it is computed with.
    std::string refusal_of(const free_nodes& free, std::span<const int> nodes, region_ends& finder) const try {
        const region_values ends = finder.of(nodes);
        validate(*backend_, qnn_program_of({free.graph, nodes, ends.inputs, ends.outputs, free.constants}, *backend_,
                                           qnn_purpose::trial));
        return {};
    } catch (const refused_node& e) {
        return e.why;
    }

  public:
    explicit qnn_engine(std::shared_ptr<const qnn_backend> b) : backend_(std::move(b)) {}
    void propose(const free_nodes& free, proposals& out) override {
        const coded_graph graph(free.graph, free.nodes, free.constants, qnn_coded_operators);
        region_ends finder(free.graph);
        propose_with_codes(free, graph, out, {},
                           [&](std::span<const int> nodes) { return refusal_of(free, nodes, finder); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        return std::make_shared<qnn_region>(qnn_graph::make(backend_, qnn_program_of(r, *backend_)));
    } catch (const refused_node& e) {
        return error(error_code::unsupported_model, e.why);
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override try {
        std::vector<qnn_program::tensor_facts> arguments;
        for (const auto ids : {r.inputs, r.outputs})
            for (const int id : ids) arguments.push_back(qnn_argument(r.graph, id));
        return std::make_shared<qnn_region>(
            qnn_graph::restored(backend_, bytes, std::move(arguments), r.inputs.size()));
    } catch (const refused_node& e) {
        return error(error_code::provider_failed, e.why);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {
            {"library", backend_->build()}, {"interface", backend_->interface_version()}, {"device", backend_->name()}};
    }
};

bool takes_half_floats(const std::shared_ptr<const qnn_backend>& b) try {
    qnn_program p;
    p.tensors.push_back({"x", qnn_abi::tensor_kind::app_write, qnn_abi::data_type::float_32, {1, 8}});
    p.tensors.push_back({"y", qnn_abi::tensor_kind::app_read, qnn_abi::data_type::float_32, {1, 8}});
    p.operations.push_back({"gelu", "Gelu", {}, {0}, {1}});
    p.inputs = {0};
    p.outputs = {1};
    (void)qnn_graph::make(b, p);
    return true;
} catch (const refused_node&) {
    return false;
}
}  // namespace

result<std::shared_ptr<engine>> qnn::open() const {
    const std::string who(name);
    const auto invalid = [&](const char* what) { return error(error_code::invalid_option, who + ": " + what); };
    if (htp_arch < 0 || soc_model < 0 || vtcm_mb < 0)
        return invalid("htp_arch, soc_model and vtcm_mb cannot be negative");
    if (constexpr int first = 68; htp_arch != 0 && htp_arch < first) return invalid("htp_arch is 68 or more, or 0");
    if (htp_graph_finalization_optimization_mode < 0 || htp_graph_finalization_optimization_mode > 3)
        return invalid("htp_graph_finalization_optimization_mode is 0 to 3");
    auto backend = qnn_backend::open(*this);
    if (!backend) return error(backend.why().code, who + ": QNN cannot be used: " + backend.why().text);
    (*backend)->find_half_floats((*backend)->only_records() || takes_half_floats(*backend));
    return std::make_shared<qnn_engine>(std::move(*backend));
}
}  // namespace v1
}  // namespace inlay
