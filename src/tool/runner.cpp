#include "runner.hpp"
#include <fstream>

namespace inlay::tool {
double memory_mib(std::string_view which) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(which) && line.substr(which.size()).starts_with(':')) return std::stod(line.substr(which.size() + 1)) / 1024;
    return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

runner::runner(const session_arguments& a, const model& m, values v) : session(make_session(m, a)), inputs(std::move(v)), feeds(feeds_of(m.inputs(), inputs)) {
    std::vector<std::pair<std::string_view, shape>> shapes;
    for (const feed& f : feeds) if (const tensor* t = f.value.as_tensor()) shapes.emplace_back(f.name, t->shape());
    if (shapes.size() != m.inputs().size()) return;
    bound = session.bind(shapes);
    for (const feed& f : feeds) bound->set_input(f.name, *f.value.as_tensor());
}
void runner::operator()() {
    if (!bound) { session.run(feeds); return; }
    if (const status s = bound->run(); s != status::ok) raise({error_code::provider_failed, "the run failed: " + std::string(name_of(s)) + " " + std::string(bound->why())});
}
}  // namespace inlay::tool
