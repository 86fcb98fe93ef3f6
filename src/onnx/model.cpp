// inlay::model: file -> protobuf -> checks -> functions inlined -> records with types and shapes -> passes.
#include "assume.hpp"
#include "context_file.hpp"
#include "engine/evaluate.hpp"
#include "engine/model_state.hpp"
#include "message.hpp"
#include "passes/passes.hpp"
#include "schemas.hpp"
#include "stage_progress.hpp"
#include <istream>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
void check_ir_version(const ::onnx::ModelProto& m) {
    const int newest = ::onnx::Version::IR_VERSION;
    if (m.ir_version() <= 0) refuse(error_code::invalid_model, "no ONNX model: it has no IR version");
    if (m.ir_version() > newest)
        refuse(error_code::unsupported_model,
               "the model has IR version " + std::to_string(m.ir_version()) + ", this build reads 1 to " +
                   std::to_string(newest),
               "convert the model to an older IR version, or update the onnx library");
}

void check_opsets(::onnx::ModelProto& m) {  // assume_imports() left one import of each domain
    if (!m.opset_import_size()) {
        if (m.ir_version() >= 3) refuse(error_code::invalid_model, "the model imports no operator set");
        m.add_opset_import()->set_version(1);
    }
    const auto& domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    for (auto& s : m.opset_import()) {
        const std::string name = s.domain().empty() ? "ai.onnx" : one_line(s.domain());
        if (s.version() < 1 || s.version() > INT32_MAX)
            refuse(error_code::invalid_model,
                   "the model imports opset " + std::to_string(s.version()) + " of the domain " + name);
        if (const auto it = domains.find(s.domain()); it != domains.end() && s.version() > it->second.second)
            refuse(error_code::unsupported_model,
                   "the model imports opset " + std::to_string(s.version()) + " of the domain " + name +
                       ", this build knows 1 to " + std::to_string(it->second.second),
                   "convert the model to an older opset, or update the onnx library");
    }
}

std::map<std::string, int> opsets_of(const ::onnx::ModelProto& m) {
    std::map<std::string, int> opsets;
    for (auto& i : m.opset_import()) opsets.emplace(i.domain(), int(i.version()));
    return opsets;
}

// Operators of ONNX's own domains must be known; those of other domains are up to the providers.
void check_operators(const ::onnx::GraphProto& g, const std::map<std::string, int>& opsets) {
    const auto& domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    for (auto& n : g.node()) {
        // Their kernels rely on types and shapes as the passes know them, which no schema checks.
        if (n.domain() == "inlay")
            refuse(error_code::unsupported_model,
                   text_of(n) + " is of the domain `inlay`: only Inlay's own passes make such nodes");
        const auto opset = opsets.find(n.domain());
        if (opset != opsets.end() && domains.contains(n.domain()) &&
            !has_operator(n.op_type(), opset->second, n.domain())) {
            const auto* newest = find_schema(n.op_type(), INT_MAX, n.domain());
            refuse(error_code::unsupported_model,
                   text_of(n) + " is no operator of opset " + std::to_string(opset->second) + " of the domain " +
                       (n.domain().empty() ? "ai.onnx" : n.domain()) +
                       (newest ? "; its newest version is of opset " + std::to_string(newest->SinceVersion()) : ""));
        }
        for (auto& a : n.attribute())
            if (a.has_g()) check_operators(a.g(), opsets);
    }
}

// Where inference left something open, a port shows what the model declares.
void complete(port& p, const ::onnx::ValueInfoProto& declared) {
    const auto subject = [&] { return "the output `" + one_line(p.name) + "`"; };
    const bool open = p.value_type.type == element::undefined || p.value_type.type == element::object;
    if (open && p.value_type.refine(read_type(declared.type(), subject)) && p.value_type.known()) {
        p.kind = p.value_type.kind();
        p.type = p.value_type.is_tensor() ? p.value_type.type : element::object;
        p.type_text = to_string(p.value_type);
    }
    const auto& t = declared.type().tensor_type();
    if (!t.has_shape() || p.kind != value_kind::tensor) return;
    if (p.shape.rank < 0) {
        if (t.shape().dim_size() > max_rank) refuse_rank(subject(), t.shape().dim_size());
        p.shape = shape::of_rank(t.shape().dim_size(), -1);
        p.dim_names.resize(std::size_t(p.shape.rank));
    }
    if (t.shape().dim_size() != p.shape.rank) return;
    for (int i = 0; i < p.shape.rank; ++i) {
        const auto& d = t.shape().dim(i);
        if (p.shape[i] == -1 && d.dim_value() > 0) p.shape[i] = d.dim_value();
        if (p.dim_names[std::size_t(i)].empty() && p.shape[i] < 0) p.dim_names[std::size_t(i)] = d.dim_param();
    }
}

