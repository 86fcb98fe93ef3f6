// Bindings, and caches of decoders.
#include "engine/run_node.hpp"
#include "handles.hpp"
#include "report/json_writer.hpp"
#include <inlay/report_json.hpp>

namespace inlay::c {
namespace {
// f(binding), while no other thread uses it.
template <class F> inlay_failure* with_binding(inlay_binding* b, F f) {
    return guarded([&] {
        inlay_binding::shared& state = *given(b, "binding").state;
        const holding hold(state.use, "binding");
        f(state.bound);
    });
}
template <class F> inlay_failure* with_cache(inlay_cache* c, F f) {
    return guarded([&] {
        inlay_cache& all = given(c, "cache");
        const holding hold(all.use, "cache");
        f(all.cache);
    });
}
template <class F> std::int64_t number_of(const inlay_cache* c, F f) {  // -1 where another thread uses it
    if (!c || !c->use.take()) return -1;
    const std::int64_t n = f(c->cache);
    c->use.give_back();
    return n;
}
// A tensor in the binding's memory, which keeps that alive.
inlay_any_value* kept_value(const inlay_binding& b, tensor t) {
    struct kept {
        std::shared_ptr<inlay_binding::shared> state;
        tensor memory;
    };
    auto keep = std::make_shared<kept>(kept{b.state, std::move(t)});
    const tensor& m = keep->memory;
    tensor view = tensor::borrow(m.type(), m.shape(), m.data(), m.where(), keep);
    return new inlay_any_value{std::move(view)};
}
}  // namespace
}  // namespace inlay::c
using namespace inlay::c;
using inlay::raise;

inlay_failure* inlay_binding_input(inlay_binding* binding, const char* name, inlay_any_value** value) {
    return with_binding(binding, [&](inlay::binding& b) {
        given(value, "value");
        *value = kept_value(*binding, b.input(text_given(name, "name")));
    });
}
inlay_failure* inlay_binding_output(inlay_binding* binding, const char* name, inlay_any_value** value) {
    return with_binding(binding, [&](inlay::binding& b) {
        given(value, "value");
        *value = kept_value(*binding, b.output(text_given(name, "name")));
    });
}
inlay_failure* inlay_binding_set_input(inlay_binding* binding, const char* name, const inlay_any_value* tensor) {
    return with_binding(
        binding, [&](inlay::binding& b) { b.set_input(text_given(name, "name"), tensor_given(tensor, "tensor")); });
}
inlay_failure* inlay_binding_set_output(inlay_binding* binding, const char* name, const inlay_any_value* tensor) {
    return with_binding(
        binding, [&](inlay::binding& b) { b.set_output(text_given(name, "name"), tensor_given(tensor, "tensor")); });
}
inlay_failure* inlay_binding_set_output_memory(inlay_binding* binding, const char* name, const char* memory) {
    return with_binding(binding, [&](inlay::binding& b) {
        b.set_output(text_given(name, "name"), memory_given(text_given(memory, "memory")));
    });
}
inlay_failure* inlay_binding_run(inlay_binding* binding, const inlay_options* options) {
    return with_binding(binding, [&](inlay::binding& b) {
        const inlay::status s = b.run(run_options_of(options));
        if (s != inlay::status::ok)
            raise({inlay::code_of(s), "inlay: " + std::string(b.why().empty() ? name_of(s) : b.why())});
    });
}
inlay_failure* inlay_binding_executed(inlay_binding* binding, const char* provider, std::int64_t* nodes) {
    return with_binding(binding, [&](inlay::binding& b) {
        given(nodes, "nodes");
        const std::string_view wanted = text_given(provider, "provider");
        std::string names;
        for (const inlay::provider_count& one : b.executed()) {
            if (one.provider == wanted) {
                *nodes = one.nodes;
                return;
            }
            names += " " + one.provider;
        }
        raise({inlay::error_code::not_found,
               "inlay: the binding has no provider `" + std::string(wanted) + "`; it has:" + names});
    });
}
inlay_failure* inlay_binding_profile(inlay_binding* binding, std::int32_t runs, const inlay_options* options,
                                     char** json) {
    return with_binding(binding, [&](inlay::binding& b) {
        given(json, "json");
        *json = text_to_free(json_of(b.profile(runs, run_options_of(options))));
    });
}
void inlay_binding_free(inlay_binding* binding) { delete binding; }

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
                .field("why", p.why)
                .close('}');
        *json = text_to_free(out.close(']').text());
    });
}
void inlay_cache_free(inlay_cache* cache) { delete cache; }
