// Creates schemas and keeps them for the life of the program.
#include "schemas.hpp"
#include <array>
#include <map>
#include <mutex>
#include <ranges>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::OpSchema;

class registry final : public ::onnx::ISchemaRegistry {
    mutable std::mutex mutex_;
    mutable std::map<const schema_maker*, OpSchema> schemas_;

    const OpSchema& schema_of(const schema_maker& m) const {
        const std::lock_guard lock(mutex_);
        if (const auto it = schemas_.find(&m); it != schemas_.end()) return it->second;
        const auto entry = schemas_.emplace(&m, m.make()).first;
        try {
            entry->second.Finalize();
        } catch (...) {  // of the heap: a partial schema would be wrong for the life of the program
            schemas_.erase(entry);
            throw;
        }
        return entry->second;
    }

  public:
    const OpSchema* GetSchema(const std::string& op, int newest, const std::string& domain) const override {
        const auto versions = std::ranges::equal_range(domain == "com.microsoft" ? own_schema_makers : schema_makers,
                                                       std::string_view(op), {}, &schema_maker::name);
        for (const schema_maker& m : std::views::reverse(versions))
            if (m.version <= newest)
                if (const auto& s = schema_of(m); s.domain() == domain) return &s;
        for (const int first : {first_version(op, domain), written_version(op, domain)})
            if (first > newest) return GetSchema(op, first, domain);
        return nullptr;
    }
};
}  // namespace

int first_version(std::string_view op, std::string_view domain) {
    if (!domain.empty()) return 0;
    constexpr std::pair<std::string_view, int> table[] = {{"LayerNormalization", 17},
                                                          {"MeanVarianceNormalization", 9},
                                                          {"RMSNormalization", 23},
                                                          {"ThresholdedRelu", 10}};
    const auto* entry = std::ranges::find(table, op, &std::pair<std::string_view, int>::first);
    return entry == std::end(table) ? 0 : entry->second;
}
int written_version(std::string_view op, std::string_view domain) {
    constexpr std::pair<std::string_view, int> table[] = {
        {"CastLike", 15}, {"Celu", 12},  {"GatherND", 11}, {"HardSwish", 14},
        {"Range", 11},    {"Trilu", 14}, {"Unique", 11},
    };
    const auto* entry = std::ranges::find(table, op, &std::pair<std::string_view, int>::first);
    return domain.empty() && entry != std::end(table) ? entry->second : 0;
}
const ::onnx::ISchemaRegistry& schemas() {
    static const registry instance;
    return instance;
}
const ::onnx::OpSchema* schema_of(const ::onnx::NodeProto& n, int opset) {
    const bool dynamic_slice = n.op_type() == "Slice" && n.domain().empty() && n.input_size() > 1;
    return find_schema(n.op_type(), dynamic_slice ? std::max(opset, 10) : opset, n.domain());
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
