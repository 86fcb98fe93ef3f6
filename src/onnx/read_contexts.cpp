// EPContext nodes of a file: their fields, their bytes, and the graphs that the file has besides its own.
#include "context_file.hpp"
#include "support/content_hash.hpp"
#include "support/text.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

static constexpr std::string_view file_fields[] = {"graph",  "weights", "reads", "makes",
                                                   "inputs", "outputs", "size",  "checksum"};
bool is_file_field(std::string_view name) { return std::ranges::find(file_fields, name) != std::end(file_fields); }

std::string text_of_names(const google::protobuf::RepeatedPtrField<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "\n") + name;
    return text;
}
std::string text_of_notes(const saved_key& fields) {
    std::string text(notes_begin);
    for (const auto& [name, value] : fields) {
        text += '\n' + name + ": ";
        for (const char c : value) text += c == '\n' ? std::string("\\n") : c == '\\' ? "\\\\" : std::string(1, c);
    }
    return text;
}
std::string parse_notes(std::string_view notes, saved_key& fields) {
    const auto next_line = [&] {
        const std::string_view line = notes.substr(0, notes.find('\n'));
        notes.remove_prefix(std::min(notes.size(), line.size() + 1));
        return line;
    };
    if (const std::string_view first = next_line(); first != notes_begin)
        return "`notes` begins with `" + one_line(first.substr(0, 80)) + "` in the file and with `" +
               std::string(notes_begin) + "` here";
    constexpr std::size_t most = 1000;
    while (!notes.empty()) {
        if (fields.size() == most) return "`notes` has more than " + std::to_string(most) + " lines";
        const std::string_view line = next_line();
        const std::size_t colon = line.find(": ");
        if (colon == line.npos) return "`notes` has a line without a name: `" + one_line(line.substr(0, 80)) + "`";
        std::string name(line.substr(0, colon)), value;
        for (std::size_t k = colon + 2; k < line.size(); ++k)
            if (line[k] == '\\' && k + 1 < line.size())
                value += line[++k] == 'n' ? '\n' : line[k];
            else
                value += line[k];
        if (std::ranges::count(fields, name, &saved_key::value_type::first))
            return "`" + one_line(name) + "` is in `notes` twice";
        fields.emplace_back(std::move(name), std::move(value));
    }
    for (const std::string_view name : file_fields)
        if (!std::ranges::count(fields, name, &saved_key::value_type::first))
            return "`" + std::string(name) + "` is not in `notes`";
    return {};
}

std::string hash_of_graph(const FunctionProto& original) {
    return content_hash::hex(content_hash::of(original.SerializeAsString()));
}
std::string hash_of_weights(const FunctionProto& original, const std::shared_ptr<::onnx::ModelProto>& m,
                            const data_list& external) {
    std::set<std::string_view> ports;
    for (auto& v : m->graph().input()) ports.insert(v.name());
    std::unordered_map<std::string_view, const ::onnx::TensorProto*> constants;
    for (auto& t : m->graph().initializer()) constants[t.name()] = &t;
    std::uint64_t hash = 0;
    for (const std::string& name : original.input()) {
        if (ports.contains(name)) continue;
        const auto at = constants.find(name);
        if (at == constants.end()) return {};
        const tensor t = to_tensor(*at->second, m, &external);
        hash = content_hash::of(name + " " + std::string(name_of(t.type())) + to_string(t.shape()), hash);
        if (t.type() == element::string)
            for (const std::string& s : t.as<std::string>()) hash = content_hash::of(s, hash);
        else if (t.bytes())
            hash = content_hash::of({static_cast<const std::byte*>(t.data()), std::size_t(t.bytes())}, hash);
    }
    return content_hash::hex(hash);
}

namespace {
// One EPContext node, while its attributes are read.
class node_reader {
    NodeProto& n_;
    const left_in_file& left_;
    external_files& files_;
    saved_region r_{};
    saved_key fields_{};
    std::string context_;           // of small ones: the bytes, or the name of the file that has them
    file_bytes context_in_file_{};  // of large ones
    std::int64_t embed_mode_ = 1;

