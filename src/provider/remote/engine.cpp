// A whole model as one region, which a server runs.
#include "form.hpp"
#include <algorithm>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
const remote_form& form_of(const remote_target& t) { return t.grpc ? grpc_form() : json_form(); }

class remote_region final : public compiled_region {
    std::shared_ptr<const remote_target> target_;
    std::vector<remote_port> inputs_, outputs_;

    class request;
    static std::vector<remote_port> ports_of(const graph_view& g, std::span<const int> values) {
        std::vector<remote_port> ports;
        for (const int id : values)
            ports.push_back({std::string(g.values[std::size_t(id)].name), g.values[std::size_t(id)].type});
        return ports;
    }

  public:
    remote_region(std::shared_ptr<const remote_target> target, const region& r)
        : target_(std::move(target)), inputs_(ports_of(r.graph, r.inputs)), outputs_(ports_of(r.graph, r.outputs)) {}
    result<std::unique_ptr<executable>> instance() const override;
};
class remote_region::request final : public executable {
    const remote_region& region_;
    http_connection connection_;
    http_request question_;
    http_answer answer_;

  public:
    explicit request(const remote_region& r) : region_(r), connection_(r.target_) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        const remote_target& target = *region_.target_;
        const remote_form& form = form_of(target);
        if (std::string reason = form.ask_run(target, region_.inputs_, inputs, region_.outputs_, question_);
            !reason.empty())
            return c.fail(reason, status::invalid_value);
        question_.most_bytes = most_answer_bytes(outputs);
        if (const status s = connection_.send(question_, &c, answer_); s != status::ok)
            return s == status::failed ? c.fail(connection_.why(), status::failed) : s;
        if (std::string reason = form.refusal_in(answer_, connection_); !reason.empty())
            return c.fail(reason, status::failed);
        const std::string reason = form.read_outputs(answer_, region_.outputs_, outputs);
        return reason.empty() ? status::ok : c.fail("wrong answer: " + reason, status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception&) {
        return c.fail("the request failed by an exception", status::failed);
    }
};
result<std::unique_ptr<executable>> remote_region::instance() const { return std::make_unique<request>(*this); }

class remote_engine final : public engine {
    std::shared_ptr<const remote_target> target_;
    std::mutex lock_;
    std::optional<served_model> served_;  // once the server reported it

    // Why there are no metadata; empty: there are.
    std::string ask_server() {
        if (served_) return {};
        const remote_form& form = form_of(*target_);
        http_connection connection(target_);
        http_request question;
        http_answer answer;
        question.most_bytes = 1 << 20;
        form.ask_metadata(*target_, question);
        if (connection.send(question, nullptr, answer) != status::ok) return connection.why();
        if (std::string reason = form.refusal_in(answer, connection); !reason.empty()) return reason;
        served_model model;
        if (const std::string reason = form.read_metadata(answer, model); !reason.empty())
            return "wrong answer: the metadata of the server's model: " + connection.quoted(reason);
        served_ = std::move(model);
        return {};
    }
    // Nodes of which none is computed already.
    static std::vector<int> all_nodes(const graph_view& g) {
        std::vector<int> nodes;
        for (std::size_t i = 0; i < g.nodes.size(); ++i)
            if (!all_constant(g.values, g.list(g.nodes[i].outputs))) nodes.push_back(int(i));
        return nodes;
    }
    // Why the server does not run these nodes, which are to be the whole model; empty: it does.
    std::string refusal(const free_nodes& free, std::span<const int> nodes) {
        const graph_view& g = free.graph;
        for (const int i : nodes)
            if (!std::ranges::binary_search(free.nodes, i)) {
                const node& n = g.nodes[std::size_t(i)];
                return "a server runs whole models, and this one has a node that it cannot be given: `" +
                       std::string(n.name) + "` (" + std::string(n.op) +
                       ") is another provider's or the session's, or its shapes are data-dependent";
            }
        const std::lock_guard lock(lock_);
        if (std::string reason = ask_server(); !reason.empty()) return reason;
        const region_values ends = ends_of(g, nodes);
        return printable(difference(*served_, g, ends.inputs, ends.outputs, target_->grpc || target_->options.binary));
    }
    static std::string refusal(const node& n) {
        if (n.domain != "com.microsoft.extensions") return {};
        return std::string(n.op) +
               " calls a service of its own; the provider runs whole models by the Open Inference "
               "Protocol, and no such nodes";
    }

  public:
    explicit remote_engine(std::shared_ptr<const remote_target> t) : target_(std::move(t)) {}
    void propose(const free_nodes& free, proposals& out) override {
        std::vector<int> nodes = all_nodes(free.graph);
        std::string reason;
        for (const int i : nodes)
            if (reason.empty()) reason = refusal(free.graph.nodes[std::size_t(i)]);
        if (reason.empty() && !nodes.empty()) reason = refusal(free, nodes);
        for (const int i : free.nodes)
            if (std::ranges::binary_search(nodes, i) && !reason.empty())
                out.refuse(i, reason);
            else if (!std::ranges::binary_search(nodes, i))
                out.refuse(i, "its results are constants, which a server has already");
        if (reason.empty() && !nodes.empty()) out.take(std::move(nodes));
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        return std::make_shared<remote_region>(target_, r);
    }
    result<std::shared_ptr<const compiled_region>> compile_for_any_shapes(const region& r) override {
        return compile(r);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", curl_library().version}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> remote::open() const {
    const auto unavailable = [](const std::string& reason) {
        return error(error_code::provider_unavailable, std::string(name) + ": " + reason);
    };
    if (!curl_library().problem.empty()) return unavailable("libcurl cannot be used: " + curl_library().problem);
    if (endpoint.empty()) return unavailable("`endpoint` is empty: it names the server, as in http://127.0.0.1:8080");
    auto target = target_of(*this);
    if (!target) return target.why();
    return std::make_shared<remote_engine>(std::move(*target));
}
}  // namespace v1
}  // namespace inlay