// Every dimension that the graph and its bodies declare.
template <class F> void for_each_dim(::onnx::GraphProto& g, F f) {
    for (auto* list : {g.mutable_input(), g.mutable_output(), g.mutable_value_info()})
        for (auto& v : *list)
            if (v.type().tensor_type().has_shape())
                for (auto& d : *v.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) f(d);
    for (auto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute())
            if (a.has_g()) for_each_dim(*a.mutable_g(), f);
}
// What exporters write for each dimension that they know nothing of: these dimensions need not be equal.
bool is_placeholder(std::string_view name) { return name == "?" || name == "*" || name == "-1" || name == "None"; }

std::set<std::string> name_dims(::onnx::GraphProto& g) {
    for_each_dim(g, [](auto& d) {
        if (is_placeholder(d.dim_param())) d.clear_value();
    });
    std::set<std::string> names;
    for (auto* list : {g.mutable_input(), g.mutable_output()})
        for (auto& v : *list)
            for (auto& d : v.type().tensor_type().shape().dim())
                if (!d.dim_param().empty()) names.insert(d.dim_param());
    for (auto& v : *g.mutable_input()) {  // so that equal sizes are known to be equal further down
        if (!v.type().tensor_type().has_shape()) continue;
        int axis = 0;
        for (auto& d : *v.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
            std::string name = v.name() + "[" + std::to_string(axis++) + "]";
            while (names.contains(name)) name += "'";
            if (d.dim_value() == -1) d.clear_value();
            if (!d.has_dim_value() && d.dim_param().empty()) d.set_dim_param(name);
        }
    }
    return names;
}

// Dimensions with these names get these sizes, wherever the model declares them.
void fix_dims(::onnx::GraphProto& g, const std::map<std::string, std::int64_t>& sizes) {
    for_each_dim(g, [&](auto& d) {
        if (const auto it = sizes.find(d.dim_param()); it != sizes.end()) d.set_dim_value(it->second);
    });
}
void override_dims(::onnx::GraphProto& g, const std::map<std::string, std::int64_t>& sizes) {
    if (sizes.empty()) return;
    std::set<std::string> free, constant;
    for (auto& t : g.initializer()) constant.insert(t.name());
    for (auto& v : g.input())
        if (!constant.contains(v.name()))
            for (auto& d : v.type().tensor_type().shape().dim())
                if (!d.dim_param().empty()) free.insert(d.dim_param());
    for (const auto& [name, size] : sizes) {
        if (size < 0)
            refuse(error_code::invalid_argument,
                   "the free dimension `" + one_line(name) + "` cannot have the size " + std::to_string(size));
        if (free.contains(name)) continue;
        std::string hint;
        for (const std::string& f : free) hint += (hint.empty() ? "; the inputs have `" : ", `") + one_line(f) + "`";
        refuse(error_code::not_found, "there is no free dimension `" + one_line(name) + "`" +
                                          (hint.empty() ? "; the inputs have none" : hint));
    }
    fix_dims(g, sizes);
}

std::set<std::string> settle_dims(::onnx::GraphProto& g, const std::map<std::string, std::int64_t>& sizes) {
    std::set<std::string> names = name_dims(g);
    override_dims(g, sizes);
    return names;
}

progress_function passing_exceptions(const progress_function& f) {
    if (!f) return {};
    return [&f](stage s, std::int64_t position, std::int64_t total) {
        try {
            return f(s, position, total);
        } catch (...) {
            throw callers_exception{std::current_exception()};
        }
    };
}
}  // namespace
}  // namespace loading

