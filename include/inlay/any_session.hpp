// A session whose providers are chosen by name at run time, from the types that the program was built with.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "provider/reference.hpp"
#include "session.hpp"

namespace inlay {
inline namespace v1 {
struct provider_factory;
struct provider_choice {
    std::string name;       // "CPUExecutionProvider", "cpu", "CPU"
    option_list options{};  // as text: {{"threads", "2"}}
    // Not null: this provider, independent of the program's provider types. inlay::plugin returns such choices.
    std::shared_ptr<const provider_factory> factory{};
    provider_choice(const char* n) : name(n) {}
    provider_choice(std::string n, option_list o = {}) : name(std::move(n)), options(std::move(o)) {}
};

// A provider type by name.
struct provider_factory {
    std::string_view name;
    provider_status status;
    option_list (*defaults_of)(const void* object);
    result<provider_handle> (*make_of)(const void* object, const option_list&);
    std::string_view plan_only{};   // not empty: why the program can plan for it but not run it
    std::string_view short_name{};  // an alias of `name`, where it has one
    const void* object = nullptr;   // of a provider that is no type of the program
    provider_check checked_on = provider_check::unstated;

    option_list defaults() const { return defaults_of(object); }
    result<provider_handle> make(const option_list& options) const { return make_of(object, options); }
};
// F, a lambda without captures, creates the handle of a provider that has its options.
template <provider P, class F> constexpr provider_factory make_factory(F, std::string_view plan_only = {}) {
    return {P::name,
            status_of<P>(),
            [](const void*) { return options_of(P{}); },
            [](const void*, const option_list& options) -> result<provider_handle> {
                P p{};
                for (const auto& [name, text] : options)
                    if (auto outcome = set_option(p, name, text); !outcome) return outcome.why();
                return F{}(p);
            },
            plan_only,
            short_name_of<P>(),
            nullptr,
            check_of<P>()};
}
template <provider P> constexpr provider_factory factory_of() {
    return make_factory<P>([](const P& p) { return make_handle(p); });
}
// "cpu", "CPU", "CpuExecutionProvider" and "CPUExecutionProvider" name the same.
bool names_provider(std::string_view text, std::string_view name);
// The one that is named so, by its long name or its short one; null: there is none.
const provider_factory* find_factory(std::span<const provider_factory>, std::string_view name);
result<std::vector<provider_handle>> make_handles(std::span<const provider_factory> built_in,
                                                  std::span<const provider_choice> list);

// The providers that names may refer to over these types: `any_session(model, list, {}, factories_of<mine, cpu>)`.
template <provider... Ps>
inline constexpr std::array<provider_factory, sizeof...(Ps)> factories_of{factory_of<Ps>()...};

// The order of the choices is the priority; an empty list is the CPU.
class any_session : public session_base {
    session_options options_;
    std::span<const provider_factory> available_;

  public:
    // `available`: what the names may refer to; it outlives the session. Errors are raised: unknown_provider,
    // unknown_option, invalid_option, and what the providers and the partition report.
    explicit any_session(inlay::model, std::vector<provider_choice> list = {}, session_options = {},
                         std::span<const provider_factory> available = factories_of<cpu, reference>);
    any_session(inlay::model m, session_options o, std::vector<provider_choice> list = {})
        : any_session(std::move(m), std::move(list), std::move(o)) {}
    // Recreates the session from the same loaded model; its previous state is released. On an error the session is
    // unchanged.
    void set_providers(std::vector<provider_choice> list);
    template <std::convertible_to<provider_choice> One> void set_providers(const One& choice) {
        set_providers(std::vector<provider_choice>{choice});
    }
    const session_options& options() const { return options_; }
    std::span<const provider_factory> available() const { return available_; }
};
std::vector<std::string> available_providers();
// Why a session that names the provider, without options, cannot use it: its library is missing, or it is planned
// for only. Empty: it can.
std::string why_unusable(const provider_factory&);
}  // namespace v1
}  // namespace inlay
