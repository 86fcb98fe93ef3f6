// Writes a model with what engines compiled from it as a file.
#include "context_file.hpp"
#include "engine/ports.hpp"
#include "engine/session_core.hpp"
#include "platform/output_file.hpp"
#include "support/content_hash.hpp"
#include <climits>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using strings = std::vector<std::string>;

void declare(const port& p, ::onnx::ValueInfoProto& v) {
    v.set_name(p.name);
    value_type t = p.value_type;
    t.shape = shape::unknown();
    to_proto(t, *v.mutable_type());
    if (!t.is_tensor() || p.shape.rank < 0) return;
    auto& dims = *v.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < p.shape.rank; ++i) {
        auto& d = *dims.add_dim();
        if (p.shape[i] >= 0)
            d.set_dim_value(p.shape[i]);
        else if (!p.dim_names[std::size_t(i)].empty())
            d.set_dim_param(p.dim_names[std::size_t(i)]);
    }
}
void add_reads(const NodeProto& n, strings& reads) {  // and what its subgraphs read: all names are the file's own
    reads.insert(reads.end(), n.input().begin(), n.input().end());
    for (auto& a : n.attribute())
        if (a.has_g()) {
            for (auto& inner : a.g().node()) add_reads(inner, reads);
            for (auto& o : a.g().output()) reads.push_back(o.name());
        }
}

class context_writer {
    const model& model_;
    const graph_view& planned_;
    std::span<const region_to_save> regions_;
    const save_options& o_;
    const std::filesystem::path& to_;
    std::shared_ptr<ModelProto> m_ = new_message<ModelProto>();
    strings names_;  // by value
    std::string file_name_, graph_, weights_;
    written_contexts out_;

    strings names_of(std::span<const int> values) const {
        strings names;
        for (int id : values) names.push_back(names_[std::size_t(id)]);
        return names;
    }
    // The model as it is, with the weights in its graph.
    void write_whole() {
        m_->set_ir_version(std::max<std::int64_t>(model_.ir_version(), 10));  // functions with types of values
        m_->set_producer_name("inlay");
        m_->mutable_graph()->set_name(model_.graph_name());
        m_->set_domain(model_.domain());
        m_->set_model_version(model_.model_version());
        m_->set_doc_string(model_.doc_string());
        for (const auto& [key, value] : model_.metadata()) {
            auto& p = *m_->add_metadata_props();
            p.set_key(key);
            p.set_value(value);
        }
        for (const port& p : model_.inputs()) declare(p, *m_->mutable_graph()->add_input());
        for (const port& p : model_.outputs()) declare(p, *m_->mutable_graph()->add_output());
        names_ = write_model(model_, *m_);
        bool imported = false;
        for (auto& s : m_->opset_import()) imported |= s.domain() == "com.microsoft";
        if (imported) return;
        auto& s = *m_->add_opset_import();
        s.set_domain("com.microsoft");
        s.set_version(1);
    }
    // Another graph over the same inputs, outputs and initializers.
    FunctionProto& function(std::string name) const {
        const GraphProto& g = m_->graph();
        auto& f = make_on<FunctionProto>(arena_of(*m_));
        f.set_domain(std::string(context_domain));
        f.set_name(std::move(name));
        for (auto& v : g.input()) f.add_input(v.name());
        for (auto& t : g.initializer()) f.add_input(t.name());
        for (auto& v : g.output()) f.add_output(v.name());
        *f.mutable_opset_import() = m_->opset_import();
        return f;
    }
    FunctionProto& original() const {
        FunctionProto& f = function(std::string(original_function));
        *f.mutable_node() = m_->graph().node();
        for (auto* list : {&m_->graph().input(), &m_->graph().output()})
            for (auto& v : *list) *f.add_value_info() = v;
        return f;
    }