struct model_loader {
    static loading::file_bytes kept(const loading::file_bytes& file, bool must_own) {
        if (file.keep || !must_own) return file;
        const auto copy = std::make_shared<std::vector<std::byte>>(file.data.begin(), file.data.end());
        return {*copy, copy};
    }
    static void describe(const ::onnx::ModelProto& m, model::state& s) {
        for (auto& e : m.metadata_props()) s.metadata[e.key()] = e.value();
        s.model_version = m.model_version();
        s.producer_name = m.producer_name();
        s.producer_version = m.producer_version();
        s.domain = m.domain();
        s.doc_string = m.doc_string();
        s.graph_name = m.graph().name();
    }
    struct source {
        loading::file_bytes file{};  // empty: of a message without a file
        loading::model_folders folders{};
        std::string file_name{};
        int target = 0;  // whose graph to use, in a file with contexts
    };
    static std::function<model(int)> loader_of_targets(source from, const model_options& o, bool any) {
        from.file = kept(from.file, any);
        return [from = std::move(from), o](int target) {
            source copy = from;
            copy.target = target;
            return load(copy, o);
        };
    }
    // A message that is passed in is not parsed, and `left` is what was left out of it.
    static model load(const source& from, const model_options& o, std::shared_ptr<::onnx::ModelProto> m = {},
                      loading::left_in_file left = {}) {
        using namespace loading;
        const progress_function tell = passing_exceptions(o.progress);
        stage_progress progress(tell, stage::load, 6);
        const file_bytes& file = from.file;
        if (!m) m = parse(file, o.limits, left);
        progress(1);
        check_ir_version(*m);
        external_files files(from.folders, o.limits, std::int64_t(file.data.size()));
        data_list external;
        context_reader contexts(*m, left, files);
        contexts.show(from.target);
        prepare(*m, o.limits, &files, left, external);
        contexts.check_weights(m, external);
        progress(2);
        assumptions assumed(o.limits.strict);
        assume_imports(*m, assumed);
        check_opsets(*m);
        auto s = std::make_shared<model::state>();
        s->ir_version = m->ir_version();
        for (auto& i : m->opset_import()) s->opsets.push_back({i.domain(), int(i.version())});
        inline_functions(*m, o.limits);
        assume_graph(*m, assumed);
        rewrite_nchwc(*m, o.limits, assumed);
        progress(3);
        check_opsets(*m);
        std::map<std::string, int> opsets = opsets_of(*m);
        check_operators(m->graph(), opsets);
        rewrite_microsoft(*m, opsets, o.limits);
        sort_nodes(*m->mutable_graph());
        check_graph(m->graph(), opsets);
        check_equations(m->graph());
        inline_schema_functions(*m, opsets, o.limits);
        progress(4);
        const auto names = settle_dims(*m->mutable_graph(), o.free_dimension_overrides);
        rewrite_gradients(*m, opsets, o.limits);
        progress(5);
        built b = build(*m, m, external, o.limits, assumed, names);
        s->warnings = assumed.texts();
        m->mutable_graph()->clear_value_info();
        for (int k = 0; k < m->graph().output_size(); ++k) complete(b.outputs[std::size_t(k)], m->graph().output(k));
        s->inputs = std::move(b.inputs);
        s->outputs = std::move(b.outputs);
        describe(*m, *s);
        s->graph = std::move(b.graph);
        s->limits = o.limits;
        progress(6);
        if (o.optimize) s->log = run_passes(s->graph, {o.without, tell}, {evaluate});
        s->view = s->graph.view();
        for (const file_bytes& f : files.all())
            if (f.mapped) s->bound->add_file(f.data, f.keep);
        if (file.mapped) s->bound->add_file(file.data, file.keep);
        s->file_name = from.file_name;
        s->saved = contexts.result(from.target, loader_of_targets(from, o, contexts.any()));
        return model(std::move(s));
    }
};

result<model> model::try_load(const std::filesystem::path& file, const model_options& o) {
    return loading::guarded<model>(loading::error_place{"inlay::model", &file}, [&] {
        return model_loader::load(
            {loading::map_file(file, o.limits.file_bytes), loading::folders_of(file), file.filename().string()}, o);
    });
}
// For bytes, whose file is known only if the options name it.
static loading::model_folders folders_given(const model_options& o) {
    loading::model_folders folders;
    if (!o.folder.empty()) folders.push_back(o.folder);
    if (!o.origin.empty()) std::ranges::copy(loading::folders_of(o.origin), std::back_inserter(folders));
    return folders;
}
result<model> model::try_load(std::span<const std::byte> file, const model_options& o) {
    return loading::guarded<model>(loading::error_place{"inlay::model"}, [&] {
        model_loader::source from;
        from.file.data = file;
        from.folders = folders_given(o);
        return model_loader::load(from, o);
    });
}
result<model> model::try_load(std::istream& file, const model_options& o) {
    return loading::guarded<model>(loading::error_place{"inlay::model"}, [&] {
        return model_loader::load({loading::read_stream(file, o.limits.file_bytes), folders_given(o)}, o);
    });
}
namespace loading {
result<model> load_message(std::shared_ptr<::onnx::ModelProto> m, left_in_file left, const model_options& o) {
    return guarded<model>(loading::error_place{"inlay::model"}, [&] {
        (void)arena_of(*m);
        return model_loader::load({}, o, std::move(m), std::move(left));
    });
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
