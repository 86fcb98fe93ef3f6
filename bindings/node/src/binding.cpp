// Bindings: memory for one set of shapes, and runs without heap calls of the library.
#include "session.hpp"
#include "value.hpp"

namespace inlay_node {
namespace {
struct binding {
    static constexpr napi_type_tag tag{0x8f4c1f0a6d2b4e11, 0x9a3e5c7718d20b04};
    static constexpr const char* kind = "binding";
    std::shared_ptr<session> owner{};
    binding_handle handle{};
    bool borrows = false;  // typed arrays, which are in the property "borrowed" of the object that JavaScript holds
};
std::string port_name(const call& c) { return name_of(c.env, c[1], "the name of an input or output"); }

napi_value bind(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    return start(
        c.env,
        [s, shapes = named_shapes(c.env, c[1])] {
            auto bound = std::make_shared<binding>();
            inlay_binding* handle = nullptr;
            const auto f = [&](auto... arguments) { return inlay_session_bind(arguments..., &handle); };
            check(shapes.call<inlay_failure*>(f, s->handle.get()));
            bound->handle.reset(handle);
            bound->owner = s;
            return bound;
        },
        [](napi_env env, std::shared_ptr<binding> bound) {
            const napi_value object = wrapped(env, std::move(bound));
            set(env, object, "borrowed", object_value(env));
            return object;
        });
}
template <auto Function> napi_value memory_of(const call& c) {
    const auto bound = object_of<binding>(c.env, c[0]);
    return value_to_javascript(c.env, make<value_handle>(Function, bound->handle.get(), port_name(c).c_str()));
}
template <auto Function> napi_value set_memory(const call& c) {
    const auto bound = object_of<binding>(c.env, c[0]);
    const std::string name = port_name(c);
    const given_value value = given_value::read(c.env, c[2], "the tensor of `" + name + "`");
    if (!value.is_borrowed(c.env))
        throw_type_error(c.env, "inlay: the tensor of `" + name +
                                    "` must have memory that can be shared: no strings, and no resizable ArrayBuffer");
    const napi_value pins = array_value(c.env);
    const value_handle tensor = value.make(c.env, pins);
    check(Function(bound->handle.get(), name.c_str(), tensor.get()));
    bound->borrows = true;
    set(c.env, property(c.env, c[0], "borrowed"), name.c_str(), elements_of(c.env, pins, "the memory").at(0));
    return undefined(c.env);
}
napi_value set_output_memory(const call& c) {
    const auto bound = object_of<binding>(c.env, c[0]);
    const std::string memory = name_of(c.env, c[2], "the name of a memory");
    check(inlay_binding_set_output_memory(bound->handle.get(), port_name(c).c_str(), memory.c_str()));
    return undefined(c.env);
}
// What JavaScript's memory still is, before a run reads and writes it.
void check_borrowed(napi_env env, const binding& bound, napi_value object) {
    if (!bound.borrows) return;
    const napi_value borrowed = property(env, object, "borrowed");
    napi_value names = nullptr;
    check(env, napi_get_property_names(env, borrowed, &names));
    for (const napi_value name : elements_of(env, names, "the names")) {
        napi_value array = nullptr;
        check(env, napi_get_property(env, borrowed, name, &array));
        if (is_detached(env, array))
            throw_error(env, "invalid_argument",
                        "inlay: the ArrayBuffer of `" + string_of(env, name, "a name") + "` is detached");
    }
}
class binding_run : public task {
    std::shared_ptr<binding> bound_;

  public:
    explicit binding_run(const call& c) : bound_(object_of<binding>(c.env, c[0])) {
        check_borrowed(c.env, *bound_, c[0]);
        pin_one(c.env, c[0]);  // which has the borrowed arrays
        cancel = ending_of(c.env, c[1], c[2]);
    }
    void execute() override { check(inlay_binding_run(bound_->handle.get(), cancel->options())); }
    napi_value result(napi_env env) override { return undefined(env); }
};
napi_value run(const call& c) { return start(c.env, std::make_unique<binding_run>(c)); }
napi_value run_sync(const call& c) {
    const auto bound = object_of<binding>(c.env, c[0]);
    check_borrowed(c.env, *bound, c[0]);
    const bool has_timeout = type_of(c.env, c[1]) != napi_undefined;
    const auto ending = has_timeout ? ending_of(c.env, undefined(c.env), c[1]) : nullptr;
    check(inlay_binding_run(bound->handle.get(), ending ? ending->options() : nullptr));
    return undefined(c.env);
}
napi_value executed(const call& c) {
    const auto bound = object_of<binding>(c.env, c[0]);
    std::int64_t nodes = 0;
    const std::string name = name_of(c.env, c[1], "the name of a provider");
    check(inlay_binding_executed(bound->handle.get(), name.c_str(), &nodes));
    return number_value(c.env, double(nodes));
}
class binding_profile : public task {
    std::shared_ptr<binding> bound_;
    std::int32_t runs_;
    std::string json_{};

  public:
    explicit binding_profile(const call& c) : bound_(object_of<binding>(c.env, c[0])) {
        const std::int64_t runs = integer_of(c.env, c[1], "the number of runs");
        constexpr std::int64_t most = 1 << 30;
        if (runs > most) throw_range_error(c.env, "inlay: the number of runs is too great");
        runs_ = std::int32_t(runs);
        check_borrowed(c.env, *bound_, c[0]);
        pin_one(c.env, c[0]);
        cancel = ending_of(c.env, c[2], c[3]);
    }
    void execute() override {
        json_ = text_from(inlay_binding_profile, bound_->handle.get(), runs_, cancel->options());
    }
    napi_value result(napi_env env) override { return text_value(env, json_); }
};
napi_value profile(const call& c) { return start(c.env, std::make_unique<binding_profile>(c)); }
napi_value release_binding(const call& c) { return release<binding>(c.env, c[0]); }
}  // namespace

void define_binding(napi_env env, napi_value exports) {
    define<bind>(env, exports, "bind");
    define<memory_of<inlay_binding_input>>(env, exports, "bindingInput");
    define<memory_of<inlay_binding_output>>(env, exports, "bindingOutput");
    define<set_memory<inlay_binding_set_input>>(env, exports, "bindingSetInput");
    define<set_memory<inlay_binding_set_output>>(env, exports, "bindingSetOutput");
    define<set_output_memory>(env, exports, "bindingSetOutputMemory");
    define<run>(env, exports, "bindingRun");
    define<run_sync>(env, exports, "bindingRunSync");
    define<executed>(env, exports, "bindingExecuted");
    define<profile>(env, exports, "bindingProfile");
    define<release_binding>(env, exports, "releaseBinding");
}
}  // namespace inlay_node