    void write_node(const region_to_save& r, std::size_t index, NodeProto& n) {
        const std::string name = r.source + "_" + std::to_string(index);
        n.set_name(name);
        n.set_op_type("EPContext");
        n.set_domain("com.microsoft");
        for (const std::string& s : names_of(r.inputs)) n.add_input(s);
        for (const std::string& s : names_of(r.outputs)) n.add_output(s);
        const auto number = [&](const char* of, std::int64_t value) {
            auto& a = *n.add_attribute();
            a.set_name(of);
            a.set_type(AttributeProto::INT);
            a.set_i(value);
        };
        const auto text = [&](std::string_view of, std::string value) {
            auto& a = *n.add_attribute();
            a.set_name(std::string(of));
            a.set_type(AttributeProto::STRING);
            a.set_s(std::move(value));
        };
        const std::string checksum = content_hash::hex(content_hash::of(r.bytes));
        saved_key notes{{"graph", graph_},
                        {"weights", weights_},
                        {"reads", text_of_names(n.input())},
                        {"makes", text_of_names(n.output())},
                        {"inputs", ports_text(planned_, r.inputs)},
                        {"outputs", ports_text(planned_, r.outputs)},
                        {"size", std::to_string(r.bytes.size())},
                        {"checksum", checksum}};
        number("main_context", 1);
        number("embed_mode", o_.embed);
        number("max_size", 0);
        text("source", r.source);
        text("partition_name", name);
        if (!file_name_.empty()) text("onnx_model_filename", file_name_);
        for (const auto& [of, value] : r.key)
            if (of == library_field || of == device_field)
                text(of, value);
            else
                notes.emplace_back(of, value);
        text("notes", text_of_notes(notes));
        if (o_.embed) {
            text("ep_cache_context", r.bytes);
        } else {
            const std::string beside = to_.stem().string() + "_" + checksum + ".bin";
            text("ep_cache_context", beside);
            out_.beside.emplace_back(beside, r.bytes);
        }
    }
    // The whole graph's nodes that are still needed, and a node for each region.
    void write_nodes(GraphProto& to) {
        const GraphProto& g = m_->graph();
        std::unordered_map<std::string, int> makers;  // nodes, followed by regions
        for (int k = 0; k < g.node_size(); ++k)
            for (auto& y : g.node(k).output()) makers[y] = k;
        std::vector<NodeProto*> saved;
        for (std::size_t k = 0; k < regions_.size(); ++k) {
            saved.push_back(&make_on<NodeProto>(arena_of(to)));
            write_node(regions_[k], k, *saved.back());
            for (auto& y : saved.back()->output()) makers[y] = g.node_size() + int(k);
        }
        std::vector<char> needed(std::size_t(g.node_size()) + saved.size(), 0);
        strings open;
        for (auto& v : g.output()) open.push_back(v.name());
        while (!open.empty()) {
            const auto at = makers.find(open.back());
            open.pop_back();
            if (at == makers.end() || std::exchange(needed[std::size_t(at->second)], 1)) continue;
            add_reads(at->second < g.node_size() ? g.node(at->second) : *saved[std::size_t(at->second - g.node_size())],
                      open);
        }
        for (int k = 0; k < g.node_size(); ++k)
            if (needed[std::size_t(k)]) *to.add_node() = g.node(k);
        for (NodeProto* n : saved) to.mutable_node()->UnsafeArenaAddAllocated(n);
        sort_nodes(to);
    }
    // Types and shapes of inputs, outputs and results of regions, for the planned shapes.
    std::map<std::string, const ::onnx::TypeProto*> planned_types() const {
        std::map<std::string, const ::onnx::TypeProto*> types;
        const auto add = [&](int id) {
            const value_type t = planned_.type_of(id);
            if (names_[std::size_t(id)].empty() || (t.is_tensor() && !t.shape.known())) return;
            auto& type = make_on<::onnx::TypeProto>(arena_of(*m_));
            to_proto(t, type, planned_.symbols);
            types[names_[std::size_t(id)]] = &type;
        };
        for (int id : planned_.inputs) add(id);
        for (std::size_t k = 0; k < planned_.outputs.size(); ++k) {
            add(planned_.outputs[k]);
            const std::string& name = names_[std::size_t(planned_.outputs[k])];
            if (const auto at = types.find(name); at != types.end())
                types[model_.outputs()[k].name] = at->second;  // after an Identity it has another name
        }
        for (const region_to_save& r : regions_)
            for (int id : r.outputs) add(id);
        return types;
    }
    FunctionProto& target(std::string name) {
        FunctionProto& f = function(std::move(name));
        auto& g = make_on<GraphProto>(arena_of(f));
        write_nodes(g);
        f.mutable_node()->Swap(g.mutable_node());
        for (const auto& [value, type] : planned_types()) {
            auto& v = *f.add_value_info();
            v.set_name(value);
            *v.mutable_type() = *type;
        }
        return f;
    }
    static void show(FunctionProto& f, GraphProto& g) {
        g.clear_value_info();
        for (auto& v : f.value_info()) {
            bool is_port = false;
            for (auto* list : {g.mutable_input(), g.mutable_output()})
                for (auto& p : *list)
                    if (p.name() == v.name()) {
                        is_port = true;
                        *p.mutable_type() = v.type();
                    }
            if (!is_port) *g.add_value_info() = v;
        }
        g.mutable_node()->Swap(f.mutable_node());
    }
    void drop_unused_weights() {
        GraphProto& g = *m_->mutable_graph();
        strings reads;
        for (auto& n : g.node()) add_reads(n, reads);
        for (auto& v : g.output()) reads.push_back(v.name());
        const std::set<std::string_view> used(reads.begin(), reads.end());
        int count = 0;
        for (int k = 0; k < g.initializer_size(); ++k)
            if (used.contains(g.initializer(k).name())) g.mutable_initializer()->SwapElements(count++, k);
        g.mutable_initializer()->DeleteSubrange(count, g.initializer_size() - count);
    }

  public:
    context_writer(const model& m, const std::string& file_name, const graph_view& planned,
                   std::span<const region_to_save> regions, const save_options& o, const std::filesystem::path& to)
        : model_(m), planned_(planned), regions_(regions), o_(o), to_(to), file_name_(file_name) {}

