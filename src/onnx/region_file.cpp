#include "attributes.hpp"
#include "proto.hpp"
#include "schemas.hpp"
#include <inlay/sdk/region_file.hpp>
#include <climits>

namespace inlay {
inline namespace v1 {
namespace {
using loading::refuse;

class region_writer {
    const region& r_;
    const elements_in in_;
    std::shared_ptr<::onnx::ModelProto> message_ = loading::new_message<::onnx::ModelProto>();
    ::onnx::ModelProto& m_ = *message_;
    ::onnx::GraphProto& g_ = *m_.mutable_graph();
    std::vector<std::string> names_;  // by value; empty until one is needed
    int inner_ = 0;

    const value& at(int id) const { return r_.graph.values[std::size_t(id)]; }
    void declare(const std::string& name, int id, ::onnx::ValueInfoProto& p) {
        p.set_name(name);
        loading::to_proto(r_.graph.type_of(id), *p.mutable_type());
    }
    // Elements that the graph itself has; false if it has none, or this type is not written so.
    bool write_elements(const value& v, ::onnx::TensorProto& t) const {
        const auto write = [&](contents kind, const auto& pool, auto& to) {
            if (v.kind != kind) return false;
            const auto list = pool.subspan(std::size_t(v.list.first), std::size_t(v.list.count));
            to.Add(list.begin(), list.end());
            return true;
        };
        switch (v.type) {
            case element::i64: return write(contents::integers, r_.graph.integers, *t.mutable_int64_data());
            case element::i32:
            case element::i16:
            case element::i8:
            case element::u16:
            case element::u8:
            case element::boolean: return write(contents::integers, r_.graph.integers, *t.mutable_int32_data());
            case element::f32: return write(contents::reals, r_.graph.reals, *t.mutable_float_data());
            case element::f64: return write(contents::reals, r_.graph.reals, *t.mutable_double_data());
            default: return false;
        }
    }
    bool stays_in_memory(int id) const {
        constexpr std::int64_t smallest = 1024;
        return in_ == elements_in::memory && bits_of(at(id).type) >= 8 && at(id).type != element::string &&
               bytes_of(at(id).type, at(id).dims.elements()) >= smallest;
    }
    void refer_to(int id, ::onnx::TensorProto& t) const {
        t.set_data_type(int(at(id).type));
        for (std::int64_t d : at(id).dims) t.add_dims(d);
        t.set_data_location(::onnx::TensorProto::EXTERNAL);
        const auto add = [&](const char* key, std::string text) {
            auto* entry = t.add_external_data();
            entry->set_key(key);
            entry->set_value(std::move(text));
        };
        add("location", "*/_ORT_MEM_ADDR_/*");
        add("offset", std::to_string(reinterpret_cast<std::uintptr_t>(r_.constant(id))));
        add("length", std::to_string(bytes_of(at(id).type, at(id).dims.elements())));
    }
    void write_tensor(int id, ::onnx::TensorProto& t) const {
        loading::to_proto(tensor::borrow(at(id).type, at(id).dims, r_.constant(id)), t);
    }
    std::string constant(int id) {
        std::string name = "c" + std::to_string(id);  // by which with_elements() of lowering finds it
        if (r_.constant(id)) {
            auto* t = g_.add_initializer();
            if (stays_in_memory(id))
                refer_to(id, *t);
            else
                write_tensor(id, *t);
            t->set_name(name);
            return name;
        }
        ::onnx::TensorProto& t = *g_.add_initializer();
        t.set_name(name);
        t.set_data_type(int(at(id).type));
        for (std::int64_t d : at(id).dims) t.add_dims(d);
        if (write_elements(at(id), t)) return name;
        g_.mutable_initializer()->RemoveLast();
        declare(name, id, *g_.add_input());
        return name;
    }
    std::string name(int id) {
        if (id < 0) return {};
        std::string& n = names_[std::size_t(id)];
        if (n.empty()) n = at(id).is_constant() ? constant(id) : "v" + std::to_string(inner_++);
        return n;
    }
    void write(const node& n, ::onnx::NodeProto& p) {
        p.set_name(std::string(n.name));
        p.set_domain(std::string(n.domain));
        p.set_op_type(std::string(n.op));
        for (int id : r_.graph.list(n.inputs)) p.add_input(name(id));
        for (int id : r_.graph.list(n.outputs)) p.add_output(name(id));
        for (const attribute& a :
             r_.graph.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count))) {
            auto& to = *p.add_attribute();
            if (loading::to_proto(a, {r_.graph.integers, r_.graph.reals, r_.graph.texts}, to)) continue;
            if (a.kind != attribute_kind::tensor || !r_.constant(int(a.integer)))
                refuse(error_code::unsupported_model, "attribute `" + std::string(a.name) + "` of " +
                                                          loading::text_of(p) + " cannot be written for an engine");
            to.set_type(::onnx::AttributeProto::TENSOR);
            write_tensor(int(a.integer), *to.mutable_t());
        }
    }
    // One per domain, in which each node has its version.
    void write_opsets() {
        std::map<std::string, int> opsets;
        for (int i : r_.nodes) {
            const node& n = r_.graph.nodes[std::size_t(i)];
            int& version = opsets[std::string(n.domain)];
            version = std::max(version, n.version);
        }
        for (int i : r_.nodes) {
            const node& n = r_.graph.nodes[std::size_t(i)];
            const int opset = opsets[std::string(n.domain)];
            const auto* schema = loading::find_schema(std::string(n.op), opset, std::string(n.domain));
            if (schema && schema->SinceVersion() != n.version && !loading::same_in_versions(n, opset))
                refuse(error_code::unsupported_model, "`" + std::string(n.name) + "` (" + std::string(n.op) +
                                                          ") is of version " + std::to_string(n.version) +
                                                          ", other nodes are of opset " + std::to_string(opset));
        }
        for (const auto& [domain, version] : opsets) {
            auto* o = m_.add_opset_import();
            o->set_domain(domain);
            o->set_version(version);
        }
    }

  public:
    region_writer(const region& r, elements_in in) : r_(r), in_(in), names_(r.graph.values.size()) {}
    std::string run() {
        m_.set_ir_version(10);
        g_.set_name("region");
        for (std::size_t k = 0; k < r_.inputs.size(); ++k)
            declare(names_[std::size_t(r_.inputs[k])] = "i" + std::to_string(k), r_.inputs[k], *g_.add_input());
        for (std::size_t k = 0; k < r_.outputs.size(); ++k)
            declare(names_[std::size_t(r_.outputs[k])] = "o" + std::to_string(k), r_.outputs[k], *g_.add_output());
        for (int i : r_.nodes)  // their constant results, where the region dequantizes them, are ordinary values
            for (int id : r_.graph.list(r_.graph.nodes[std::size_t(i)].outputs))
                if (id >= 0 && names_[std::size_t(id)].empty())
                    names_[std::size_t(id)] = "v" + std::to_string(inner_++);
        for (int i : r_.nodes) write(r_.graph.nodes[std::size_t(i)], *g_.add_node());
        write_opsets();
        if (m_.ByteSizeLong() > INT_MAX)
            refuse(error_code::limit_exceeded, "the region is larger than a protobuf message may be, 2 GiB");
        return m_.SerializeAsString();
    }
};
}  // namespace

result<std::string> to_onnx(const region& r, elements_in in) {
    return loading::guarded<std::string>(loading::error_place{"inlay: a region as ONNX"},
                                         [&]() -> result<std::string> { return region_writer(r, in).run(); });
}
}  // namespace v1
}  // namespace inlay