    void fault(std::string text) {
        if (r_.problem.empty()) r_.problem = std::move(text);
    }
    std::int64_t number(const AttributeProto& a) {
        if (a.type() == AttributeProto::INT) return a.i();
        fault("`" + a.name() + "` is no integer");
        return 0;
    }
    void number(const AttributeProto& a, std::int64_t expected) {
        if (const std::int64_t n = number(a); n != expected)
            fault("`" + a.name() + "` is " + std::to_string(n) + " in the file, and only " + std::to_string(expected) +
                  " is read");
    }
    std::string text(AttributeProto& a) {
        if (a.type() != AttributeProto::STRING) fault("`" + a.name() + "` is no string");
        if (const auto at = left_.find(&a); at != left_.end())
            return {reinterpret_cast<const char*>(at->second.data.data()), at->second.data.size()};
        return a.s();
    }
    void read(AttributeProto& a) {
        const std::string& name = a.name();
        if (name == "main_context")
            number(a, 1);
        else if (name == "max_size")
            number(a, 0);
        else if (name == "embed_mode") {
            embed_mode_ = number(a);
            if (embed_mode_ != 0 && embed_mode_ != 1)
                fault("`embed_mode` is " + std::to_string(embed_mode_) + "; there are 0 and 1");
        } else if (name == "partition_name")
            r_.name = text(a);
        else if (name == "source")
            r_.source = text(a);
        else if (name == library_field || name == device_field)
            r_.key.emplace_back(name, text(a));
        else if (name == "notes") {
            if (std::string problem = parse_notes(text(a), fields_); !problem.empty()) fault(std::move(problem));
        } else if (name == "ep_cache_context") {
            if (a.type() != AttributeProto::STRING) fault("`ep_cache_context` is no string");
            if (const auto at = left_.find(&a); at != left_.end())
                context_in_file_ = at->second;
            else
                context_ = std::move(*a.mutable_s());
        } else if (name != "onnx_model_filename")
            fault("EPContext has no attribute `" + one_line(name) + "`");
    }
    void find_bytes() {
        if (embed_mode_ == 0) {
            if (context_in_file_.keep)
                context_.assign(reinterpret_cast<const char*>(context_in_file_.data.data()), 200);
            try {
                context_in_file_ = files_.whole(context_, "the context of " + text_of(n_));
            } catch (const error& e) {  // a name that no file can have is not found either
                if (e.code != error_code::not_found && printable(context_) == context_) throw;
                fault("`ep_cache_context`: " + e.text);
            }
        } else if (!context_in_file_.keep) {
            const auto owned = std::make_shared<const std::string>(std::move(context_));
            r_.bytes = std::as_bytes(std::span(*owned));
            r_.keep = owned;
            return;
        }
        r_.bytes = context_in_file_.data;
        r_.keep = context_in_file_.keep;
    }

    void same(std::string_view field, const std::string& compiled, const std::string& file_value) {
        if (compiled != file_value)
            fault(difference({{std::string(field), compiled}}, {{std::string(field), file_value}}));
    }

  public:
    node_reader(NodeProto& n, const left_in_file& left, external_files& files) : n_(n), left_(left), files_(files) {}
    saved_region run(int index) {
        std::set<std::string> attribute_names;
        for (auto& a : *n_.mutable_attribute()) {
            if (!attribute_names.insert(a.name()).second)
                refuse(error_code::invalid_model, text_of(n_) + " has its `" + one_line(a.name()) + "` twice");
            read(a);
        }
        if (const std::string name = r_.source + "_" + std::to_string(index); r_.name != name)
            fault("`partition_name` is `" + one_line(r_.name) + "` in the file; its `source` and place make it `" +
                  one_line(name) + "`");
        if (!attribute_names.contains("notes"))
            fault("it has no `notes`: another program wrote it, and Inlay cannot compare it");
        find_bytes();
        std::string reads, makes;
        std::map<std::string_view, std::string*> of_file{
            {"graph", &r_.graph},   {"weights", &r_.weights}, {"reads", &reads},  {"makes", &makes},
            {"inputs", &r_.inputs}, {"outputs", &r_.outputs}, {"size", &r_.size}, {"checksum", &r_.checksum}};
        for (auto& [name, value] : fields_)
            if (is_file_field(name))
                *of_file.at(name) = value;
            else
                r_.key.emplace_back(name, value);
        same("reads", reads, text_of_names(n_.input()));
        same("makes", makes, text_of_names(n_.output()));
        int count = 0;  // what the model exposes: everything except the bytes and the notes
        for (int k = 0; k < n_.attribute_size(); ++k)
            if (const std::string& name = n_.attribute(k).name(); name != "ep_cache_context" && name != "notes")
                n_.mutable_attribute()->SwapElements(count++, k);
        n_.mutable_attribute()->DeleteSubrange(count, n_.attribute_size() - count);
        return std::move(r_);
    }
};
}  // namespace

