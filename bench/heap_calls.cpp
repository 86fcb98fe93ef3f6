// heap_calls MODEL DATA_DIR [RUNS]: how many heap calls a bound run makes on one thread, once it is warm.
#include <cerrno>
#include <cstdio>
#include <inlay/inlay.hpp>
#include <inlay/tensor_file.hpp>

// glibc's allocator under its other names; every malloc, free and operator new of the program comes through here.
static bool counting = false;
static long calls = 0;
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t n) { calls += counting; return __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { calls += counting; return __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { calls += counting; return __libc_realloc(p, n); }
void* aligned_alloc(std::size_t to, std::size_t n) { calls += counting; return __libc_memalign(to, n); }
void* memalign(std::size_t to, std::size_t n) { calls += counting; return __libc_memalign(to, n); }
int posix_memalign(void** p, std::size_t to, std::size_t n) { calls += counting; *p = __libc_memalign(to, n); return *p ? 0 : ENOMEM; }
void free(void* p) { calls += counting && p; __libc_free(p); }
}

int main(int count, char** words) try {
    if (count < 3) { std::fprintf(stderr, "heap_calls MODEL DATA_DIR [RUNS]\n"); return 2; }
    const int runs = count > 3 ? std::atoi(words[3]) : 3;
    const inlay::session session{words[1], inlay::cpu{.threads = 1}};
    std::vector<inlay::tensor> inputs;
    std::vector<std::pair<std::string_view, inlay::shape>> shapes;
    for (const inlay::port& p : session.inputs()) {
        inputs.push_back(*inlay::read_pb(std::string(words[2]) + "/input_" + std::to_string(inputs.size()) + ".pb").value_or_raise().as_tensor());
        shapes.emplace_back(p.name, inputs.back().shape());
    }
    inlay::binding bound = session.bind(shapes);
    for (std::size_t k = 0; k < inputs.size(); ++k) bound.set_input(session.inputs()[k].name, inputs[k]);
    inlay::status s = bound.run();
    counting = true;
    for (int i = 0; i < runs && s == inlay::status::ok; ++i) s = bound.run();
    counting = false;
    if (s != inlay::status::ok) { std::fprintf(stderr, "the run failed: %s\n", std::string(bound.why()).c_str()); return 1; }
    std::printf("{\"heap_calls_per_run\": %g}\n", double(calls) / runs);
} catch (const inlay::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
