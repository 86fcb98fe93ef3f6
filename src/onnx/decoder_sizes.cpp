// Encoders and decoders of operators that generate texts, whose inputs give different sizes the same name: ONNX
// Runtime ignores the names there. Inputs as generation_run.cpp and generation_encoder.cpp pass them.
#include "assume.hpp"
#include <inlay/onnx/control_flow.hpp>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::GraphProto;
using ::onnx::NodeProto;

// What an axis counts: the number of a role, or, from `alone` on, a size that no other axis has.
namespace role {
constexpr int rows = 0, tokens = 1, past = 2, total = 3, source = 4, alone = 5;
}
int alone(int input, int axis) { return role::alone + 16 * input + axis; }

class body_sizes {
    GraphProto& g_;
    bool encodes_, hears_, encoder_;
    std::vector<int> pasts_{};  // of an encoder's decoder: before its states, and before those, those of its own

    auto& dims(int k) const {
        return *g_.mutable_input(k)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
    }
    int rank(int k) const { return g_.input(k).type().tensor_type().shape().dim_size(); }
    int role_in_encoder(int k, int axis) const {
        if (axis == 0) return role::rows;
        return !hears_ && k < 2 ? role::source : alone(k, axis);
    }
    int role_beside_encoder(int k, int axis) const {
        if (axis == 0) return role::rows;
        const auto at = std::ranges::find(pasts_, k);
        if (at != pasts_.end() && axis == 2)
            return at - pasts_.begin() < std::ssize(pasts_) / 2 ? role::past : role::source;
        if (at != pasts_.end() || axis > 1) return alone(k, axis);
        return k == 0 ? role::tokens : role::source;
    }
    int role_in_decoder(int k, int axis) const {
        if (k < 3) return axis == 0 ? role::rows : k < 2 ? role::tokens : role::total;
        return axis == 1 ? role::rows : axis == 3 ? role::past : alone(k, axis);
    }
    int role_of(int k, int axis) const {
        return encoder_ ? role_in_encoder(k, axis) : encodes_ ? role_beside_encoder(k, axis) : role_in_decoder(k, axis);
    }

  public:
    body_sizes(GraphProto& g, bool encodes, bool hears, bool encoder)
        : g_(g), encodes_(encodes), hears_(hears), encoder_(encoder) {
        for (int k = 1; k < g.input_size(); ++k)
            if (rank(k) == 4) pasts_.push_back(k);
    }
    // Removes the names of different sizes; a name that was removed, or none.
    std::string separate() const {
        std::map<std::string, int> roles;
        std::string name;
        std::set<std::string> ambiguous;
        const auto for_each_axis = [&](auto f) {
            for (int k = 0; k < g_.input_size(); ++k)
                for (int axis = 0; axis < rank(k); ++axis)
                    if (const std::string& param = dims(k)[axis].dim_param(); !param.empty()) f(param, k, axis);
        };
        for_each_axis([&](const std::string& param, int k, int axis) {
            if (const int role = role_of(k, axis); roles.try_emplace(param, role).first->second != role)
                ambiguous.insert(param);
        });
        for_each_axis([&](const std::string& param, int k, int axis) {
            if (!ambiguous.contains(param)) return;
            name = param;
            dims(k)[axis].clear_value();
        });
        return name;
    }
};
}  // namespace

void separate_sizes(NodeProto& n, assumptions& a) {
    if (!is_generation(n.domain(), n.op_type())) return;
    std::int64_t type = 0;
    for (auto& attribute : n.attribute())
        if (attribute.name() == "model_type") type = attribute.i();
    const bool hears = type == 2 || n.op_type() == op::whisper_beam_search::onnx_name;
    for (auto& attribute : *n.mutable_attribute()) {
        if (!attribute.has_g()) continue;
        const bool encoder = attribute.name() == "encoder";
        const body_sizes sizes(*attribute.mutable_g(), type != 0 || hears, hears, encoder);
        if (const std::string name = sizes.separate(); !name.empty())
            a.add("names different sizes of its " + std::string(encoder ? "encoder" : "decoder") + "'s inputs `" +
                      one_line(name) + "`",
                  "each is a size of its own", text_of(n));
    }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
