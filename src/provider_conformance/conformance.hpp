// Shared by the conformance tests of providers: the provider, networks, sessions, and how a test fails.
#pragma once
#include <inlay/provider_conformance.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
namespace conformance {
struct failed {
    std::string reason;
};
struct not_applicable {
    std::string reason;
};
inline void require(bool holds, const std::string& otherwise) {
    if (!holds) throw failed{otherwise};
}

struct network {
    std::string name;
    inlay::model model;
};
std::vector<network> stock_networks();  // small ones first
network open_size_network();            // with one data-dependent dimension

// Inputs with numbers that `seed` varies; open dimensions have `size`.
struct named_tensor {
    std::string name;
    tensor value;
};
std::vector<named_tensor> inputs_of(const model&, int seed, std::int64_t size = 3);
std::vector<feed> feeds_of(const std::vector<named_tensor>&);
// Where two results differ by more than the tolerance; empty: nowhere.
std::string difference(const fetched& actual, const fetched& expected, double tolerance);
fetched plain_results(const model&, std::span<const feed>);

session_options silent(fallback = {});

class subject {
  public:
    const provider_factory& factory;
    const conformance_options& options;
    std::vector<network> networks{};
    std::string name;              // of the provider
    std::optional<error> lacks{};  // why it is not available

    subject(const provider_factory&, const conformance_options&);
    provider_handle handle() const { return make_alone({}); }
    provider_handle make_alone(const option_list&) const;
    provider_handle companion() const;  // runs every node: the reference kernels, or the CPU to test these
    std::vector<provider_handle> before_companion() const { return {handle(), companion()}; }
    bool is_cpu() const { return name == cpu::name; }

    // The network of which it takes the most nodes; the smallest of those of which it takes all.
    const network& favourite() const;
    const network& alone() const;

  private:
    int taken(const network&) const;  // nodes; -1: all that there are
};
// The lines that are nodes of a run, those of bodies too.
void for_each_node(const std::vector<plan_report::line>&, const std::function<void(const plan_report::line&)>&);

struct provider_test {
    std::string_view text;
    void (*check)(const subject&);
    bool when_missing = false;  // also run for providers that are not available
};
std::span<const provider_test> tests_of_names();
std::span<const provider_test> tests_of_plans();
std::span<const provider_test> tests_of_runs();
std::span<const provider_test> tests_of_memory();
std::span<const provider_test> tests_of_failures();
std::span<const provider_test> tests_of_absence();  // only for providers that are not available
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
