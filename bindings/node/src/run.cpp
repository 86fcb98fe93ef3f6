// Runs of sessions.
#include "session.hpp"
#include "value.hpp"
#include <algorithm>

namespace inlay_node {
namespace {
class session_run : public task {
    std::shared_ptr<session> session_;
    std::shared_ptr<cache> cache_{};
    std::vector<std::string> input_names_, output_names_;
    std::vector<value_handle> inputs_{}, outputs_{};

    void read_inputs(napi_env env, napi_value list) {
        const std::vector<napi_value> values = elements_of(env, list, "the values of feeds");
        if (values.size() != input_names_.size())
            throw_type_error(env, "inlay: each feed must have a name and a value");
        std::vector<given_value> inputs;
        for (std::size_t k = 0; k < values.size(); ++k)
            inputs.push_back(given_value::read(env, values[k], "the input `" + input_names_[k] + "`"));
        const napi_value pins = array_value(env);
        for (const given_value& input : inputs) inputs_.push_back(input.make(env, pins));
        pin(env, pins);
    }
    void check_pins(napi_env env) const {
        for (const napi_value array : pinned(env))
            if (is_detached(env, array))
                throw_error(env, "invalid_argument",
                            "inlay: the memory of an input was transferred while the run was reading it");
    }

  public:
    // (session, input names, values, output names, cancellation, milliseconds, cache)
    explicit session_run(const call& c)
        : session_(object_of<session>(c.env, c[0])),
          input_names_(names_of(c.env, c[1], "the names of feeds")),
          output_names_(names_of(c.env, c[3], "the names of fetches")) {
        if (!is_absent(c.env, c[6])) cache_ = object_of<cache>(c.env, c[6]);
        read_inputs(c.env, c[2]);
        cancel = ending_of(c.env, c[4], c[5]);
    }
    void execute() override {
        const std::vector<const char*> input_names = pointers_to(input_names_),
                                       output_names = pointers_to(output_names_);
        std::vector<inlay_any_value*> inputs, outputs(output_names.size());
        for (const value_handle& input : inputs_) inputs.push_back(input.get());
        outputs_.reserve(outputs.size());
        check(inlay_session_run(session_->handle.get(), input_names.data(), inputs.data(), std::int64_t(inputs.size()),
                                output_names.data(), outputs.data(), std::int64_t(outputs.size()),
                                cache_ ? cache_->handle.get() : nullptr, cancel->options()));
        for (inlay_any_value* output : outputs) outputs_.emplace_back(output);
    }
    napi_value result(napi_env env) override {
        check_pins(env);
        const napi_value list = array_value(env, outputs_.size());
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            set(env, list, k, value_to_javascript(env, std::move(outputs_[k])));
        return list;
    }
};
napi_value run(const call& c) { return start(c.env, std::make_unique<session_run>(c)); }

napi_value make_cache(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    return start(
        c.env,
        [s, rows = integer_of(c.env, c[1], "the rows of a cache")] {
            auto handle = make<cache_handle>(inlay_session_make_cache, s->handle.get(), rows);
            return std::make_shared<cache>(cache{s, std::move(handle)});
        },
        [](napi_env env, std::shared_ptr<cache> object) { return wrapped(env, std::move(object)); });
}
napi_value cache_rows(const call& c) {
    return number_value(c.env, double(inlay_cache_rows(object_of<cache>(c.env, c[0])->handle.get())));
}
napi_value cache_capacity(const call& c) {
    return number_value(c.env, double(inlay_cache_room(object_of<cache>(c.env, c[0])->handle.get())));
}
napi_value cache_keep(const call& c) {
    check(inlay_cache_keep(object_of<cache>(c.env, c[0])->handle.get(), integer_of(c.env, c[1], "the rows to keep")));
    return undefined(c.env);
}
napi_value cache_assign(const call& c) {  // the rows are copied
    const auto object = object_of<cache>(c.env, c[0]);
    const std::vector<std::string> names = names_of(c.env, c[1], "the names of inputs");
    const std::vector<napi_value> values = elements_of(c.env, c[2], "the values");
    if (values.size() != names.size()) throw_type_error(c.env, "inlay: each input must have a name and a value");
    std::vector<given_value> pasts;
    for (std::size_t k = 0; k < values.size(); ++k)
        pasts.push_back(given_value::read(c.env, values[k], "the input `" + names[k] + "`"));
    std::vector<value_handle> handles;
    std::vector<inlay_any_value*> pointers;
    const napi_value pins = array_value(c.env);
    for (const given_value& past : pasts) {
        handles.push_back(past.make(c.env, pins));
        pointers.push_back(handles.back().get());
    }
    check(inlay_cache_assign(object->handle.get(), pointers_to(names).data(), pointers.data(),
                             std::int64_t(pointers.size())));
    return undefined(c.env);
}
napi_value cache_past(const call& c) {
    const auto object = object_of<cache>(c.env, c[0]);
    const std::string name = name_of(c.env, c[1], "the name of an input");
    return value_to_javascript(c.env, make<value_handle>(inlay_cache_past, object->handle.get(), name.c_str()));
}
napi_value cache_pairs(const call& c) {
    return text_value(c.env, text_from(inlay_cache_pairs, object_of<cache>(c.env, c[0])->handle.get()));
}
napi_value release_cache(const call& c) { return release<cache>(c.env, c[0]); }
}  // namespace

std::shared_ptr<cancellation> ending_of(napi_env env, napi_value cancel, napi_value milliseconds) {
    const std::shared_ptr<cancellation> ending = cancellation_of(env, cancel);
    if (type_of(env, milliseconds) == napi_undefined) return ending;
    double time = 0;
    check(env, napi_get_value_double(env, milliseconds, &time));
    if (!(time >= 0)) throw_range_error(env, "inlay: the timeout must be a number of milliseconds from 0");
    constexpr double longest = 9e18;  // nanoseconds, which is never
    ending->set_deadline(std::int64_t(std::min(time * 1e6, longest)));
    return ending;
}
void define_run(napi_env env, napi_value exports) { define<run>(env, exports, "run"); }
void define_cache(napi_env env, napi_value exports) {
    define<make_cache>(env, exports, "makeCache");
    define<cache_rows>(env, exports, "cacheRows");
    define<cache_capacity>(env, exports, "cacheCapacity");
    define<cache_keep>(env, exports, "cacheKeep");
    define<cache_assign>(env, exports, "cacheAssign");
    define<cache_past>(env, exports, "cachePast");
    define<cache_pairs>(env, exports, "cachePairs");
    define<release_cache>(env, exports, "releaseCache");
}
}  // namespace inlay_node
