// Makes schemas and keeps them as long as the program runs.
#include "schemas.hpp"
#include <map>
#include <mutex>
#include <ranges>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
class registry final : public ::onnx::ISchemaRegistry {
    mutable std::mutex mutex_;
    mutable std::map<const schema_maker*, ::onnx::OpSchema> made_;

    const ::onnx::OpSchema& made(const schema_maker& m) const {
        const std::lock_guard lock(mutex_);
        if (const auto it = made_.find(&m); it != made_.end()) return it->second;
        ::onnx::OpSchema s = m.make();
        s.Finalize();
        return made_.emplace(&m, std::move(s)).first->second;
    }

  public:
    const ::onnx::OpSchema* GetSchema(const std::string& op, int newest, const std::string& domain) const override {
        for (const schema_maker& m : std::views::reverse(
                 std::ranges::equal_range(schema_makers, std::string_view(op), {}, &schema_maker::name)))
            if (m.version <= newest)
                if (const auto& s = made(m); s.domain() == domain) return &s;
        return nullptr;
    }
};
}  // namespace

const ::onnx::ISchemaRegistry& schemas() {
    static const registry all;
    return all;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
