// Lists of providers.
#include "handles.hpp"
#include <inlay/plugin.hpp>

namespace inlay::c {
namespace {
void check(const provider_choice& c) {  // its name and options, without opening anything
    (void)make_handles(built_providers(), std::span(&c, 1)).value_or_raise();
}
const provider_choice* choice_at(const inlay_providers* list, std::int64_t index) {
    const bool in_range = list && index >= 0 && std::size_t(index) < list->list.size();
    return in_range ? &list->list[std::size_t(index)] : nullptr;
}
const provider_factory* factory_at(const inlay_providers* list, std::int64_t index) {
    const provider_choice* const c = choice_at(list, index);
    if (!c) return nullptr;
    return c->factory ? c->factory.get() : find_factory(built_providers(), c->name);
}
const std::pair<std::string, std::string>* option_at(const inlay_providers* list, std::int64_t index,
                                                     std::int64_t option) {
    const provider_choice* const c = choice_at(list, index);
    const bool in_range = c && option >= 0 && std::size_t(option) < c->options.size();
    return in_range ? &c->options[std::size_t(option)] : nullptr;
}
}  // namespace
}  // namespace inlay::c
using namespace inlay::c;
using inlay::raise;

inlay_failure* inlay_providers_new(inlay_providers** list) {
    return guarded([&] {
        given(list, "list");
        *list = new inlay_providers{};
    });
}
inlay_failure* inlay_providers_built(inlay_providers** list) {
    return guarded([&] {
        given(list, "list");
        auto providers = std::make_unique<inlay_providers>();
        for (const inlay::provider_factory& f : inlay::built_providers())
            providers->list.emplace_back(std::string(f.name), f.defaults());
        *list = providers.release();
    });
}
inlay_failure* inlay_providers_add(inlay_providers* list, const char* name) {
    return guarded([&] {
        inlay_providers& providers = given(list, "list");
        inlay::provider_choice choice(text_given(name, "name"));
        check(choice);
        providers.list.push_back(std::move(choice));
    });
}
inlay_failure* inlay_providers_add_plugin(inlay_providers* list, const char* path) {
    return guarded([&] {
        inlay_providers& providers = given(list, "list");
        providers.list.push_back(inlay::plugin(text_given(path, "path")));
    });
}
inlay_failure* inlay_providers_set(inlay_providers* list, const char* option, const char* text) {
    return guarded([&] {
        inlay_providers& providers = given(list, "list");
        (void)text_given(option, "option");
        (void)text_given(text, "text");
        if (providers.list.empty())
            raise({inlay::error_code::invalid_argument,
                   std::string("inlay: the list is empty, so that nothing has an option `") + option +
                       "`; add a provider first"});
        inlay::provider_choice changed = providers.list.back();
        std::erase_if(changed.options, [&](const auto& entry) { return entry.first == option; });
        changed.options.emplace_back(option, text);
        check(changed);
        providers.list.back() = std::move(changed);
    });
}
std::int64_t inlay_providers_count(const inlay_providers* list) { return list ? std::int64_t(list->list.size()) : -1; }
const char* inlay_providers_name(const inlay_providers* list, std::int64_t index) {
    const inlay::provider_choice* const c = choice_at(list, index);
    return c ? c->name.c_str() : nullptr;
}
const char* inlay_providers_status(const inlay_providers* list, std::int64_t index) {
    const inlay::provider_factory* const f = factory_at(list, index);
    return f ? name_of(f->status).data() : nullptr;
}
const char* inlay_providers_checked_on(const inlay_providers* list, std::int64_t index) {
    const inlay::provider_factory* const f = factory_at(list, index);
    return f ? name_of(f->checked_on).data() : nullptr;
}
std::int64_t inlay_providers_option_count(const inlay_providers* list, std::int64_t index) {
    const inlay::provider_choice* const c = choice_at(list, index);
    return c ? std::int64_t(c->options.size()) : -1;
}
const char* inlay_providers_option_name(const inlay_providers* list, std::int64_t index, std::int64_t option) {
    const auto* const entry = option_at(list, index, option);
    return entry ? entry->first.c_str() : nullptr;
}
const char* inlay_providers_option_text(const inlay_providers* list, std::int64_t index, std::int64_t option) {
    const auto* const entry = option_at(list, index, option);
    return entry ? entry->second.c_str() : nullptr;
}
void inlay_providers_free(inlay_providers* list) { delete list; }
