// Parses memory into a protobuf message, without the raw data of large tensors: these stay in the file, since a message
// would copy them.
#include "proto.hpp"
#include <climits>
#include <google/protobuf/io/coded_stream.h>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using google::protobuf::MessageLite;
using google::protobuf::io::CodedInputStream;
using bytes = std::span<const std::byte>;

class partial_parser {
    enum class result { taken, not_wanted, failed };
    const file_bytes& file_;
    const int nesting_;
    left_in_file& left_;

    static bool is_context(const ::onnx::NodeProto& n) { return n.op_type() == "EPContext"; }
    static CodedInputStream stream(bytes b) {
        return CodedInputStream(reinterpret_cast<const std::uint8_t*>(b.data()), int(b.size()));
    }
    bool merge(MessageLite& m, bytes b) const {
        CodedInputStream in = stream(b);
        in.SetRecursionLimit(3 * nesting_ + 40);  // graph, node and attribute per level; 40 for types and tensors
        return b.empty() || (m.MergeFromCodedStream(&in) && in.ConsumedEntireMessage());
    }
    // Merges a message's fields in their order, except large ones with contents: take(field number, contents) may take
    // them.
    template <class Take> result split(bytes b, MessageLite& m, Take take) {
        enum { varint, eight_bytes, contents, four_bytes = 5 };  // protobuf's wire types
        CodedInputStream in = stream(b);
        std::size_t merged = 0;
        while (in.CurrentPosition() < int(b.size())) {
            const auto start = std::size_t(in.CurrentPosition());
            const std::uint32_t tag = in.ReadTag();
            std::uint64_t number = 0;
            std::uint32_t size = tag % 8 == eight_bytes ? 8 : 4;
            switch (tag % 8) {
                case varint:
                    if (!in.ReadVarint64(&number)) return result::failed;
                    break;
                case contents:
                    if (!in.ReadVarint32(&size)) return result::failed;
                    [[fallthrough]];
                case eight_bytes:
                case four_bytes: {
                    const auto at = std::size_t(in.CurrentPosition());
                    if (size > b.size() - at || !in.Skip(int(size))) return result::failed;
                    if (tag % 8 != contents || size < large) break;
                    if (!merge(m, b.subspan(merged, start - merged))) return result::failed;
                    const result outcome = take(int(tag / 8), b.subspan(at, size));
                    if (outcome == result::failed) return outcome;
                    merged = outcome == result::taken ? at + size : start;
                    break;
                }
                default: return result::failed;  // ONNX has no groups
            }
        }
        return merge(m, b.subspan(merged)) ? result::taken : result::failed;
    }
    result tensor(bytes b, ::onnx::TensorProto& t) {
        return split(b, t, [&](int field, bytes c) {
            if (field != ::onnx::TensorProto::kRawDataFieldNumber) return result::not_wanted;
            t.clear_raw_data();  // the last one counts
            left_[&t] = {c, file_.keep, file_.mapped};
            return result::taken;
        });
    }
    result attribute(bytes b, ::onnx::AttributeProto& a, int depth, bool of_context) {
        return split(b, a, [&](int field, bytes c) {
            if (field == ::onnx::AttributeProto::kSFieldNumber && of_context) {
                a.clear_s();  // the last one counts
                left_[&a] = {c, file_.keep, file_.mapped};
                return result::taken;
            }
            if (field == ::onnx::AttributeProto::kTFieldNumber) return tensor(c, *a.mutable_t());
            if (field == ::onnx::AttributeProto::kGFieldNumber && depth < nesting_)
                return graph(c, *a.mutable_g(), depth + 1);
            return result::not_wanted;
        });
    }
    result node(bytes b, ::onnx::NodeProto& n, int depth) {
        return split(b, n, [&](int field, bytes c) {
            return field == ::onnx::NodeProto::kAttributeFieldNumber
                       ? attribute(c, *n.add_attribute(), depth, is_context(n))
                       : result::not_wanted;
        });
    }
    // Only contexts are left in the file: other contents are part of the function's identity.
    result function(bytes b, ::onnx::FunctionProto& f) {
        return split(b, f, [&](int field, bytes c) {
            if (field != ::onnx::FunctionProto::kNodeFieldNumber) return result::not_wanted;
            ::onnx::NodeProto& n = *f.add_node();
            return split(c, n, [&](int of_node, bytes d) {
                return of_node == ::onnx::NodeProto::kAttributeFieldNumber && is_context(n)
                           ? attribute(d, *n.add_attribute(), nesting_, true)
                           : result::not_wanted;
            });
        });
    }
    result graph(bytes b, ::onnx::GraphProto& g, int depth) {
        return split(b, g, [&](int field, bytes c) {
            if (field == ::onnx::GraphProto::kInitializerFieldNumber) return tensor(c, *g.add_initializer());
            if (field == ::onnx::GraphProto::kNodeFieldNumber) return node(c, *g.add_node(), depth);
            return result::not_wanted;
        });
    }

  public:
    partial_parser(const file_bytes& file, int nesting, left_in_file& left)
        : file_(file), nesting_(nesting), left_(left) {}
    bool whole(::onnx::ModelProto& m) { return merge(m, file_.data); }
    bool parts(::onnx::ModelProto& m) {
        return split(file_.data, m, [&](int field, bytes c) {
                   if (field == ::onnx::ModelProto::kGraphFieldNumber) return graph(c, *m.mutable_graph(), 0);
                   if (field == ::onnx::ModelProto::kFunctionsFieldNumber) return function(c, *m.add_functions());
                   return result::not_wanted;
               }) == result::taken;
    }
};
}  // namespace

std::shared_ptr<::onnx::ModelProto> parse(const file_bytes& file, const limits& l, left_in_file& left) {
    const std::string size = std::to_string(file.data.size());
    if (file.data.size() > INT_MAX)
        refuse(error_code::limit_exceeded, "the model has " + size + " bytes; a protobuf message holds at most 2 GiB",
               "save it with external data");
    auto m = new_message<::onnx::ModelProto>();
    partial_parser p(file, std::max(l.nesting, 1), left);
    if (file.data.empty() || !(file.keep ? p.parts(*m) : p.whole(*m)))
        refuse(error_code::invalid_model, "no ONNX model, or a truncated or corrupt one (" + size + " bytes)");
    if (!m->has_graph()) refuse(error_code::invalid_model, "no ONNX model: it has no graph (" + size + " bytes)");
    return m;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
