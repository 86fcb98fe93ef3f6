// must print: inlay::session<Ps...> requires every P to be a provider: P has no `static constexpr std::string_view name`
// A type that is no provider stands in the list.
#include <inlay/session.hpp>

struct options {
    int threads = 1;
};
#ifdef WITHOUT_MISUSE
auto use() { return inlay::session{"model.onnx", inlay::cpu{}}; }
#else
auto use() { return inlay::session{"model.onnx", options{}, inlay::cpu{}}; }
#endif
