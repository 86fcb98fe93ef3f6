// Models on a server of a test, by the Open Inference Protocol as its documents have it.
#pragma once
#include "../engines.hpp"
#include "server.hpp"
#include <inlay/provider/remote.hpp>
#include <nlohmann/json.hpp>

namespace inlay::testing {
using nlohmann::json;

inline std::string datatype_text(element e) {
    switch (e) {
        case element::f32: return "FP32";
        case element::f64: return "FP64";
        case element::f16: return "FP16";
        case element::bf16: return "BF16";
        case element::boolean: return "BOOL";
        case element::u8: return "UINT8";
        case element::u16: return "UINT16";
        case element::u32: return "UINT32";
        case element::u64: return "UINT64";
        case element::i8: return "INT8";
        case element::i16: return "INT16";
        case element::i32: return "INT32";
        case element::i64: return "INT64";
        case element::string: return "BYTES";
        default: return "NONE";
    }
}
inline json dims_of(const shape& s) { return std::vector<std::int64_t>(s.begin(), s.end()); }
inline json metadata_of(const model& m) {
    const auto ports = [](const auto& entries) {
        json list = json::array();
        for (const port& p : entries)
            list.push_back({{"name", p.name}, {"datatype", datatype_text(p.type)}, {"shape", dims_of(p.shape)}});
        return list;
    };
    return {{"name", "m"}, {"inputs", ports(m.inputs())}, {"outputs", ports(m.outputs())}};
}

// Runs a model of float32 with the reference kernels. A test may come first, by `fault`.
class model_service {
    inlay::model model_;
    session<reference> session_;

    http_reaction infer(const http_question& q) const {
        const json request = json::parse(q.body);
        std::vector<std::pair<std::string, tensor>> inputs;
        for (const json& input : request.at("inputs")) {
            shape dims;
            for (const json& d : input.at("shape")) dims.push_back(d.get<std::int64_t>());
            inputs.emplace_back(input.at("name").get<std::string>(),
                                tensor(dims, input.at("data").get<std::vector<float>>()));
        }
        std::vector<feed> feeds;
        for (const auto& [name, t] : inputs) feeds.push_back({name, t});
        const fetched results = session_.run(feeds);
        json outputs = json::array();
        for (const json& output : request.at("outputs")) {
            const auto name = output.at("name").get<std::string>();
            const tensor t = results.at(name);
            outputs.push_back(
                {{"name", name}, {"datatype", "FP32"}, {"shape", dims_of(t.shape())}, {"data", floats(t)}});
        }
        return answer_of(200, json{{"model_name", "m"}, {"outputs", outputs}}.dump());
    }

  public:
    std::function<std::optional<http_reaction>(const http_question&)> fault{};
    std::atomic<int> metadata_calls{0}, ran{0};  // for metadata, and runs

    explicit model_service(inlay::model m) : model_(std::move(m)), session_(model_, quiet(), reference{}) {}
    http_reaction operator()(const http_question& q) {
        const bool run = q.path == "/v2/models/m/infer" && q.method == "POST";
        ++(run ? ran : metadata_calls);
        if (fault)
            if (auto reaction = fault(q)) return *reaction;
        if (run) return infer(q);
        if (q.path == "/v2/models/m" && q.method == "GET") return answer_of(200, metadata_of(model_).dump());
        return answer_of(404, R"({"error":"no such model"})");
    }
    auto handler() {
        return [this](const http_question& q) { return (*this)(q); };
    }
};
// Of either form of the protocol.
template <class Server> remote remote_at(const Server& s) { return {.endpoint = s.endpoint(), .model_name = "m"}; }
template <class Service, class Server> void check_names() {
    const model m = model_of(
        "g (float[N] a, float[N] b, float s) => (float[N] d, float[N] e, float f) "
        "{ d = Sub(a, b) e = Mul(a, s) f = Neg(s) }");
    Service service(m);
    const Server s(service.handler());
    const inlay::session client{m, quiet(), remote_at(s), cpu{}};
    for (const std::vector<float>& a : {std::vector{1.f, -2.f}, std::vector<float>{}}) {
        const tensor x({std::int64_t(a.size())}, a);
        const fetched y = client.run({{"a", x}, {"b", x}, {"s", tensor(shape{}, {.5f})}});
        CHECK(floats(y.at("d")) == std::vector<float>(a.size(), 0.f));
        CHECK(floats(y.at("f")) == std::vector{-.5f});
        for (std::size_t k = 0; k < a.size(); ++k) CHECK(floats(y.at("e"))[k] == a[k] / 2);
    }
    CHECK(client.plan().count(cpu::name) == 0);
}
}  // namespace inlay::testing
