#include "context_file.hpp"
#include "extract.hpp"
#include "proto.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
using names = std::set<std::string>;

void add_reads(const ::onnx::NodeProto& n, names& reads) {  // those of subgraphs too, which may read outer values
    for (const std::string& x : n.input())
        if (!x.empty()) reads.insert(x);
    const auto add_graph = [&](const ::onnx::GraphProto& g) {
        for (const auto& inner : g.node()) add_reads(inner, reads);
        for (const auto& o : g.output()) reads.insert(o.name());
    };
    for (const auto& a : n.attribute()) {
        if (a.has_g()) add_graph(a.g());
        for (const auto& g : a.graphs()) add_graph(g);
    }
}
class extractor {
    const graph_data& whole_;  // with the types of all values
    ::onnx::ModelProto& m_;
    ::onnx::GraphProto& g_;
    std::filesystem::path file_, folder_;  // of the model; where the part is to be
    names from_, reached_;

    ::onnx::ValueInfoProto* describe(const std::string& name) const {
        auto& port = loading::make_on<::onnx::ValueInfoProto>(loading::arena_of(m_));
        for (const auto* list : {&g_.input(), &g_.output()})
            for (const auto& v : *list)
                if (v.name() == name) {
                    port = v;
                    return &port;
                }
        const auto v = std::ranges::find(whole_.values, name, &value::name);
        if (v == whole_.values.end()) loading::refuse(error_code::invalid_argument, "there is no value `" + name + "`");
        port.set_name(name);
        const value_type type = whole_.type_of(int(v - whole_.values.begin()));
        if (type.type == element::undefined || type.type == element::object)
            loading::refuse(error_code::unsupported_model, "nothing determines the type of `" + name + "`");
        loading::to_proto(type, *port.mutable_type(), whole_.symbols);
        return &port;
    }

  public:
    extractor(const graph_data& whole, ::onnx::ModelProto& m, std::filesystem::path file, std::filesystem::path folder)
        : whole_(whole), m_(m), g_(*m.mutable_graph()), file_(std::move(file)), folder_(std::move(folder)) {}

    extracted run(std::span<const std::string> from, std::span<const std::string> to,
                  const std::map<std::string, tensor>& known_values) {
        from_.insert(from.begin(), from.end());
        for (const auto& [name, t] : known_values) from_.insert(name);
        std::vector<std::string> outputs(to.begin(), to.end());
        if (outputs.empty())
            for (const auto& o : g_.output()) outputs.push_back(o.name());
        std::map<std::string, int> producers;
        for (int k = 0; k < g_.node_size(); ++k)
            for (const std::string& o : g_.node(k).output())
                if (!o.empty()) producers[o] = k;
        std::vector<char> needed(std::size_t(g_.node_size()), 0);
        for (std::vector<std::string> open = outputs; !open.empty();) {
            const std::string name = std::move(open.back());
            open.pop_back();
            if (!reached_.insert(name).second || from_.contains(name)) continue;
            const auto p = producers.find(name);
            if (p == producers.end() || needed[std::size_t(p->second)]) continue;
            needed[std::size_t(p->second)] = 1;
            names reads;
            add_reads(g_.node(p->second), reads);
            open.insert(open.end(), reads.begin(), reads.end());
        }
        for (const std::string& name : from_)
            if (!reached_.contains(name))
                loading::refuse(error_code::invalid_argument, "no output wanted depends on `" + name + "`");
        std::vector<::onnx::ValueInfoProto*> ins = inputs_of(from), outs;
        for (const std::string& name : outputs) outs.push_back(describe(name));
        extracted result{{}, 0, g_.node_size()};
        keep_needed(needed);
        settle_external();
        for (const auto& [name, t] : known_values) {
            loading::to_proto(t, *g_.add_initializer());
            g_.mutable_initializer()->rbegin()->set_name(name);
        }
        for (auto* v : ins) g_.mutable_input()->UnsafeArenaAddAllocated(v);
        for (auto* v : outs) g_.mutable_output()->UnsafeArenaAddAllocated(v);
        result.nodes = g_.node_size();
        if (!m_.SerializeToString(&result.file))
            loading::refuse(error_code::limit_exceeded, "the part is larger than a protobuf message may be");
        return result;
    }

