// Regions that an embedded model carries.
#include "saved_regions.hpp"
#include <inlay/embedded_context.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
// One engine for all regions in use with the same options: each may hold a library, threads and memory.
result<std::shared_ptr<engine>> shared_engine(const restored_region::compiler& by) {
    static std::mutex one_at_a_time;
    static std::map<std::pair<std::string, option_list>, std::weak_ptr<engine>> open;
    const std::lock_guard lock(one_at_a_time);
    std::weak_ptr<engine>& slot = open[{std::string(by.name), by.options}];
    if (auto backend = slot.lock()) return backend;
    auto outcome = by.open(by.provider);
    if (outcome) slot = *outcome;
    return outcome;
}
saved_key key_in(const node_view& n) {
    saved_key key;
    const auto texts = n.texts("key");
    for (std::size_t k = 0; k + 1 < texts.size(); k += 2) key.emplace_back(texts[k], texts[k + 1]);
    return key;
}
}  // namespace

struct restored_region::parts {
    struct request {  // of one run at a time
        std::unique_ptr<executable> work;
        std::vector<buffer> inputs, outputs;
    };
    std::string failure{};
    std::shared_ptr<engine> backend{};
    std::shared_ptr<const compiled_region> compiled{};
    std::vector<buffer> inputs{}, outputs{};       // without memory of their own: runs set it
    std::array<std::atomic<request*>, 16> idle{};  // more concurrent threads than this create a request for each run

    ~parts() {
        for (auto& place : idle) delete place.load();
    }
    status fail(std::string text, status s = status::failed) {
        failure = std::move(text);
        return s;
    }
    status restore(const node_view& n, const void* bytes, const compiler& by) {
        const std::string name = "`" + std::string(n.text("partition_name", "")) + "`: ";
        auto engine = shared_engine(by);
        if (!engine) return fail(name + std::string(by.name) + " cannot be used: " + engine.why().text);
        backend = std::move(*engine);
        if (const std::string problem = difference(key_in(n), key_of(*backend, by.options)); !problem.empty())
            return fail(name + problem, status::unsupported);
        const int node = int(&n.record - n.graph.nodes.data());
        const auto reads = n.graph.list(n.record.inputs).subspan(1), makes = n.graph.list(n.record.outputs);
        const auto size = std::size_t(n.input(0).dims.elements());
        auto outcome = restored_by(*backend, by.name, {n.graph, {&node, 1}, reads, makes},
                                   {static_cast<const std::byte*>(bytes), size});
        if (!outcome) return fail(name + outcome.why().text);
        compiled = std::move(*outcome);
        const auto without_memory = [&](int id) {
            const value& v = n.graph.values[std::size_t(id)];
            return buffer{.type = v.type, .dims = v.dims};
        };
        for (const int id : reads) inputs.push_back(without_memory(id));
        for (const int id : makes) outputs.push_back(without_memory(id));
        auto first = instance();
        if (!first) return fail(name + std::string(by.name) + ": " + first.why().text);
        idle[0] = first->release();
        return status::ok;
    }
    result<std::unique_ptr<request>> instance() const {
        auto outcome = compiled->instance();
        if (!outcome) return outcome.why();
        return std::make_unique<request>(request{std::move(*outcome), inputs, outputs});
    }
    // A request that no other run uses: kept since an earlier one, or new.
    std::unique_ptr<request> take() {
        for (auto& place : idle)
            if (request* r = place.exchange(nullptr)) return std::unique_ptr<request>(r);
        auto outcome = instance();
        return outcome ? std::move(*outcome) : nullptr;
    }
    void give_back(std::unique_ptr<request> r) {
        for (auto& place : idle)
            if (request* expected = nullptr; place.compare_exchange_strong(expected, r.get())) return void(r.release());
    }
};

restored_region::restored_region() noexcept = default;
restored_region::~restored_region() = default;
status restored_region::bind(const node_view& n, const void* bytes, const compiler& by) noexcept {
    try {
        parts_ = std::make_unique<parts>();
        return parts_->restore(n, bytes, by);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
}
std::string_view restored_region::why() const noexcept {
    return parts_ && !parts_->failure.empty() ? std::string_view(parts_->failure) : "no memory to restore a region";
}
status restored_region::run(const arguments& a, context& c) const noexcept {
    auto request = parts_->take();
    if (!request) return c.fail("the engine has no room for one more run at a time", status::failed);
    const auto place = [](buffer& b, void* at) { b.data = b.allocation = at; };
    for (std::size_t k = 0; k < request->inputs.size(); ++k)
        place(request->inputs[k], const_cast<void*>(a.inputs[k + 1]));  // input 0 is the compiled region
    for (std::size_t k = 0; k < request->outputs.size(); ++k) place(request->outputs[k], a.outputs[k]);
    const status s = request->work->run(request->inputs, request->outputs, c);
    parts_->give_back(std::move(request));
    return s;
}
}  // namespace v1
}  // namespace inlay
