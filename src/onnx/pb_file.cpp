// ONNX's test data files: one TensorProto, SequenceProto, MapProto or OptionalProto each.
#include "platform/output_file.hpp"
#include "proto.hpp"
#include <inlay/tensor_file.hpp>
#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx-data.pb.h>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::MapProto;
using ::onnx::OptionalProto;
using ::onnx::SequenceProto;
using ::onnx::TensorProto;

class reader {  // recursion is bounded by that of the parser
    const limits& l_;
    std::shared_ptr<void> keep_;

  public:
    reader(const limits& l, std::shared_ptr<void> keep) : l_(l), keep_(std::move(keep)) {}
    any_value value(const TensorProto& t) {
        check_tensor(t, l_, "the tensor `" + one_line(t.name()) + "`");
        return to_tensor(t, keep_);
    }
    any_value value(const SequenceProto& s) {
        sequence items;
        for (auto& t : s.tensor_values()) items.push_back(value(t));
        for (auto& t : s.sequence_values()) items.push_back(value(t));
        for (auto& t : s.map_values()) items.push_back(value(t));
        for (auto& t : s.optional_values()) items.push_back(value(t));
        if (s.sparse_tensor_values_size()) refuse(error_code::unsupported_model, "sparse tensors are not supported");
        return items;
    }
    any_value value(const MapProto& m) {
        const any_value contents = value(m.values());
        const sequence& values = *contents.as_sequence();
        if (std::size_t(m.keys_size() + m.string_keys_size()) != values.size())
            refuse(error_code::invalid_model, "the map has " + std::to_string(m.keys_size() + m.string_keys_size()) +
                                                  " keys and " + std::to_string(values.size()) + " values");
        map entries;
        std::size_t k = 0;
        for (auto key : m.keys()) entries[int64_t(key)] = values[k++];
        for (auto& key : m.string_keys()) entries[std::string(key)] = values[k++];
        return entries;
    }
    any_value value(const OptionalProto& o) {
        if (o.has_tensor_value()) return optional_value{value(o.tensor_value())};
        if (o.has_sequence_value()) return optional_value{value(o.sequence_value())};
        if (o.has_map_value()) return optional_value{value(o.map_value())};
        if (o.has_optional_value()) return optional_value{value(o.optional_value())};
        if (o.has_sparse_tensor_value()) refuse(error_code::unsupported_model, "sparse tensors are not supported");
        return optional_value{};
    }
};

template <class Message> any_value read(const file_bytes& f, const limits& l) {
    const auto m = new_message<Message>();
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(f.data.data()), int(f.data.size()));
    if (f.data.size() > INT_MAX || !m->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage())
        refuse(error_code::invalid_argument, "no " + m->GetTypeName() + ", or a truncated or corrupt one (" +
                                                 std::to_string(f.data.size()) + " bytes)");
    return reader(l, m).value(*m);
}

