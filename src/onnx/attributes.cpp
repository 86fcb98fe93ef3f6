#include "attributes.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::AttributeProto;

bool to_proto(const attribute& a, const attribute_lists& lists, AttributeProto& p) {
    p.set_name(std::string(a.name));
    const auto list = [&](const auto& pool) {
        return pool.subspan(std::size_t(a.list.first), std::size_t(a.list.count));
    };
    switch (a.kind) {
        case attribute_kind::integer:
            p.set_type(AttributeProto::INT);
            p.set_i(a.integer);
            return true;
        case attribute_kind::real:
            p.set_type(AttributeProto::FLOAT);
            p.set_f(float(a.real));
            return true;
        case attribute_kind::text:
            p.set_type(AttributeProto::STRING);
            p.set_s(std::string(a.text));
            return true;
        case attribute_kind::integers:
            p.set_type(AttributeProto::INTS);
            for (std::int64_t x : list(lists.integers)) p.add_ints(x);
            return true;
        case attribute_kind::reals:
            p.set_type(AttributeProto::FLOATS);
            for (double x : list(lists.reals)) p.add_floats(float(x));
            return true;
        case attribute_kind::texts:
            p.set_type(AttributeProto::STRINGS);
            for (std::string_view x : list(lists.texts)) p.add_strings(std::string(x));
            return true;
        case attribute_kind::tensor:
        case attribute_kind::graph: return false;
    }
    return false;
}
bool same_in_versions(const node& n, int opset) {
    return n.domain.empty() && (n.op == "MatMul" || (n.op == "Add" && opset >= 7));
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