  private:
    // External data that a file in the part's folder cannot name is stored in the part itself.
    void settle_external() {
        const limits l;
        loading::external_files files(loading::folders_of(file_), l, 0);
        loading::each_tensor(g_, [&](::onnx::TensorProto& t) {
            if (t.data_location() == ::onnx::TensorProto::EXTERNAL && !stays_external(t)) loading::fetch(t, files, l);
        });
    }
    bool stays_external(const ::onnx::TensorProto& t) const {
        const auto place = std::ranges::find(t.external_data(), "location", &::onnx::StringStringEntryProto::key);
        const auto target_from = [&](const loading::model_folders& folders) {
            return loading::locate(folders, place->value(), "external data").target;
        };
        if (place == t.external_data().end()) return true;
        const auto target = loading::guarded<std::filesystem::path>(
            loading::error_place{}, [&]() -> result<std::filesystem::path> { return target_from({folder_}); });
        return target && *target == target_from(loading::folders_of(file_));
    }
    std::vector<::onnx::ValueInfoProto*> inputs_of(std::span<const std::string> from) const {
        names constants;
        for (const auto& t : g_.initializer()) constants.insert(t.name());
        for (const auto& t : g_.sparse_initializer()) constants.insert(t.values().name());
        std::vector<::onnx::ValueInfoProto*> ins;
        for (const auto& i : g_.input()) {
            const bool is_read = reached_.contains(i.name()) && !constants.contains(i.name());
            if (is_read && !from_.empty() && !from_.contains(i.name()))
                loading::refuse(error_code::invalid_argument, "the outputs need input `" + i.name() + "` too",
                                "add --from " + i.name());
            if (is_read && from_.empty()) ins.push_back(describe(i.name()));
        }
        for (const std::string& name : from) ins.push_back(describe(name));
        return ins;
    }
    void keep_needed(const std::vector<char>& needed) {
        remove_if(*g_.mutable_node(), [&, k = 0](const auto&) mutable { return !needed[std::size_t(k++)]; });
        remove_if(*g_.mutable_initializer(),
                  [&](const auto& t) { return !reached_.contains(t.name()) || from_.contains(t.name()); });
        remove_if(*g_.mutable_sparse_initializer(), [&](const auto& t) {
            return !reached_.contains(t.values().name()) || from_.contains(t.values().name());
        });
        remove_if(*g_.mutable_value_info(),
                  [&](const auto& v) { return !reached_.contains(v.name()) || from_.contains(v.name()); });
        remove_if(*m_.mutable_functions(),  // of the whole graph
                  [](const auto& f) { return f.domain() == loading::context_domain; });
        g_.clear_quantization_annotation();
        g_.clear_input();
        g_.clear_output();
    }
    template <class List, class F> static void remove_if(List& list, F f) {
        int count = 0;
        for (int k = 0; k < list.size(); ++k)
            if (!f(list.Get(k))) {
                if (count != k) list.SwapElements(count, k);
                ++count;
            }
        list.DeleteSubrange(count, list.size() - count);
    }
};
}  // namespace

extracted extract_model(const std::filesystem::path& file, std::span<const std::string> from,
                        std::span<const std::string> to, const std::filesystem::path& folder,
                        const std::map<std::string, tensor>& known_values) {
    model_options as_it_is;
    as_it_is.optimize = false;
    const model whole(file, as_it_is);
    return loading::guarded<extracted>(
               loading::error_place{"inlay", &file},
               [&]() -> result<extracted> {
                   const limits l;
                   const loading::file_bytes mapped = loading::map_file(file, l.file_bytes);
                   loading::left_in_file nothing;
                   // The bytes need not be kept: the message has all weights.
                   const auto m = loading::parse({mapped.data}, l, nothing);
                   return extractor(whole.graph(), *m, file, folder).run(from, to, known_values);
               })
        .value_or_raise();
}
}  // namespace v1
}  // namespace inlay
