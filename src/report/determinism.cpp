// The certificate of a plan: which nodes' results may depend on more than their inputs.
#include "engine/facts.hpp"
#include "report/determinism.hpp"
#include "support/text.hpp"
#include <map>

namespace inlay {
inline namespace v1 {
namespace {
using exception = plan_report::certificate::exception;
std::string_view mixture_of(const node& n, bool fast) {  // empty: rows do not depend on each other
    const row_mixing mixes = operator_of(n).facts.mixes_rows;
    if (mixes == row_mixing::range) return "takes the range of all rows";
    return mixes == row_mixing::kernels && fast ? "has kernels of its own for one row" : "";
}
bool is_stock(std::string_view device) { return device == device::cpu::name || device == device::reference::name; }
// Draws random numbers, and no attribute sets the seed.
bool draws(const node_view& n) {
    const entry* e = find_entry(stock_kernels(), n.record);
    return e && !e->about->facts.pure && !n.has("seed") && !(e->about->passes_through && e->about->passes_through(n));
}
}  // namespace

std::optional<exception> exception_of(const node_view& n, const node& unit, const plan_report::line& line,
                                      const kernel_table* kernels) {
    exception e{line.node, line.op, {}};
    const bool stock = line.kernel == "chosen at run"
                           ? kernels && std::ranges::all_of(kernels->entries, is_stock, &entry::device_name)
                           : is_stock(line.kernel);
    if (!stock) {
        e.reason = "as " + line.provider + " computes it, of which nothing is known";
        e.runs = e.batch = e.processors = true;
        return e;
    }
    if (draws(n)) {
        e.reason = "draws new values in each run, without a seed";
        e.runs = e.batch = e.processors = true;
        return e;
    }
    const bool fast = line.kernel != device::reference::name;
    const std::string_view by_unit = mixture_of(unit, fast);
    e.reason = by_unit.empty() ? mixture_of(n.record, fast) : by_unit;
    e.batch = true;
    return e.reason.empty() ? std::nullopt : std::optional(std::move(e));
}

std::string text_of(const plan_report::certificate& c, std::string_view level) {
    std::string text = "deterministic: same bits over threads and runs, alone and in a batch; ";
    text += c.portable ? "and over all processors with " + std::string(level) : "not over instruction sets";
    constexpr std::size_t named = 3;  // of those that have one reason
    std::map<std::string, std::vector<const exception*>> by_reason;
    for (const exception& e : c.exceptions) by_reason[e.reason].push_back(&e);
    const char* before = "; but for ";
    for (const auto& [reason, nodes] : by_reason) {
        for (std::size_t k = 0; k < std::min(named, nodes.size()); ++k)
            text += (k ? ", " : before) + printable(nodes[k]->op) + " `" + printable(nodes[k]->node) + "`";
        if (nodes.size() > named) text += " and " + std::to_string(nodes.size() - named) + " more";
        text += ": " + printable(reason);
        before = "; for ";
    }
    return text + '\n';
}
}  // namespace v1
}  // namespace inlay