void write(TensorProto& p, const tensor& t) { to_proto(t, p); }
// The kind of a value, numbered alike in SequenceProto and OptionalProto.
int kind_of(const any_value& v) {
    static_assert(int(SequenceProto::TENSOR) == int(OptionalProto::TENSOR) &&
                  int(SequenceProto::SEQUENCE) == int(OptionalProto::SEQUENCE) &&
                  int(SequenceProto::MAP) == int(OptionalProto::MAP));
    return v.as_tensor()     ? SequenceProto::TENSOR
           : v.as_sequence() ? SequenceProto::SEQUENCE
           : v.as_map()      ? SequenceProto::MAP
                             : SequenceProto::OPTIONAL;
}
void write(SequenceProto& p, const sequence& s);
void write(MapProto& p, const map& m) {
    p.set_key_type(m.empty() || m.begin()->first.index() == 0 ? TensorProto::INT64 : TensorProto::STRING);
    sequence values;
    for (auto& [key, v] : m) {
        if (auto* number = std::get_if<0>(&key))
            p.add_keys(*number);
        else
            p.add_string_keys(std::get<1>(key));
        values.push_back(v);
    }
    if (p.keys_size() && p.string_keys_size())
        refuse(error_code::invalid_argument, "a map has integers and strings as keys");
    write(*p.mutable_values(), values);
}
void write(OptionalProto& p, const optional_value& o) {
    p.set_elem_type(o.contents ? kind_of(*o.contents) : int(OptionalProto::UNDEFINED));
    if (!o.contents) return;
    if (auto* t = o.contents->as_tensor())
        write(*p.mutable_tensor_value(), *t);
    else if (auto* s = o.contents->as_sequence())
        write(*p.mutable_sequence_value(), *s);
    else if (auto* m = o.contents->as_map())
        write(*p.mutable_map_value(), *m);
    else
        write(*p.mutable_optional_value(), *o.contents->as_optional());
}
void write(SequenceProto& p, const sequence& s) {
    p.set_elem_type(s.empty() ? int(SequenceProto::TENSOR) : kind_of(s[0]));
    for (const any_value& v : s) {
        if (kind_of(v) != p.elem_type())
            refuse(error_code::invalid_argument, "a sequence holds values of several kinds");
        if (auto* t = v.as_tensor())
            write(*p.add_tensor_values(), *t);
        else if (auto* q = v.as_sequence())
            write(*p.add_sequence_values(), *q);
        else if (auto* m = v.as_map())
            write(*p.add_map_values(), *m);
        else
            write(*p.add_optional_values(), *v.as_optional());
    }
}
// Consumes a message piece by piece, so that its bytes are not in memory twice. Protobuf lets no exception
// through.
struct message_pieces : google::protobuf::io::CopyingOutputStream {
    output_file& file;
    std::exception_ptr problem{};
    explicit message_pieces(output_file& f) : file(f) {}
    bool Write(const void* piece, int size) override try {
        file.write({static_cast<const std::byte*>(piece), std::size_t(size)});
        return true;
    } catch (...) {
        problem = std::current_exception();
        return false;
    }
};
void write_message(const std::filesystem::path& file, const google::protobuf::MessageLite& message) {
    if (message.ByteSizeLong() > INT_MAX)
        refuse(error_code::limit_exceeded, "the value is larger than a protobuf message may be, 2 GiB");
    output_file out(file);
    message_pieces pieces(out);
    google::protobuf::io::CopyingOutputStreamAdaptor stream(&pieces);
    const bool written = message.SerializeToZeroCopyStream(&stream) && stream.Flush();
    if (pieces.problem) std::rethrow_exception(pieces.problem);
    if (!written) refuse(error_code::invalid_argument, "the value cannot be written as a protobuf message");
    out.finish();
}
}  // namespace
}  // namespace loading

result<any_value> read_pb(const std::filesystem::path& file, value_kind kind, const limits& l) {
    return loading::guarded<any_value>(loading::error_place{"inlay::read_pb", &file}, [&] {
        const loading::file_bytes f = loading::map_file(file, l.file_bytes);
        return kind == value_kind::tensor     ? loading::read<::onnx::TensorProto>(f, l)
               : kind == value_kind::sequence ? loading::read<::onnx::SequenceProto>(f, l)
               : kind == value_kind::map      ? loading::read<::onnx::MapProto>(f, l)
                                              : loading::read<::onnx::OptionalProto>(f, l);
    });
}

result<void> write_pb(const std::filesystem::path& file, const any_value& v, std::string_view name) {
    const auto save = [&](const auto& message, const auto& part) {
        loading::write(*message, part);
        message->set_name(std::string(name));
        loading::write_message(file, *message);
        return true;
    };
    const auto outcome = loading::guarded<bool>(loading::error_place{"inlay::write_pb", &file}, [&] {
        if (auto* t = v.as_tensor()) return save(loading::new_message<::onnx::TensorProto>(), *t);
        if (auto* s = v.as_sequence()) return save(loading::new_message<::onnx::SequenceProto>(), *s);
        if (auto* m = v.as_map()) return save(loading::new_message<::onnx::MapProto>(), *m);
        return save(loading::new_message<::onnx::OptionalProto>(), *v.as_optional());
    });
    return outcome ? result<void>() : result<void>(outcome.why());
}
}  // namespace v1
}  // namespace inlay
