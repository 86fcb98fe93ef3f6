// embedded_serve [DATA_DIR]: an embedded model that runs as often as standard input requests; built like
// embedded_app.cpp. DATA_DIR holds the bytes of the inputs, input_0.bin and so on, and gets those of the first run's
// outputs, output_0.bin; without it the inputs are zero.
//
// It prints a line of facts when it is ready and has run once, then answers each line:
//     N        the seconds that each of N runs took, by the protocol of bench/zoo_reference.py
//     heap N   the heap calls of N runs; needs the preloaded library of embedded_heap.cpp
//     still N  N, after N runs between two calls of getppid, for tracing the system calls
#include <inlay/embedded.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include MODEL_HEADER
#include <string>
#include <unistd.h>

extern "C" long heap_calls() __attribute__((weak));

using model = inlay::models::MODEL;
using network = inlay::embedded<model, inlay::cpu>;

static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
[[noreturn]] static void fail(const char* reason) {
    std::fprintf(stderr, "embedded_serve: %s\n", reason);
    std::exit(1);
}
static void run(network& net) {
    if (net.run() != inlay::status::ok) fail(std::string(net.why()).c_str());
}

template <class Byte> static void transfer(const std::string& name, const char* mode, Byte* data, std::size_t bytes) {
    std::FILE* f = std::fopen(name.c_str(), mode);
    if (!f) fail(("cannot open " + name).c_str());
    std::size_t count = 0;
    if constexpr (std::is_const_v<Byte>)
        count = std::fwrite(data, 1, bytes, f);
    else
        count = std::fread(data, 1, bytes, f);
    if (std::fclose(f) != 0 || count != bytes) fail((name + " has another size").c_str());
}
template <std::size_t... K>
static void read_inputs(network& net, const std::string& folder, std::index_sequence<K...>) {
    const auto read_input = [&](auto span, std::size_t k) {
        if (folder.empty())
            std::ranges::fill(span, typename decltype(span)::value_type{});
        else
            transfer(folder + "/input_" + std::to_string(k) + ".bin", "rb", reinterpret_cast<char*>(span.data()),
                     span.size_bytes());
    };
    (read_input(net.template input<inlay::to_fixed_text([] { return inlay::text(model::input_names[K]); })>(), K), ...);
}
template <std::size_t... K>
static void write_outputs(const network& net, const std::string& folder, std::index_sequence<K...>) {
    const auto write_output = [&](auto span, std::size_t k) {
        if (!folder.empty())
            transfer(folder + "/output_" + std::to_string(k) + ".bin", "wb", reinterpret_cast<const char*>(span.data()),
                     span.size_bytes());
    };
    (write_output(net.template output<inlay::to_fixed_text([] { return inlay::text(model::output_names[K]); })>(), K),
     ...);
}
static long peak_kib() {
    std::FILE* f = std::fopen("/proc/self/status", "r");
    if (!f) fail("no /proc/self/status");
    long peak = -1;
    for (char line[256]; peak < 0 && std::fgets(line, sizeof(line), f);) (void)std::sscanf(line, "VmHWM: %ld", &peak);
    std::fclose(f);
    return peak;
}

int main(int count, char** words) {
    const double begin = seconds();
    if (count > 2) fail("give one folder, of the inputs, or none");
    const std::string folder = count > 1 ? words[1] : "";
    const network::weights_type weights;
    const double packed = seconds();
    network net(weights);
    const double ready = seconds();
    read_inputs(net, folder, std::make_index_sequence<model::input_names.size()>{});
    run(net);
    write_outputs(net, folder, std::make_index_sequence<model::output_names.size()>{});
    std::vector<double> times(1001);
    for (double& t : times) {
        const double from = seconds();
        t = seconds() - from;
    }
    std::ranges::nth_element(times, times.begin() + 500);
    // `main` is the clock when main began: CLOCK_MONOTONIC, which the parent can read too.
    std::printf(
        "{\"main\": %.9f, \"packing_s\": %.9f, \"ready_s\": %.9f, \"peak_kib\": %ld, \"arena_bytes\": %lld, "
        "\"packed_bytes\": %lld, \"steps\": %d, \"clock_s\": %.9f}\n",
        begin, packed - begin, ready - packed, peak_kib(), static_cast<long long>(net.arena_bytes),
        static_cast<long long>(weights.packed_bytes), weights.step_count, times[500]);
    std::fflush(stdout);
    for (char line[64]; std::fgets(line, sizeof(line), stdin); std::fflush(stdout)) {
        long n = 0;
        if (std::sscanf(line, "heap %ld", &n) == 1) {
            if (!heap_calls) fail("heap_calls() is missing: preload the library of embedded_heap.cpp");
            const long before = heap_calls();
            for (long i = 0; i < n; ++i) run(net);
            std::printf("%ld\n", heap_calls() - before);
        } else if (std::sscanf(line, "still %ld", &n) == 1) {
            (void)getppid();
            for (long i = 0; i < n; ++i) run(net);
            (void)getppid();
            std::printf("%ld\n", n);
        } else if (std::sscanf(line, "%ld", &n) == 1 && n >= 0) {
            times.resize(std::size_t(n));
            for (double& t : times) {
                const double from = seconds();
                run(net);
                t = seconds() - from;
            }
            std::putchar('[');
            for (long i = 0; i < n; ++i) std::printf("%s%.9g", i ? "," : "", times[std::size_t(i)]);
            std::puts("]");
        } else
            fail("a line is neither N, heap N nor still N");
    }
}
