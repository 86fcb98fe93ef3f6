// Models, and their inputs and outputs.
#include "handles.hpp"

namespace {
std::vector<inlay_port> ports_of(std::span<const inlay::port> ports) {
    std::vector<inlay_port> handles;
    for (const inlay::port& p : ports) {
        handles.push_back({p, p.shape});
        for (int i = 0; i < p.shape.rank; ++i)
            if (p.shape[i] < 0) handles.back().dims[i] = -1;
    }
    return handles;
}
const inlay_port* port_at(const std::vector<inlay_port>& ports, std::int64_t index) {
    return index >= 0 && std::size_t(index) < ports.size() ? &ports[std::size_t(index)] : nullptr;
}
}  // namespace
inlay_model::inlay_model(inlay::model m)
    : model(std::move(m)), inputs(ports_of(model.inputs())), outputs(ports_of(model.outputs())) {}
using namespace inlay::c;

inlay_failure* inlay_model_load(const char* path, const inlay_options* options, inlay_model** model) {
    return guarded([&] {
        given(model, "model");
        const std::filesystem::path file(text_given(path, "path"));
        const inlay_options* const o = options_given(options, options_kind::model);
        *model = new inlay_model(inlay::model(file, o ? o->model : inlay::model_options{}));
    });
}
inlay_failure* inlay_model_parse(const void* bytes, std::int64_t size, const inlay_options* options,
                                 inlay_model** model) {
    return guarded([&] {
        given(model, "model");
        const auto file = list_given(static_cast<const std::byte*>(bytes), size, "bytes");
        const inlay_options* const o = options_given(options, options_kind::model);
        *model = new inlay_model(inlay::model::from_memory(file, o ? o->model : inlay::model_options{}));
    });
}
std::int64_t inlay_model_input_count(const inlay_model* m) { return m ? std::int64_t(m->inputs.size()) : -1; }
std::int64_t inlay_model_output_count(const inlay_model* m) { return m ? std::int64_t(m->outputs.size()) : -1; }
const inlay_port* inlay_model_input(const inlay_model* m, std::int64_t k) {
    return m ? port_at(m->inputs, k) : nullptr;
}
const inlay_port* inlay_model_output(const inlay_model* m, std::int64_t k) {
    return m ? port_at(m->outputs, k) : nullptr;
}
const char* inlay_model_metadata(const inlay_model* m, const char* key) {
    if (!m || !key) return nullptr;
    const auto& entries = m->model.metadata();
    const auto entry = std::ranges::find(entries, std::string_view(key), [](const auto& candidate) -> std::string_view {
        return candidate.first;
    });  // not find(), which would construct a string, and might throw
    return entry == entries.end() ? nullptr : entry->second.c_str();
}
std::int64_t inlay_model_metadata_count(const inlay_model* m) {
    return m ? std::int64_t(m->model.metadata().size()) : -1;
}
const char* inlay_model_metadata_key(const inlay_model* m, std::int64_t index) {
    if (index < 0 || index >= inlay_model_metadata_count(m)) return nullptr;
    return std::next(m->model.metadata().begin(), index)->first.c_str();
}
const char* inlay_model_producer_name(const inlay_model* m) { return m ? m->model.producer_name().c_str() : nullptr; }
const char* inlay_model_domain(const inlay_model* m) { return m ? m->model.domain().c_str() : nullptr; }
const char* inlay_model_graph_name(const inlay_model* m) { return m ? m->model.graph_name().c_str() : nullptr; }
const char* inlay_model_description(const inlay_model* m) { return m ? m->model.doc_string().c_str() : nullptr; }
std::int64_t inlay_model_version(const inlay_model* m) { return m ? m->model.model_version() : -1; }
void inlay_model_free(inlay_model* m) { delete m; }

const char* inlay_port_name(const inlay_port* p) { return p ? p->port.name.c_str() : nullptr; }
const char* inlay_port_type_text(const inlay_port* p) { return p ? p->port.type_text.c_str() : nullptr; }
std::int32_t inlay_port_kind(const inlay_port* p) { return p ? std::int32_t(p->port.kind) : -1; }
std::int32_t inlay_port_type(const inlay_port* p) {
    if (!p) return -1;
    return p->port.kind == inlay::value_kind::tensor ? std::int32_t(p->port.type) : INLAY_TYPE_UNDEFINED;
}
std::int32_t inlay_port_rank(const inlay_port* p) { return p ? p->dims.rank : -1; }
const std::int64_t* inlay_port_dims(const inlay_port* p) { return p ? p->dims.dims.data() : nullptr; }
const char* inlay_port_dim_name(const inlay_port* p, std::int32_t axis) {
    if (!p || axis < 0 || axis >= p->dims.rank) return nullptr;
    return p->port.dim_names[std::size_t(axis)].c_str();  // as many as dimensions
}
