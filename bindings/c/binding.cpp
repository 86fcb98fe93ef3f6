// Bindings, and caches of decoders.
#include "handles.hpp"
#include "report/json_writer.hpp"
#include <inlay/report_json.hpp>
#include <inlay/sdk/status_error.hpp>

namespace inlay::c {
namespace {
// f(its state), while no other thread uses it.
template <class F> inlay_failure* with_binding(inlay_binding* b, F f) {
    return guarded([&] {
        inlay_binding::shared& state = *given(b, "binding").state;
        const taken hold = take(state.use, "binding");
        f(state);
    });
}
template <class F> inlay_failure* with_cache(inlay_cache* c, F f) {
    return guarded([&] {
        inlay_cache& handle = given(c, "cache");
        const taken hold = take(handle.use, "cache");
        f(handle.cache);
    });
}
template <class F> std::int64_t number_of(const inlay_cache* c, F f) {  // -1 where another thread uses it
    if (!c || !c->use.take()) return -1;
    const std::int64_t n = f(c->cache);
    c->use.give_back();
    return n;
}
// A tensor in memory of the binding, which stays as long as the value does.
any_value kept_value(const inlay_binding& b, tensor t) {
    struct owner {
        std::shared_ptr<inlay_binding::shared> state;
        tensor memory;
    };
    auto keep = std::make_shared<owner>(owner{b.state, std::move(t)});
    const tensor& m = keep->memory;
    return tensor::borrow(m.type(), m.shape(), m.data(), m.where(), keep);
}
using values = std::map<std::string, any_value>;
const any_value* set_value(const values& entries, const char* name) {
    const auto entry = entries.find(name);
    return entry == entries.end() || !*entry->second.as_tensor() ? nullptr : &entry->second;
}
// set(memory of the value), which then is stored under the name.
template <class F> void keep_set(values& entries, const char* name, const inlay_any_value* value, F set) {
    const tensor& t = tensor_given(value, "tensor");
    any_value& place = entries[text_given(name, "name")];
    any_value copy = value->value;
    set(tensor::borrow(t.type(), t.shape(), t.data(), t.where()));
    place = std::move(copy);
}
}  // namespace
}  // namespace inlay::c
using namespace inlay::c;
using inlay::raise;

inlay_failure* inlay_binding_input(inlay_binding* binding, const char* name, inlay_any_value** value) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        given(value, "value");
        const inlay::any_value* const set = set_value(b.inputs, text_given(name, "name"));
        *value = new inlay_any_value{set ? *set : inlay::tensor(b.bound.input(name))};
    });
}
inlay_failure* inlay_binding_output(inlay_binding* binding, const char* name, inlay_any_value** value) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        given(value, "value");
        const inlay::any_value* const set = set_value(b.outputs, text_given(name, "name"));
        *value = new inlay_any_value{set ? *set : kept_value(*binding, b.bound.output(name))};
    });
}
inlay_failure* inlay_binding_set_input(inlay_binding* binding, const char* name, const inlay_any_value* tensor) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        keep_set(b.inputs, name, tensor, [&](const inlay::tensor& t) { b.bound.set_input(name, t); });
    });
}
inlay_failure* inlay_binding_set_output(inlay_binding* binding, const char* name, const inlay_any_value* tensor) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        keep_set(b.outputs, name, tensor, [&](const inlay::tensor& t) { b.bound.set_output(name, t); });
    });
}
inlay_failure* inlay_binding_set_output_memory(inlay_binding* binding, const char* name, const char* memory) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        b.bound.set_output(text_given(name, "name"), memory_given(text_given(memory, "memory")));
        b.outputs.erase(name);
    });
}
inlay_failure* inlay_binding_run(inlay_binding* binding, const inlay_options* options) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        const inlay::status s = b.bound.run(run_options_of(options));
        if (s != inlay::status::ok)
            raise({inlay::code_of(s), "inlay: " + std::string(b.bound.why().empty() ? name_of(s) : b.bound.why())});
    });
}
inlay_failure* inlay_binding_executed(inlay_binding* binding, const char* provider, std::int64_t* nodes) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        given(nodes, "nodes");
        const std::string_view name = text_given(provider, "provider");
        std::string names;
        for (const inlay::provider_count& count : b.bound.executed()) {
            if (count.provider == name) {
                *nodes = count.nodes;
                return;
            }
            names += " " + count.provider;
        }
        raise({inlay::error_code::not_found,
               "inlay: the binding has no provider `" + std::string(name) + "`; it has:" + names});
    });
}
inlay_failure* inlay_binding_profile(inlay_binding* binding, std::int32_t runs, const inlay_options* options,
                                     char** json) {
    return with_binding(binding, [&](inlay_binding::shared& b) {
        given(json, "json");
        *json = text_to_free(json_of(b.bound.profile(runs, run_options_of(options))));
    });
}
void inlay_binding_free(inlay_binding* binding) {
    if (!binding) return;
    binding->state->inputs.clear();
    binding->state->outputs.clear();
    delete binding;
}

std::int64_t inlay_cache_rows(const inlay_cache* cache) {
    return number_of(cache, [](const inlay::kv_cache& c) { return c.rows(); });
}
std::int64_t inlay_cache_room(const inlay_cache* cache) {
    return number_of(cache, [](const inlay::kv_cache& c) { return c.room(); });
}
inlay_failure* inlay_cache_keep(inlay_cache* cache, std::int64_t rows) {
    return with_cache(cache, [&](inlay::kv_cache& c) { c.keep(rows); });
}
inlay_failure* inlay_cache_assign(inlay_cache* cache, const char* const* names, inlay_any_value* const* pasts,
                                  std::int64_t count) {
    return with_cache(cache, [&](inlay::kv_cache& c) { c.assign(feeds_given(names, pasts, count)); });
}
inlay_failure* inlay_cache_past(inlay_cache* cache, const char* input, inlay_any_value** value) {
    return with_cache(cache, [&](inlay::kv_cache& c) {
        given(value, "value");
        *value = new inlay_any_value{c.past(text_given(input, "input"))};
    });
}
inlay_failure* inlay_cache_pairs(inlay_cache* cache, char** json) {
    return with_cache(cache, [&](inlay::kv_cache& c) {
        given(json, "json");
        inlay::json_writer out;
        out.open('[');
        for (const inlay::kv_cache::pair& p : c.pairs())
            out.open('{')
                .field("past", p.past)
                .field("present", p.present)
                .field("in_place", p.in_place)
                .field("why", p.reason)
                .close('}');
        *json = text_to_free(out.close(']').text());
    });
}
void inlay_cache_free(inlay_cache* cache) { delete cache; }
