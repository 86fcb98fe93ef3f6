// Injected failures of the provider: the session's reaction under each policy. And a provider that is not available.
#include "conformance.hpp"
#include <map>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
constexpr std::string_view reason = "the conformance test lets it fail";
enum class place { open, compile, instance, bind, run, lost };
using on_off = std::shared_ptr<std::atomic<bool>>;
struct failing_object {  // replaces the provider's own object
    provider_handle inner;
    place stage;
    on_off fails = std::make_shared<std::atomic<bool>>(true);
};
error failure(place stage) {
    return {stage == place::open ? error_code::provider_unavailable : error_code::provider_failed, std::string(reason)};
}

class failing_executable final : public executable {
    std::unique_ptr<executable> inner_;
    place stage_;
    on_off fails_;

  public:
    failing_executable(std::unique_ptr<executable> inner, place stage, on_off fails)
        : inner_(std::move(inner)), stage_(stage), fails_(std::move(fails)) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override {
        if (!*fails_) return inner_->run(inputs, outputs, c);
        return c.fail(reason, stage_ == place::lost ? status::device_lost : status::failed);
    }
};
class failing_region final : public compiled_region {
    std::shared_ptr<const compiled_region> inner_;
    place stage_;
    on_off fails_;

  public:
    failing_region(std::shared_ptr<const compiled_region> inner, place stage, on_off fails)
        : inner_(std::move(inner)), stage_(stage), fails_(std::move(fails)) {}
    result<std::unique_ptr<executable>> instance() const override {
        if (stage_ == place::instance && *fails_) return failure(stage_);
        auto inner_executable = inner_->instance();
        if (!inner_executable || stage_ == place::instance) return inner_executable;
        return std::make_unique<failing_executable>(std::move(*inner_executable), stage_, fails_);
    }
};
class failing_engine final : public engine {
    std::shared_ptr<engine> inner_;
    place stage_;
    on_off fails_;

  public:
    failing_engine(std::shared_ptr<engine> inner, place stage, on_off fails)
        : inner_(std::move(inner)), stage_(stage), fails_(std::move(fails)) {}
    void propose(const free_nodes& free, proposals& out) override { inner_->propose(free, out); }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        if (stage_ == place::compile && *fails_) return failure(stage_);
        auto inner_region = inner_->compile(r);
        if (!inner_region) return inner_region;
        return std::make_shared<failing_region>(std::move(*inner_region), stage_, fails_);
    }
};
const kernel_table& failing_kernels(const kernel_table& from, place stage) {  // one for each, kept by the program
    static std::mutex lock;
    static std::map<std::pair<const kernel_table*, place>, kernel_table> tables;
    const std::lock_guard guard(lock);
    const auto [at, fresh] = tables.try_emplace({&from, stage}, from);
    if (fresh)
        for (kernel_functions& f : at->second.functions) {
            if (stage == place::bind)
                f.bind = [](const void*, constants, const setup&, void*) noexcept { return status::failed; };
            else if (stage == place::lost)
                f.run = [](const void*, const void*, const arguments&, context& c) noexcept {
                    return c.fail(reason, status::device_lost);
                };
            else
                f.run = [](const void*, const void*, const arguments&, context& c) noexcept {
                    return c.fail(reason, status::failed);
                };
        }
    return at->second;
}
provider_handle failing(const provider_handle& inner, place stage, on_off* fails = nullptr) {
    provider_handle h = inner;
    auto object = std::make_shared<const failing_object>(failing_object{inner, stage});
    if (fails) *fails = object->fails;
    h.object = object;
    const auto to = [](const void* o) -> const failing_object& { return *static_cast<const failing_object*>(o); };
    static constexpr auto of = to;
    h.accepts = [](const void* o, const node_view& n) { return of(o).inner.accepts(of(o).inner.object.get(), n); };
    h.options = [](const void* o) { return of(o).inner.options(of(o).inner.object.get()); };
    if (inner.operands) h.operands = [](const void* o) { return of(o).inner.operands(of(o).inner.object.get()); };
    if (inner.open_engine)
        h.open_engine = [](const void* o) -> result<std::shared_ptr<engine>> {
            const failing_object& f = of(o);
            if (f.stage == place::open) return failure(f.stage);
            auto inner_engine = f.inner.open_engine(f.inner.object.get());
            if (!inner_engine) return inner_engine;
            return std::make_shared<failing_engine>(std::move(*inner_engine), f.stage, f.fails);
        };
    if (inner.open_device)
        h.open_device = [](const void* o) -> result<std::shared_ptr<device_session>> {
            const failing_object& f = of(o);
            if (f.stage == place::open) return failure(f.stage);
            return f.inner.open_device(f.inner.object.get());
        };
    const bool in_kernels = stage == place::bind || stage == place::run || stage == place::lost;
    if (inner.kernels && in_kernels) h.kernels = &failing_kernels(*inner.kernels, stage);
    return h;
}
error_code code_of(place stage) {
    return stage == place::open   ? error_code::provider_unavailable
           : stage == place::lost ? error_code::device_lost
                                  : error_code::provider_failed;
}
bool has_such_failures(const subject& s, place stage) {
    const provider_handle h = s.handle();
    switch (stage) {
        case place::open: return h.open_engine || h.open_device;
        case place::compile:
        case place::instance: return h.open_engine != nullptr;
        case place::bind: return h.kernels != nullptr && !h.open_engine;  // else its engine takes the nodes first
        default: return true;
    }
}
void is_an_error(const subject& s, const network& n, std::vector<provider_handle> list, fallback policy, place stage,
                 const std::string& under) {
    try {
        const handle_session session(n.model, std::move(list), silent(std::move(policy)));
        (void)session.run(feeds_of(inputs_of(n.model, 1)));
    } catch (const error& e) {
        require(e.code == code_of(stage), under + " the error is " + std::string(name_of(e.code)) + ": " + e.text);
        require(e.provider == s.name || e.provider.empty() || stage == place::open,
                under + " the error is of `" + e.provider + "`");
        if (stage != place::bind)  // a kernel that cannot bind gives a reason only where it refuses
            require(e.text.find(reason) != std::string::npos, under + " the error does not give the reason: " + e.text);
        return;
    }
    throw failed{under + " its failure goes unnoticed"};
}
bool tells_of_failure(const plan_report& r, const std::string& provider) {
    return std::ranges::any_of(r.notes, [&](const std::string& note) {
        return note.find(provider) != std::string::npos && note.find("took over") != std::string::npos;
    });
}
void is_replaced(const subject& s, const network& n, place stage) {
    const handle_session session(n.model, {failing(s.handle(), stage), s.companion()}, silent(fallback::any()));
    const auto inputs = inputs_of(n.model, 1);
    const auto feeds = feeds_of(inputs);
    for (int turn = 0; turn < 2; ++turn) {
        const std::string off = difference(session.run(feeds), plain_results(n.model, feeds), s.options.tolerance);
        require(off.empty(), "under fallback::any, after its failure: " + off);
    }
    const plan_report plan = session.plan();
    require(plan.count(s.name) == 0, "under fallback::any it still has nodes after its failure");
    require(tells_of_failure(plan, s.name), "under fallback::any the plan does not tell that it failed");
}
void fails(const subject& s, place stage) {
    if (!has_such_failures(s, stage)) throw not_applicable{"it has nothing that could fail so"};
    const network& n = s.favourite();
    const auto list = [&] { return std::vector{failing(s.handle(), stage), s.companion()}; };
    is_an_error(s, n, list(), fallback::implicit_cpu(), stage, "under fallback::implicit_cpu");
    std::vector<std::string> operators;
    for (const node& graph_node : n.model.graph().nodes) operators.emplace_back(graph_node.op);
    is_an_error(s, n, list(), fallback::only(operators), stage, "under fallback::only");
    try {
        is_an_error(s, s.alone(), {failing(s.handle(), stage)}, fallback::never(), stage, "under fallback::never");
    } catch (const not_applicable&) {  // it never runs a network alone
    }
    if (s.is_cpu())
        is_an_error(s, n, list(), fallback::any(), stage, "under fallback::any");  // nothing replaces the CPU
    else
        is_replaced(s, n, stage);
}
template <place Stage> void fails_at(const subject& s) { fails(s, Stage); }

