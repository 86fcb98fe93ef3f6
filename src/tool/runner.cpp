#include "runner.hpp"
#include <fstream>

namespace inlay::tool {
double memory_mib(std::string_view field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field) && line.substr(field.size()).starts_with(':'))
            return std::stod(line.substr(field.size() + 1)) / 1024;
    return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

runner::runner(const session_arguments& a, const model& m, values v)
    : session(make_session(m, a)), inputs(std::move(v)), feeds(feeds_of(m.inputs(), inputs)) {
    for (const feed& f : feeds)
        if (const tensor* t = f.value.as_tensor()) shapes.emplace_back(f.name, t->shape());
    if (shapes.size() != m.inputs().size()) return;
    bound = session.bind(shapes);
    for (const feed& f : feeds) bound->set_input(f.name, *f.value.as_tensor());
}
std::size_t runner::stay_on_devices() {
    if (!bound)
        throw failure{exit_status::unsupported, {error_code::invalid_argument, "only tensors can be kept on a device"}};
    std::size_t copied = 0;
    for (const plan_report::copy& c : session.plan(shapes).transfers) {
        const auto fed = std::ranges::find(feeds, c.value, &feed::name);
        const space* const memory = built_memory(c.from == "host" ? c.to : c.from);
        if (memory && fed != feeds.end() && c.from == "host") {
            on_devices.push_back(fed->value.as_tensor()->copied_to(*memory));
            bound->set_input(fed->name, on_devices.back());
        } else if (memory && c.to == "host" &&
                   std::ranges::find(session.outputs(), c.value, &port::name) != session.outputs().end())
            bound->set_output(c.value, *memory);
        else
            ++copied;
    }
    return copied;
}
void runner::operator()() {
    if (!bound) {
        session.run(feeds);
        return;
    }
    if (const status s = bound->run(); s != status::ok)
        raise({error_code::provider_failed,
               "the run failed: " + std::string(name_of(s)) + " " + std::string(bound->why())});
}
}  // namespace inlay::tool
