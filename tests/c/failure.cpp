// The library's versions, failures, and arguments that are NULL.
#include "owned.hpp"
#include <inlay/plugin.h>
#include <functional>
using namespace inlay::testing;

namespace {
// Calls, each with the argument that is NULL.
void check_each_null(const std::vector<std::pair<std::string, std::function<inlay_failure*()>>>& calls) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
        CAPTURE(k);
        bad(calls[k].second(), INLAY_FAILURE_INVALID_ARGUMENT, "`" + calls[k].first + "` is NULL");
    }
}
}  // namespace

TEST_CASE("The C library returns the version of its interface and its own", "[c]") {
    CHECK(inlay_api_version() == INLAY_API_VERSION);
    CHECK(std::string(inlay_version()) == VERSION);
}
TEST_CASE("A failure in C has a code, its name, and all members of an error", "[c]") {
    inlay_failure* const no_failure = nullptr;
    CHECK(inlay_failure_code(no_failure) == -1);
    CHECK(inlay_failure_op_version(no_failure) == -1);
    for (const auto f : {inlay_failure_name, inlay_failure_text, inlay_failure_node, inlay_failure_op,
                         inlay_failure_provider, inlay_failure_shapes, inlay_failure_hint})
        CHECK(f(no_failure) == nullptr);
    session s;
    const outcome unknown = outcome_of(inlay_session_new(load("unknown"), nullptr, nullptr, &s));
    CHECK(unknown.code == INLAY_FAILURE_NO_PROVIDER);
    CHECK(unknown.name == "no_provider");
    CHECK(unknown.op == "Something");
    CHECK(unknown.op_version == 1);
    CHECK(!unknown.node.empty());
    CHECK(unknown.text.find("Something") != std::string::npos);
    CHECK(s == nullptr);

    std::vector<float> four(4);
    const value x = tensor_of(INLAY_TYPE_FLOAT, {4}, four);
    const char* const name = "x";
    inlay_any_value *in = x, *out = nullptr;
    const outcome shape =
        outcome_of(inlay_session_run(session_of("fixed"), &name, &in, 1, nullptr, &out, 1, nullptr, nullptr));
    CHECK(shape.code == INLAY_FAILURE_SHAPE_MISMATCH);
    CHECK(shape.shapes == "[4]");
    CHECK(out == nullptr);

    model m;
    providers list;
    good(inlay_providers_new(&list));
    const outcome near = outcome_of(inlay_providers_add(list, "referense"));
    CHECK(near.code == INLAY_FAILURE_UNKNOWN_PROVIDER);
    CHECK(near.provider == "referense");
    CHECK(near.hint == "did you mean `ReferenceExecutionProvider`?");
}
TEST_CASE("An argument of options or a list of providers that is NULL is a failure in C", "[c]") {
    options o;
    good(inlay_session_options_new(&o));
    providers list;
    good(inlay_providers_new(&list));
    good(inlay_providers_add(list, "cpu"));
    check_each_null({
        {"options", [] { return inlay_model_options_new(nullptr); }},
        {"options", [] { return inlay_session_options_new(nullptr); }},
        {"options", [] { return inlay_run_options_new(nullptr); }},
        {"options", [] { return inlay_options_set(nullptr, "a", "b"); }},
        {"name", [&] { return inlay_options_set(o, nullptr, "b"); }},
        {"text", [&] { return inlay_options_set(o, "plans", nullptr); }},
        {"options", [] { return inlay_options_set_progress(nullptr, nullptr, nullptr); }},
        {"options", [] { return inlay_options_set_log(nullptr, nullptr, nullptr); }},
        {"options", [] { return inlay_options_set_deadline(nullptr, 1); }},
        {"options", [] { return inlay_options_set_cancelled(nullptr, 1); }},
        {"list", [] { return inlay_providers_new(nullptr); }},
        {"list", [] { return inlay_providers_built(nullptr); }},
        {"list", [] { return inlay_providers_add(nullptr, "cpu"); }},
        {"name", [&] { return inlay_providers_add(list, nullptr); }},
        {"list", [] { return inlay_providers_add_plugin(nullptr, "a"); }},
        {"path", [&] { return inlay_providers_add_plugin(list, nullptr); }},
        {"list", [] { return inlay_providers_set(nullptr, "threads", "1"); }},
        {"option", [&] { return inlay_providers_set(list, nullptr, "1"); }},
        {"text", [&] { return inlay_providers_set(list, "threads", nullptr); }},
    });
}
TEST_CASE("An argument of a model or value that is NULL is a failure in C", "[c]") {
    model m;
    value v;
    good(inlay_value_new(INLAY_TYPE_FLOAT, nullptr, 0, nullptr, &v));
    inlay_any_value *const in[] = {v, nullptr}, *out = nullptr;
    std::int64_t n = 0;
    const std::int64_t dims[] = {1};
    check_each_null({
        {"path", [&] { return inlay_model_load(nullptr, nullptr, &m); }},
        {"model", [] { return inlay_model_load("a", nullptr, nullptr); }},
        {"bytes", [&] { return inlay_model_parse(nullptr, 1, nullptr, &m); }},
        {"model", [] { return inlay_model_parse("a", 1, nullptr, nullptr); }},
        {"value", [] { return inlay_value_new(INLAY_TYPE_FLOAT, nullptr, 0, nullptr, nullptr); }},
        {"dims", [&] { return inlay_value_new(INLAY_TYPE_FLOAT, nullptr, 1, nullptr, &out); }},
        {"value", [&] { return inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 1, &n, 8, nullptr, nullptr); }},
        {"data", [&] { return inlay_value_borrow(INLAY_TYPE_FLOAT, dims, 1, nullptr, 8, nullptr, &out); }},
        {"value", [&] { return inlay_value_sequence(in, 1, nullptr); }},
        {"items", [&] { return inlay_value_sequence(nullptr, 1, &out); }},
        {"items[]", [&] { return inlay_value_sequence(in, 2, &out); }},
        {"value", [&] { return inlay_value_map(v, in, 1, nullptr); }},
        {"keys", [&] { return inlay_value_map(nullptr, in, 1, &out); }},
        {"items", [&] { return inlay_value_map(v, nullptr, 1, &out); }},
        {"value", [] { return inlay_value_optional(nullptr, nullptr); }},
        {"value", [&] { return inlay_value_copy(nullptr, nullptr, &out); }},
        {"copy", [&] { return inlay_value_copy(v, nullptr, nullptr); }},
        {"value", [] { return inlay_value_set_string(nullptr, 0, "a", -1); }},
        {"value", [&] { return inlay_value_item(nullptr, 0, &out); }},
        {"item", [&] { return inlay_value_item(v, 0, nullptr); }},
        {"map", [&] { return inlay_value_key(nullptr, 0, &out); }},
        {"key", [&] { return inlay_value_key(v, 0, nullptr); }},
    });
    CHECK(m == nullptr);
    CHECK(out == nullptr);
}
TEST_CASE("An argument of a session that is NULL is a failure in C", "[c]") {
    model m = load("two");
    const session s = session_of("two");
    session new_session;
    providers list;
    value v;
    good(inlay_value_new(INLAY_TYPE_FLOAT, nullptr, 0, nullptr, &v));
    binding b;
    cache c;
    const char* const names[] = {"x", nullptr};
    inlay_any_value *const in[] = {v, nullptr}, *out = nullptr;
    char* json = nullptr;
    const std::int64_t dims[] = {2};
    const std::int32_t rank = 1;
    check_each_null({
        {"model", [&] { return inlay_session_new(nullptr, nullptr, nullptr, &new_session); }},
        {"session", [&] { return inlay_session_new(m, nullptr, nullptr, nullptr); }},
        {"session", [] { return inlay_session_set_providers(nullptr, nullptr); }},
        {"session", [&] { return inlay_session_providers(nullptr, &list); }},
        {"list", [&] { return inlay_session_providers(s, nullptr); }},
        {"session", [&] { return inlay_session_model(nullptr, &m); }},
        {"model", [&] { return inlay_session_model(s, nullptr); }},
        {"session", [&] { return inlay_session_run(nullptr, names, in, 1, names, &out, 1, nullptr, nullptr); }},
        {"names", [&] { return inlay_session_run(s, nullptr, in, 1, names, &out, 1, nullptr, nullptr); }},
        {"names[]", [&] { return inlay_session_run(s, names + 1, in, 1, names, &out, 1, nullptr, nullptr); }},
        {"values", [&] { return inlay_session_run(s, names, nullptr, 1, names, &out, 1, nullptr, nullptr); }},
        {"values[]", [&] { return inlay_session_run(s, names, in + 1, 1, names, &out, 1, nullptr, nullptr); }},
        {"outputs", [&] { return inlay_session_run(s, names, in, 1, names, nullptr, 1, nullptr, nullptr); }},
        {"output_names[]", [&] { return inlay_session_run(s, names, in, 1, names + 1, &out, 1, nullptr, nullptr); }},
        {"session", [&] { return inlay_session_bind(nullptr, nullptr, nullptr, nullptr, 0, &b); }},
        {"binding", [&] { return inlay_session_bind(s, nullptr, nullptr, nullptr, 0, nullptr); }},
        {"names", [&] { return inlay_session_bind(s, nullptr, &rank, dims, 1, &b); }},
        {"ranks", [&] { return inlay_session_bind(s, names, nullptr, dims, 1, &b); }},
        {"dims", [&] { return inlay_session_bind(s, names, &rank, nullptr, 1, &b); }},
        {"session", [&] { return inlay_session_make_cache(nullptr, 1, &c); }},
        {"cache", [&] { return inlay_session_make_cache(s, 1, nullptr); }},
        {"session", [&] { return inlay_session_plan(nullptr, nullptr, nullptr, nullptr, 0, &json); }},
        {"json", [&] { return inlay_session_plan(s, nullptr, nullptr, nullptr, 0, nullptr); }},
        {"session", [&] { return inlay_session_memory(nullptr, nullptr, nullptr, nullptr, 0, &json); }},
        {"json", [&] { return inlay_session_memory(s, nullptr, nullptr, nullptr, 0, nullptr); }},
        {"session", [&] { return inlay_session_release_memory(nullptr); }},
    });
    CHECK(out == nullptr);
    CHECK(json == nullptr);
}
TEST_CASE("An argument of a binding or cache that is NULL is a failure in C", "[c]") {
    binding b;
    good(inlay_session_bind(session_of("fixed"), nullptr, nullptr, nullptr, 0, &b));
    cache c;
    good(inlay_session_make_cache(session_of("decoder"), 4, &c));
    value v;
    good(inlay_value_new(INLAY_TYPE_FLOAT, nullptr, 0, nullptr, &v));
    char* json = nullptr;
    std::int64_t n = 0;
    inlay_any_value* out = nullptr;
    check_each_null({
        {"binding", [&] { return inlay_binding_input(nullptr, "x", &out); }},
        {"name", [&] { return inlay_binding_input(b, nullptr, &out); }},
        {"value", [&] { return inlay_binding_input(b, "x", nullptr); }},
        {"binding", [&] { return inlay_binding_output(nullptr, "y", &out); }},
        {"name", [&] { return inlay_binding_output(b, nullptr, &out); }},
        {"value", [&] { return inlay_binding_output(b, "y", nullptr); }},
        {"binding", [&] { return inlay_binding_set_input(nullptr, "x", v); }},
        {"name", [&] { return inlay_binding_set_input(b, nullptr, v); }},
        {"tensor", [&] { return inlay_binding_set_input(b, "x", nullptr); }},
        {"binding", [&] { return inlay_binding_set_output(nullptr, "y", v); }},
        {"name", [&] { return inlay_binding_set_output(b, nullptr, v); }},
        {"tensor", [&] { return inlay_binding_set_output(b, "y", nullptr); }},
        {"binding", [&] { return inlay_binding_set_output_memory(nullptr, "y", "host"); }},
        {"name", [&] { return inlay_binding_set_output_memory(b, nullptr, "host"); }},
        {"memory", [&] { return inlay_binding_set_output_memory(b, "y", nullptr); }},
        {"binding", [] { return inlay_binding_run(nullptr, nullptr); }},
        {"binding", [&] { return inlay_binding_executed(nullptr, "cpu", &n); }},
        {"provider", [&] { return inlay_binding_executed(b, nullptr, &n); }},
        {"nodes", [&] { return inlay_binding_executed(b, "cpu", nullptr); }},
        {"binding", [&] { return inlay_binding_profile(nullptr, 1, nullptr, &json); }},
        {"json", [&] { return inlay_binding_profile(b, 1, nullptr, nullptr); }},
        {"cache", [] { return inlay_cache_keep(nullptr, 0); }},
        {"cache", [] { return inlay_cache_assign(nullptr, nullptr, nullptr, 0); }},
        {"names", [&] { return inlay_cache_assign(c, nullptr, nullptr, 1); }},
        {"cache", [&] { return inlay_cache_past(nullptr, "past", &out); }},
        {"input", [&] { return inlay_cache_past(c, nullptr, &out); }},
        {"value", [&] { return inlay_cache_past(c, "past", nullptr); }},
        {"cache", [&] { return inlay_cache_pairs(nullptr, &json); }},
        {"json", [&] { return inlay_cache_pairs(c, nullptr); }},
    });
    CHECK(out == nullptr);
    CHECK(json == nullptr);
}
TEST_CASE("C functions that only read give -1 or NULL for a NULL handle", "[c]") {
    CHECK(inlay_providers_count(nullptr) == -1);
    CHECK(inlay_providers_name(nullptr, 0) == nullptr);
    CHECK(inlay_providers_option_count(nullptr, 0) == -1);
    CHECK(inlay_providers_option_name(nullptr, 0, 0) == nullptr);
    CHECK(inlay_providers_option_text(nullptr, 0, 0) == nullptr);
    CHECK(inlay_model_input_count(nullptr) == -1);
    CHECK(inlay_model_output_count(nullptr) == -1);
    CHECK(inlay_model_input(nullptr, 0) == nullptr);
    CHECK(inlay_model_output(nullptr, 0) == nullptr);
    CHECK(inlay_model_metadata(nullptr, "author") == nullptr);
    CHECK(inlay_port_name(nullptr) == nullptr);
    CHECK(inlay_port_type_text(nullptr) == nullptr);
    CHECK(inlay_port_kind(nullptr) == -1);
    CHECK(inlay_port_type(nullptr) == -1);
    CHECK(inlay_port_rank(nullptr) == -1);
    CHECK(inlay_port_dims(nullptr) == nullptr);
    CHECK(inlay_port_dim_name(nullptr, 0) == nullptr);
    CHECK(inlay_value_kind(nullptr) == -1);
    CHECK(inlay_value_type(nullptr) == -1);
    CHECK(inlay_value_rank(nullptr) == -1);
    CHECK(inlay_value_dims(nullptr) == nullptr);
    CHECK(inlay_value_memory(nullptr) == nullptr);
    CHECK(inlay_value_bytes(nullptr) == -1);
    CHECK(inlay_value_data(nullptr) == nullptr);
    CHECK(inlay_value_count(nullptr) == -1);
    CHECK(inlay_value_string(nullptr, 0, nullptr) == nullptr);
    CHECK(inlay_cache_rows(nullptr) == -1);
    CHECK(inlay_cache_room(nullptr) == -1);
    inlay_failure_free(nullptr);
    inlay_text_free(nullptr);
}