// A temporary failure: the same session runs again.
void recovers(const subject& s) {
    if (!s.handle().open_engine) throw not_applicable{"it has no engine"};
    const network& n = s.favourite();
    for (const place stage : {place::instance, place::run}) {
        on_off on;
        const handle_session session(n.model, {failing(s.handle(), stage, &on), s.companion()}, silent());
        const auto inputs = inputs_of(n.model, 1);
        const auto feeds = feeds_of(inputs);
        require(!session.try_run(feeds), "its failure goes unnoticed");
        *on = false;
        const auto again = session.try_run(feeds);
        require(bool(again), "after a failure that has passed: " + (again ? "" : again.why().text));
        const std::string off = difference(*again, plain_results(n.model, feeds), s.options.tolerance);
        require(off.empty(), "after a failure that has passed: " + off);
    }
}
void absence_is_an_error(const subject& s) {
    if (!s.lacks) throw not_applicable{"it is available"};
    require(!s.lacks->text.empty(), "the error has no text");
    for (const network& n : s.networks) {
        bool has_session = true;
        try {
            (void)handle_session(n.model, s.before_companion(), silent());
        } catch (const error& e) {
            has_session = false;
            require(e.code == error_code::provider_unavailable, n.name + ": the error is " + e.text);
        }
        require(!has_session, n.name + ": the session is made");
    }
}
void absence_is_replaced(const subject& s) {
    if (!s.lacks) throw not_applicable{"it is available"};
    for (const network& n : s.networks) {
        const handle_session session(n.model, s.before_companion(), silent(fallback::any()));
        const auto inputs = inputs_of(n.model, 1);
        const auto feeds = feeds_of(inputs);
        const std::string off = difference(session.run(feeds), plain_results(n.model, feeds), s.options.tolerance);
        require(off.empty(), n.name + ": " + off);
        const plan_report plan = session.plan();
        require(plan.count(s.name) == 0, n.name + ": the plan gives it nodes");
        require(tells_of_failure(plan, s.name), n.name + ": the plan does not tell that it is missing");
    }
}
constexpr provider_test absence[] = {
    {"Where it is missing, a session of it is an error that says so", absence_is_an_error, true},
    {"Where it is missing, fallback::any replaces it, and the plan says so", absence_is_replaced, true},
};
}  // namespace
std::span<const provider_test> tests_of_failures() {
    static constexpr provider_test tests[] = {
        {"Where it cannot be opened, each policy does what it says", fails_at<place::open>},
        {"Where a region cannot be compiled, each policy does what it says", fails_at<place::compile>},
        {"Where a region has no executable, each policy does what it says", fails_at<place::instance>},
        {"Where a kernel cannot be bound, each policy does what it says", fails_at<place::bind>},
        {"Where a run fails, each policy does what it says", fails_at<place::run>},
        {"Where the device is lost, each policy does what it says", fails_at<place::lost>},
        {"After a failure that passes the same session runs", recovers},
    };
    return tests;
}
std::span<const provider_test> tests_of_absence() { return absence; }
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
