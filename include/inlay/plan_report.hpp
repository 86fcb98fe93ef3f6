// What a session decided: which node runs where, and why not elsewhere.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "element.hpp"
#include "shape.hpp"
#include <iosfwd>
#include <optional>
#include <vector>

namespace inlay {
inline namespace v1 {
struct plan_report {
    struct answer {  // of a provider that was queried and refused, or that supports the node with a slower kernel only
        std::string provider, text;
    };
    struct line {
        std::string node, op, domain;
        int version = 0;
        std::string provider;  // empty: no provider; "(folded)": known before the run; "(control flow)"
        std::string kernel;    // "cpu", "reference", "region", "chosen at run"
        std::string
            precision;  // "bfloat16": its matmuls are computed with less than the precision of their types; else empty
        std::string fused_into;  // the fused node or region that it became part of
        std::vector<answer> answers;
        std::vector<line> body;  // of control flow
    };
    struct copy {
        std::string value, from, to;
        std::int64_t bytes = 0;
    };              // a layout conversion or a transfer between memory spaces; -1: bytes known only at run
    struct value {  // that steps read or write: of the graph, or produced by a copy
        std::string name;
        element type = element::undefined;
        shape dims = shape::unknown();
        std::int64_t bytes = -1;  // -1: not known before the run
        bool constant = false;
        std::string layout, space;  // as in `copy`
    };
    struct step {
        std::string kind;                      // "node", "fused", "region", "conversion", "transfer"
        std::string name, op;                  // of a conversion or transfer: the value's name, and no operator
        std::string provider;                  // as in `line`; empty for conversions and transfers
        std::vector<int> nodes;                // in plan_report::nodes: those that the step executes
        std::vector<int> inputs, outputs;      // in plan_report::values; those that are there
        double predicted = -1, measured = -1;  // seconds, where the plan was chosen by cost; else -1
    };

    struct cost {                // of one run, in seconds
        double greedy = 0;       // measured, of the plan that assigns each node to the first provider that can run it
        double measured = 0;     // of this plan
        double predicted = 0;    // of this plan, from the measured times of the nodes in the plans tried
        double lower_bound = 0;  // every node on the provider that is the fastest for it, and nothing in between
        int tried = 0;           // plans
    };

    // What results do not depend on: threads and, but for the exceptions, runs, other rows of a batch and, if
    // `portable`, processors. Rows are independent where the model keeps them so: a mean over the batch depends on it
    // by definition.
    struct certificate {
        struct exception {  // a node whose results may depend on more
            std::string node, op, reason;
            bool runs = false, batch = false, processors = false;  // on which of these
        };
        bool portable = false;  // as the session's `determinism` requires
        std::vector<exception> exceptions;
    };

    std::string model;
    std::optional<cost> costs;  // of a plan that was chosen by cost
    std::vector<std::string> providers;
    bool implicit_cpu = false;  // the CPU was appended to the list
    std::string level;          // the instruction set
    std::string precision;      // that was requested
    certificate determinism;
    int threads = 1;
    std::vector<std::pair<std::string, shape>> inputs;  // that the plan was computed for
    std::vector<line> nodes;
    std::vector<copy> conversions, transfers;
    std::vector<value> values;
    std::vector<step> schedule;  // in the order of execution
    std::vector<int> outputs;    // of the graph, in `values`
    int steps = 0, aliased = 0,
        sliced = 0;  // sliced: values that lie inside others, so that Concat and Split copy nothing
    std::int64_t arena_bytes = 0, live_bytes = 0, scratch_bytes = 0, constant_bytes = 0;
    std::int64_t packed_bytes = 0;  // -1: a plan only, of a provider that the program cannot run
    std::vector<std::string>
        notes;  // providers that failed and were replaced, previews, deprecations, those that cannot run
    int count(std::string_view provider) const;  // nodes on it
};
std::ostream& operator<<(std::ostream&, const plan_report&);
}  // namespace v1
}  // namespace inlay
