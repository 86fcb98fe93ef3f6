// Models on a server of a test, by gRPC.
#pragma once
#include "grpc_server.hpp"
#include "served.hpp"

namespace inlay::testing {
inline void need(bool good) {  // of requests: threads of a server have no assertions
    if (!good) throw std::runtime_error("a request is not what the protocol has");
}
inline std::string tensor_message(const std::string& name, element type, const shape& dims) {
    std::string s;
    message_writer w(s);
    w.add(1, name);
    w.add(2, datatype_text(type));
    std::string packed;  // a list in one field, as protocol buffers write it
    for (const std::int64_t d : dims) message_writer(packed).varint(std::uint64_t(d));
    w.add(3, packed);
    return s;
}
inline std::string metadata_message(const model& m) {
    std::string s;
    message_writer w(s);
    w.add(1, "m");
    for (const port& p : m.inputs()) w.add(4, tensor_message(p.name, p.type, p.shape));
    for (const port& p : m.outputs()) w.add(5, tensor_message(p.name, p.type, p.shape));
    return s;
}
// Fields of bytes, by their number.
inline std::vector<std::string_view> parts_of(std::string_view message, std::uint64_t number) {
    std::vector<std::string_view> parts;
    message_reader fields(message);
    for (wire_field f; fields.next(f);)
        if (f.number == number && f.kind == wire::bytes) parts.push_back(f.bytes);
    need(fields.good());
    return parts;
}
inline bool is_run(std::string_view request) { return !parts_of(request, 6).empty(); }  // it requests outputs

// Runs a model of float32 with the reference kernels. A test may come first, by `fault`.
class grpc_service {
    inlay::model model_;
    session<reference> session_;

    static tensor tensor_of(std::string_view message, std::string_view bytes) {
        need(parts_of(message, 2).at(0) == "FP32");
        shape dims;
        message_reader fields(message);
        for (wire_field f; fields.next(f);)
            if (f.number == 3) dims.push_back(std::int64_t(f.value));
        tensor t(element::f32, dims);
        need(std::size_t(t.bytes()) == bytes.size());
        if (!bytes.empty()) std::memcpy(t.data(), bytes.data(), bytes.size());
        return t;
    }
    std::string infer(std::string_view request) const {
        need(parts_of(request, 1).at(0) == "m");
        const auto tensors = parts_of(request, 5), raw = parts_of(request, 7);
        need(tensors.size() == raw.size());
        std::vector<std::pair<std::string, tensor>> inputs;
        for (std::size_t k = 0; k < raw.size(); ++k)
            inputs.emplace_back(parts_of(tensors[k], 1).at(0), tensor_of(tensors[k], raw[k]));
        std::vector<feed> feeds;
        for (const auto& [name, t] : inputs) feeds.push_back({name, t});
        const fetched results = session_.run(feeds);
        std::string answer, bytes;
        message_writer w(answer), raw_writer(bytes);
        for (const std::string_view output : parts_of(request, 6)) {
            const std::string name(parts_of(output, 1).at(0));
            const tensor t = results.at(name);
            w.add(5, tensor_message(name, t.type(), t.shape()));
            raw_writer.add(6, {static_cast<const char*>(t.data()), std::size_t(t.bytes())});
        }
        return answer + bytes;
    }

  public:
    std::function<std::optional<grpc_reaction>(std::string_view)> fault{};
    std::atomic<int> metadata_calls{0}, ran{0};  // for metadata, and runs

    explicit grpc_service(inlay::model m) : model_(std::move(m)), session_(model_, quiet(), reference{}) {}
    grpc_reaction operator()(std::string_view request) {
        const bool run = is_run(request);
        ++(run ? ran : metadata_calls);
        if (fault)
            if (auto reaction = fault(request)) return *reaction;
        return message_of(run ? infer(request) : metadata_message(model_));
    }
    auto handler() {
        return [this](std::string_view request) { return (*this)(request); };
    }
};
}  // namespace inlay::testing
