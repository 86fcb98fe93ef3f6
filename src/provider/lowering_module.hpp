// Modules of engines over src/lowering: a region is lowered in the program, and the module gets its primitives.
#pragma once
#include "engine_module.hpp"
#include <lowering/region_engine.hpp>

namespace inlay {
inline namespace v1 {
struct lowered_region {
    const region& of;  // which constants are of
    std::vector<lowering::operand> arguments{}, results{};
    std::vector<lowering::primitive> primitives{};
};
using lowering_module = module_of<lowered_region>;

// In a module: what the writer, which is as those of backends are, makes of the region.
template <const lowering::rule_set& Rules, class Writer> auto write_region(const lowered_region& r, Writer writer) {
    for (const auto& x : r.arguments) writer.argument(x);
    for (const auto& p : r.primitives) lowering::write_to<Rules>(writer, p);
    for (const auto& y : r.results) writer.result(y);
    return writer.finish();
}

// What f returns, or why it returns nothing: no exception leaves a module.
using lowering::region_result;
template <class Result, class F> Result caught_result(error_code code, F f) try {
    return lowering::result_of(code, [&]() -> Result { return f(); });
} catch (const std::exception& e) {
    return error(code, one_line(e.what()));
}
template <class F> std::string refusal_of(F f) try {
    f();
    return {};
} catch (const refused_node& r) {
    return r.reason;
} catch (const std::exception& e) {
    return e.what();
}

// In the program: a backend of region_engine.
template <const lowering::rule_set& Rules> struct module_backend {
    static constexpr const lowering::rule_set& rules = Rules;
    std::shared_ptr<const lowering_module> module;
    std::string version;  // of the library

    class writer {
        const lowering_module& module_;
        lowering::purpose purpose_;
        lowered_region out_;

      public:
        writer(const module_backend& b, const region& r, lowering::purpose purpose)
            : module_(*b.module), purpose_(purpose), out_{r} {}
        void argument(const lowering::operand& x) { out_.arguments.push_back(x); }
        void result(const lowering::operand& y) { out_.results.push_back(y); }
        void write(const lowering::primitive& p) { out_.primitives.push_back(p); }
        lowered_region finish() {
            if (purpose_ == lowering::purpose::use) return std::move(out_);
            if (std::string reason = module_.refusal(out_); !reason.empty()) refuse(std::move(reason));
            return std::move(out_);
        }
    };
    lowering::target aim() const { return {&Rules, version}; }
    auto compile(const lowered_region& r) const { return module->compile(r); }
    auto restore(const region& r, std::string_view bytes) const { return module->restore(r, bytes); }
    std::vector<std::pair<std::string, std::string>> identity() const { return module->identity(); }
};
template <const lowering::rule_set& Rules>
std::shared_ptr<engine> engine_over(std::shared_ptr<const lowering_module> module, std::string_view version) {
    return std::make_shared<lowering::region_engine<module_backend<Rules>>>(
        module_backend<Rules>{std::move(module), std::string(version)});
}
}  // namespace v1
}  // namespace inlay
