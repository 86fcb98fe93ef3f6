#include "onnx/message.hpp"
#include "passes/passes.hpp"
#include "source.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
// External data is loaded into the message, so that the quantized model is one file.
void fetch_external(ModelProto& m, const std::filesystem::path& file, std::int64_t bytes, const limits& l) {
    loading::external_files files(loading::folders_of(file), l, bytes);
    loading::each_tensor(*m.mutable_graph(), [&](::onnx::TensorProto& t) {
        if (t.data_location() == ::onnx::TensorProto::EXTERNAL) loading::fetch(t, files, l);
    });
}
bool is_large(const ::onnx::TensorProto& t) { return std::int64_t(t.raw_data().size()) >= loading::large; }
}  // namespace

bool is_onnx(const NodeProto& n) { return n.domain().empty() || n.domain() == "ai.onnx"; }
const ::onnx::AttributeProto* attribute_of(const NodeProto& n, std::string_view name) {
    for (auto& a : n.attribute())
        if (a.name() == name) return &a;
    return nullptr;
}
std::int64_t integer_of(const NodeProto& n, std::string_view name, std::int64_t otherwise) {
    const auto* a = attribute_of(n, name);
    return a ? a->i() : otherwise;
}
double real_of(const NodeProto& n, std::string_view name, double otherwise) {
    const auto* a = attribute_of(n, name);
    return a ? double(a->f()) : otherwise;
}

static model load(const std::shared_ptr<ModelProto>& m, const model_options& o) {
    // The copy must not have the large weights, not even temporarily.
    auto& weights = *m->mutable_graph()->mutable_initializer();
    std::vector<std::string> raw_data(std::size_t(weights.size()));
    for (int k = 0; k < weights.size(); ++k)
        if (is_large(weights[k])) raw_data[std::size_t(k)].swap(*weights[k].mutable_raw_data());
    const auto copy = loading::copy_of(*m);
    loading::left_in_file left;
    for (int k = 0; k < weights.size(); ++k) {
        if (raw_data[std::size_t(k)].empty()) continue;
        raw_data[std::size_t(k)].swap(*weights[k].mutable_raw_data());
        auto& t = *copy->mutable_graph()->mutable_initializer(k);
        t.clear_raw_data();
        left[&t] = {std::as_bytes(std::span(weights[k].raw_data())), m, false};
    }
    return loading::load_message(copy, std::move(left), o).value_or_raise();
}
model model_of(const std::shared_ptr<ModelProto>& m) {
    model_options as_it_is;
    as_it_is.optimize = false;
    return load(m, as_it_is);
}
model decoded_model_of(const std::shared_ptr<ModelProto>& m) {
    model_options decoded;
    for (const pass& p : all_passes())
        if (p.name != "fold_constants") decoded.without.emplace_back(p.name);
    return load(m, decoded);
}

source_model::source_model(const std::filesystem::path& file) {
    const limits l;
    const loading::file_bytes mapped = loading::map_file(file, l.file_bytes);
    loading::left_in_file nothing;
    message_ = loading::parse({mapped.data}, l, nothing);  // the bytes need not be kept: the message has all weights
    fetch_external(*message_, file, std::int64_t(mapped.data.size()), l);
    const model whole = model_of(message_);  // which checks it
    for (const value& v : whole.view().values) types_.emplace(v.name, v.type);
    loading::sort_nodes(*message_->mutable_graph());
    read_graph();
}
void source_model::read_graph() {
    const GraphProto& g = graph();
    for (auto& t : g.initializer()) constants_.emplace(t.name(), &t);
    for (int k = 0; k < g.node_size(); ++k) {
        const NodeProto& n = g.node(k);
        for (auto& y : n.output())
            if (!y.empty()) makers_.emplace(y, k);
        loading::each_read(n, [&](std::string_view name) {
            std::vector<int>& readers = readers_[std::string(name)];
            if (readers.empty() || readers.back() != k) readers.push_back(k);
        });
        if (const auto* a = attribute_of(n, "value"); a && is_onnx(n) && n.op_type() == "Constant" && a->has_t())
            constants_.emplace(n.output(0), &a->t());
    }
    for (auto& y : g.output()) outputs_.insert(y.name());
}
int source_model::opset() const {
    for (auto& s : message_->opset_import())
        if (s.domain().empty() || s.domain() == "ai.onnx") return int(s.version());
    return 0;
}
std::optional<tensor> source_model::constant(std::string_view name) const {
    const auto t = constants_.find(name);
    if (t == constants_.end()) return std::nullopt;
    return loading::to_tensor(*t->second, message_);
}
int source_model::maker(std::string_view name) const {
    const auto at = makers_.find(name);
    return at == makers_.end() ? -1 : at->second;
}
const std::vector<int>& source_model::readers(std::string_view name) const {
    static const std::vector<int> nobody;
    const auto at = readers_.find(name);
    return at == readers_.end() ? nobody : at->second;
}
element source_model::type(std::string_view name) const {
    const auto at = types_.find(name);
    return at == types_.end() ? element::undefined : at->second;
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