    written_contexts run() {
        write_whole();
        FunctionProto& whole = original();
        graph_ = hash_of_graph(whole);
        weights_ = hash_of_weights(whole, m_, {});
        if (o_.add) return add();
        show(target(""), *m_->mutable_graph());
        if (o_.keep_original)
            m_->mutable_functions()->UnsafeArenaAddAllocated(&whole);
        else
            drop_unused_weights();
        out_.model = serialized(*m_);
        return std::move(out_);
    }

  private:
    // What a session compares of the EPContext nodes, and the provider of each.
    static std::vector<saved_key> keys_of(const google::protobuf::RepeatedPtrField<NodeProto>& nodes) {
        std::vector<saved_key> keys;
        for (auto& n : nodes) {
            if (!is_context(n)) continue;
            saved_key notes, key;
            for (auto& a : n.attribute())
                if (a.name() == "notes")
                    (void)parse_notes(a.s(), notes);
                else if (a.name() == "source" || a.name() == library_field || a.name() == device_field)
                    key.emplace_back(a.name(), a.s());
            for (auto& field : notes)
                if (!is_file_field(field.first)) key.push_back(std::move(field));
            std::ranges::sort(key);
            keys.push_back(std::move(key));
        }
        return keys;
    }
    static void same(std::string_view field, const std::string& in_file, const std::string& session_value) {
        if (in_file != session_value)
            refuse(error_code::invalid_argument,
                   "nothing can be added, for it is of another model: " +
                       difference({{std::string(field), in_file}}, {{std::string(field), session_value}}));
    }
    // As a further target of the existing file, or in place of the one that was compiled with the same key.
    written_contexts add() {
        const limits& l = model_.limits();
        const file_bytes file = map_file(to_, l.file_bytes);
        left_in_file nothing;
        const auto saved_model = parse({file.data}, l, nothing);
        int targets = 1, position = -1;
        const FunctionProto* their_original = nullptr;
        FunctionProto& ours = target("");
        const auto key = keys_of(ours.node());
        for (int k = 0; k < saved_model->functions_size(); ++k) {
            const FunctionProto& f = saved_model->functions(k);
            if (f.domain() != context_domain) continue;
            if (f.name() == original_function) {
                their_original = &f;
                continue;
            }
            ++targets;
            if (keys_of(f.node()) == key) position = k;
        }
        if (!their_original)
            refuse(error_code::invalid_argument,
                   "nothing can be added, for it has no original graph to compare the model with");
        same("graph", hash_of_graph(*their_original), graph_);
        same("weights", hash_of_weights(*their_original, saved_model, {}), weights_);
        if (keys_of(saved_model->graph().node()) == key)
            show(ours, *saved_model->mutable_graph());
        else {
            FunctionProto& f = position < 0 ? *saved_model->add_functions() : *saved_model->mutable_functions(position);
            ours.set_name(position < 0 ? std::string(target_function) + std::to_string(targets) : f.name());
            f.Swap(&ours);
        }
        out_.model = serialized(*saved_model);
        return std::move(out_);
    }
};
}  // namespace

written_contexts write_contexts(const model& m, const std::string& file_name, const graph_view& planned,
                                std::span<const region_to_save> regions, const save_options& o,
                                const std::filesystem::path& to) {
    return context_writer(m, file_name, planned, regions, o, to).run();
}
}  // namespace loading

saved_session session_base::save(const std::filesystem::path& to, const save_options& o,
                                 std::span<const std::pair<std::string_view, shape>> shapes) const {
    const std::string place = "inlay: `" + to.string() + "`";
    const auto refuse = [&](error_code code, const std::string& reason) { raise({code, place + ": " + reason}); };
    if (core_->graph.restored)
        refuse(error_code::invalid_argument,
               "the session's regions are from a file that has them already; save a session over the model itself");
    if (const auto& obstacle = core_->setup.backends.plan_only)
        refuse(error_code::provider_unavailable, "this session can only plan: " + obstacle->reason);
    std::string problem;
    auto plan = shapes.empty() ? core_->plan_for_report(&problem) : core_->plan_for(bound_shapes(*core_, shapes));
    if (!plan) refuse(error_code::shape_mismatch, "give the inputs' shapes: " + problem);
    if (plan->room) plan = core_->plan_for(plan->key);
    saved_session report;
    const auto regions = save_regions(core_->setup, *plan, report.left_out);
    if (regions.empty()) {
        for (const std::string& reason : report.left_out) problem += (problem.empty() ? "" : "; ") + reason;
        refuse(
            error_code::provider_failed,
            "there is nothing to save: " + (problem.empty() ? "no engine has compiled a part of the model" : problem));
    }
    auto written = loading::guarded<loading::written_contexts>(
        loading::error_place{place}, [&]() -> result<loading::written_contexts> {
            return loading::write_contexts(model(), model().file_name(), plan->graph.view, regions, o, to);
        });
    const loading::written_contexts files = std::move(written).value_or_raise();
    for (const auto& [name, bytes] : files.beside) update_file(to.parent_path() / name, bytes);
    update_file(to, files.model);
    report.regions = int(regions.size());
    for (const region_to_save& r : regions) report.bytes += std::int64_t(r.bytes.size());
    return report;
}
}  // namespace v1
}  // namespace inlay