void context_reader::take_functions() {
    auto& functions = *m_.mutable_functions();
    int count = 0;
    for (int k = 0; k < functions.size(); ++k) {
        FunctionProto& f = *functions.Mutable(k);
        if (f.domain() != context_domain) {
            functions.SwapElements(count++, k);
            continue;
        }
        if (f.name() == original_function && !original_)
            original_ = &f;
        else if (f.name() == std::string(target_function) + std::to_string(graphs_.size() + 1))
            graphs_.push_back(&f);
        else
            refuse(error_code::invalid_model, "the file has a function `" + one_line(f.name()) + "` of the domain " +
                                                  std::string(context_domain) +
                                                  "; it has `original`, and then `target_1` and on, each once");
    }
    functions.UnsafeArenaExtractSubrange(count, functions.size() - count, nullptr);
}
void context_reader::read_target(google::protobuf::RepeatedPtrField<NodeProto>& nodes, const left_in_file& left,
                                 external_files& files) {
    saved_target target;
    for (NodeProto& n : nodes)
        if (is_context(n)) target.regions.push_back(node_reader(n, left, files).run(int(target.regions.size())));
    regions_->targets.push_back(std::move(target));
}
context_reader::context_reader(::onnx::ModelProto& m, const left_in_file& left, external_files& files) : m_(m) {
    if (std::ranges::none_of(m.graph().node(), is_context)) return;
    regions_ = std::make_shared<saved_regions>();
    take_functions();
    read_target(*m.mutable_graph()->mutable_node(), left, files);
    for (FunctionProto* f : graphs_) read_target(*f->mutable_node(), left, files);
    regions_->has_original = original_ != nullptr;
    if (original_) compare("graph", &saved_region::graph, hash_of_graph(*original_));
}
// What regions were compiled from, compared with what the file has.
void context_reader::compare(std::string_view field, std::string saved_region::*compiled,
                             const std::string& file_value) {
    for (saved_target& t : regions_->targets)
        for (saved_region& r : t.regions)
            if (r.problem.empty() && r.*compiled != file_value)
                r.problem = "`" + std::string(field) + "` was `" + r.*compiled + "` when it was compiled, and is `" +
                            file_value + "` in the file";
}
void context_reader::show(int target) {
    if (!regions_ || target == 0) return;
    if (target == saved_regions::original ? !original_ : std::size_t(target) > graphs_.size())
        refuse(error_code::not_found, "the file has no such graph");
    FunctionProto& f = target == saved_regions::original ? *original_ : *graphs_[std::size_t(target) - 1];
    ::onnx::GraphProto& g = *m_.mutable_graph();
    std::map<std::string, const ::onnx::ValueInfoProto*> types;
    for (auto& v : f.value_info()) types[v.name()] = &v;
    g.clear_value_info();
    for (auto* list : {g.mutable_input(), g.mutable_output()})
        for (auto& v : *list)
            if (const auto at = types.find(v.name()); at != types.end()) {
                *v.mutable_type() = at->second->type();
                types.erase(at);
            }
    for (const auto& [name, v] : types) *g.add_value_info() = *v;
    g.mutable_node()->Swap(f.mutable_node());
}
void context_reader::check_weights(const std::shared_ptr<::onnx::ModelProto>& m, const data_list& external) {
    if (regions_ && original_) compare("weights", &saved_region::weights, hash_of_weights(*original_, m, external));
}
std::shared_ptr<const saved_regions> context_reader::result(int shown, std::function<model(int)> load) {
    if (!regions_) return nullptr;
    regions_->shown = shown;
    regions_->load = std::move(load);
    return std::move(regions_);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
