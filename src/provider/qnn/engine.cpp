// Regions as graphs of QNN, each in a context of its own.
#include "writer.hpp"
#include <inlay/provider/qnn.hpp>

namespace inlay {
inline namespace v1 {
namespace {
struct qnn_region_backend {
    static constexpr const lowering::rule_set& rules = qnn_rules;
    std::shared_ptr<const qnn_backend> library;

    struct writer : qnn_writer {
        writer(const qnn_region_backend& b, const region& r, lowering::purpose purpose)
            : qnn_writer(*b.library, r, purpose) {}
    };
    lowering::target aim() const {
        return {&qnn_rules, std::string(qnn_versions[0]), layout::channels_last, library->has_half_floats()};
    }
    std::shared_ptr<const qnn_graph> compile(const qnn_program& p) const { return qnn_graph::make(library, p); }
    std::shared_ptr<const qnn_graph> restore(const region& r, std::string_view bytes) const {
        std::vector<qnn_program::tensor_facts> arguments;
        for (const auto ids : {r.inputs, r.outputs})
            for (const int id : ids) {
                const value& v = r.graph.values[std::size_t(id)];
                arguments.push_back(qnn_argument({id, v.dims, v.type}));
            }
        return qnn_graph::restored(library, bytes, std::move(arguments), r.inputs.size());
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {
            {"library", library->build()}, {"interface", library->interface_version()}, {"device", library->name()}};
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
    const std::string provider(name);
    const auto invalid = [&](const char* reason) {
        return error(error_code::invalid_option, provider + ": " + reason);
    };
    if (htp_arch < 0 || soc_model < 0 || vtcm_mb < 0)
        return invalid("htp_arch, soc_model and vtcm_mb cannot be negative");
    if (constexpr int first = 68; htp_arch != 0 && htp_arch < first) return invalid("htp_arch is 68 or more, or 0");
    if (htp_graph_finalization_optimization_mode < 0 || htp_graph_finalization_optimization_mode > 3)
        return invalid("htp_graph_finalization_optimization_mode is 0 to 3");
    auto backend = qnn_backend::open(*this);
    if (!backend) return error(backend.why().code, provider + ": QNN cannot be used: " + backend.why().text);
    (*backend)->find_half_floats((*backend)->only_records() || takes_half_floats(*backend));
    return std::make_shared<lowering::region_engine<qnn_region_backend>>(qnn_region_backend{std::move(*backend)});
}
}  // namespace v1
}  // namespace inlay
