// Profiles in the format of chrome://tracing and Perfetto: one complete event per run and step, those of bodies within
// their node's.
#include "report/json_writer.hpp"
#include <inlay/profile.hpp>
#include <charconv>

namespace inlay {
inline namespace v1 {
std::string shapes_of(std::span<const step_profile::argument> arguments) {
    std::string text;
    for (const step_profile::argument& a : arguments)
        text += (text.empty() ? "" : " ") + (a.dims.known() ? to_string(a.dims) : "[...]");
    return text;
}

namespace {
class trace_writer {
    std::string text_;
    bool first_ = true;
    void put(std::string_view s) { text_ += s; }
    void number(double x, int decimals) {
        char digits[400];
        text_.append(digits, std::to_chars(digits, std::end(digits), x, std::chars_format::fixed, decimals).ptr);
    }
    void field(std::string_view name, std::string_view text) {  // not the first of its object
        put(",\"");
        put(name);
        put("\":");
        write_quoted(text_, text);
    }
    void begin_event(std::string_view name, std::string_view category, const time_span& at) {
        put(first_ ? "\n{\"ph\":\"X\",\"pid\":1,\"tid\":1" : ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1");
        first_ = false;
        field("name", name);
        field("cat", category);
        put(",\"ts\":");
        number(at.start * 1e6, 3);
        put(",\"dur\":");
        number(at.seconds * 1e6, 3);
    }
    void step(const step_profile& s) {
        for (const time_span& run : s.runs) {
            begin_event(s.node, s.op, run);
            put(",\"args\":{\"bytes\":" + std::to_string(s.bytes) + ",\"flop\":");
            number(s.flop, 0);
            field("provider", s.provider);
            field("kernel", s.kernel);
            field("inputs", shapes_of(s.inputs));
            field("outputs", shapes_of(s.outputs));
            put("}}");
        }
        for (const step_profile& inside : s.body) step(inside);
    }

  public:
    std::string write(const run_profile& p) && {
        put("{\"schema\":\"inlay.trace\",\"version\":1");
        field("model", p.model);
        field("instruction_set", p.level);
        put(",\"threads\":" + std::to_string(p.threads) + ",\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
        for (std::size_t r = 0; r < p.runs.size(); ++r) {
            begin_event("run " + std::to_string(r), "run", p.runs[r]);
            put("}");
        }
        for (const step_profile& s : p.steps) step(s);
        put("\n]}\n");
        return std::move(text_);
    }
};
}  // namespace

std::string trace_of(const run_profile& p) { return trace_writer().write(p); }
}  // namespace v1
}  // namespace inlay
