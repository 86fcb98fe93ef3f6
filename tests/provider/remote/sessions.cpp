// Models that a server on loopback runs, compared with the reference kernels; what is refused, and why.
#include "served.hpp"
#include <limits>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string why_refused(const std::string& graph, const http_server& s, std::string_view op, bool binary = false) {
    remote p = remote_at(s);
    p.binary = binary;
    const session client{model_of(graph), quiet(), p, cpu{}};
    CHECK(client.plan().count(remote::name) == 0);
    return refusal_of<remote>(client.plan(), op);
}
std::string why_refused(const std::string& graph, const std::string& metadata, std::string_view op) {
    const http_server s([&](const http_question&) { return answer_of(200, metadata); });
    return why_refused(graph, s, op);
}
error why_not_open(const remote& p) {
    const auto result =
        session<remote, cpu>::try_make(model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }"), quiet(), p, cpu{});
    return result ? error(error_code::not_found, "it was made") : result.why();
}

// Gives the input back as it came, as the output y.
http_reaction echo(const http_question& q, const model& m) {
    if (q.method == "GET") return answer_of(200, metadata_of(m).dump());
    const std::string mark = "\r\ninference-header-content-length: ";
    const auto at = q.headers.find(mark);
    const std::size_t size = at == q.headers.npos ? q.body.size() : std::stoul(q.headers.substr(at + mark.size()));
    json output = json::parse(q.body.substr(0, size)).at("inputs").at(0);
    output["name"] = "y";
    const std::string head = json{{"model_name", "m"}, {"outputs", {output}}}.dump();
    return answer_of(
        200, head + q.body.substr(size),
        at == q.headers.npos ? "" : "INFERENCE-Header-Content-Length: " + std::to_string(head.size()) + "\r\n");
}
template <class T> void check_echo(std::string_view onnx_type, const std::vector<T>& values, bool binary) {
    INFO(onnx_type << (binary ? " as bytes" : " as JSON"));
    const std::string type(onnx_type);
    const model m = model_of("g (" + type + "[N] x) => (" + type + "[N] y) { y = Identity(x) }");
    const http_server s([&](const http_question& q) { return echo(q, m); });
    remote p = remote_at(s);
    p.binary = binary;
    const inlay::session client{m, quiet(), p, cpu{}};
    const tensor x({std::int64_t(values.size())}, values);
    const tensor y = client.run({{"x", x}})[0];
    CHECK(client.plan().count(remote::name) == 1);
    REQUIRE(y.type() == x.type());
    REQUIRE(y.shape() == x.shape());
    CHECK(std::memcmp(y.data(), x.data(), std::size_t(x.bytes())) == 0);
}
template <class T> void check_integers(std::string_view onnx_type) {
    using l = std::numeric_limits<T>;
    for (const bool binary : {false, true}) check_echo<T>(onnx_type, {l::min(), 0, 1, l::max()}, binary);
}
template <class T> std::vector<T> extremes() {
    using l = std::numeric_limits<T>;
    return {T(0), T(-0.), T(.1), l::max(), l::lowest(), l::min(), l::denorm_min(), T(1) / T(3), T(1e20), T(123456789)};
}
}  // namespace

TEST_CASE("A whole model runs on a server, with the results of the reference kernels for each size", "[remote]") {
    const model m = model_of(network_for("N"));
    model_service service(m);
    const http_server s(service.handler());
    const session client{m, quiet(), remote_at(s), cpu{}};
    const session plain{m, quiet(), reference{}};
    for (const std::int64_t n : {1, 3, 1, 2}) {
        const std::vector<feed> in{{"x", ramp({n, 3, 8, 8})}};
        check_close(floats(client.run(in)[0]), floats(plain.run(in)[0]));
    }
    CHECK(client.plan().count(remote::name) == 5);
    CHECK(client.plan().count(cpu::name) == 0);
    CHECK(service.ran == 4);
    CHECK(service.metadata_calls == 1);
}

TEST_CASE("Runs of several threads have connections of their own", "[remote][threads]") {
    const model m = model_of(network_for("N"));
    model_service service(m);
    const http_server s(service.handler());
    check_threads(remote_at(s), m);
}

TEST_CASE("A binding writes what the server gives into memory of the caller", "[remote]") {
    const model m = model_of("g (float[2,3] x) => (float[2,3] y) { y = Abs(x) }");
    model_service service(m);
    const http_server s(service.handler());
    check_binding(remote_at(s));
}

TEST_CASE("Several inputs and outputs go by their names, and tensors without elements too", "[remote]") {
    check_names<model_service, http_server>();
}

TEST_CASE("Numbers of every type come back from a server as they were, as JSON and as bytes", "[remote]") {
    check_integers<std::uint8_t>("uint8");
    check_integers<std::uint16_t>("uint16");
    check_integers<std::uint32_t>("uint32");
    check_integers<std::uint64_t>("uint64");
    check_integers<std::int8_t>("int8");
    check_integers<std::int16_t>("int16");
    check_integers<std::int32_t>("int32");
    check_integers<std::int64_t>("int64");
    for (const bool binary : {false, true}) {
        check_echo<float>("float", extremes<float>(), binary);
        check_echo<double>("double", extremes<double>(), binary);
        std::vector<float16> halves;
        for (const float h : {0.f, -0.f, .1f, 65504.f, 6e-8f}) halves.emplace_back(h);
        check_echo<float16>("float16", halves, binary);
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    check_echo<float>("float", {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}, true);
    check_echo<bfloat16>("bfloat16", {bfloat16(1.5f), bfloat16(infinity)}, true);
}

TEST_CASE("Booleans come back from a server as they were", "[remote]") {
    const model m = model_of("g (bool[3] x) => (bool[3] y) { y = Identity(x) }");
    const http_server s([&](const http_question& q) { return echo(q, m); });
    for (const bool binary : {false, true}) {
        remote p = remote_at(s);
        p.binary = binary;
        const inlay::session client{m, quiet(), p, cpu{}};
        tensor x(element::boolean, {3});
        x.as<bool>()[0] = x.as<bool>()[2] = true;
        x.as<bool>()[1] = false;
        const tensor y = client.run({{"x", x}})[0];
        CHECK(std::ranges::equal(y.as<bool>(), std::array{true, false, true}));
        CHECK(client.plan().count(remote::name) == 1);
    }
}

TEST_CASE("Strings come back from a server as they were, and only as bytes where they are no UTF-8", "[remote]") {
    const model m = model_of("g (string[4] x) => (string[4] y) { y = Identity(x) }");
    const http_server s([&](const http_question& q) { return echo(q, m); });
    for (const bool binary : {false, true}) {
        remote p = remote_at(s);
        p.binary = binary;
        const inlay::session client{m, quiet(), p, cpu{}};
        tensor x(element::string, {4});
        const std::string texts[] = {"", "caf\xc3\xa9 \"\\\n", std::string("\0,]", 3), std::string(100000, 's')};
        std::ranges::copy(texts, x.as<std::string>().begin());
        const tensor y = client.run({{"x", x}})[0];
        CHECK(std::ranges::equal(y.as<std::string>(), texts));
        CHECK(client.plan().count(remote::name) == 1);
        x.as<std::string>()[1] = "\xff";
        const auto result = client.try_run(std::vector<feed>{{"x", x}});
        REQUIRE(bool(result) == binary);
        if (binary) {
            const tensor z = (*result)[0];
            CHECK(z.as<std::string>()[1] == "\xff");
        }
        if (!binary) CHECK(result.why().code == error_code::invalid_value);
        if (!binary) CHECK(has_text(result.why().text, "input `x` has a string that is no UTF-8"));
    }
}

TEST_CASE("A number that JSON has not is an error of the run and not another number", "[remote]") {
    const model m = model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    model_service service(m);
    const http_server s(service.handler());
    const inlay::session client{m, quiet(), remote_at(s), cpu{}};
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const auto result = client.try_run(std::vector<feed>{{"x", tensor({2}, {1.f, wrong})}});
        REQUIRE_FALSE(result);
        CHECK(result.why().code == error_code::invalid_value);
        CHECK(has_text(result.why().text, "input `x` has a NaN or an infinity"));
    }
    CHECK(service.ran == 0);
    CHECK(client.try_run(std::vector<feed>{{"x", tensor({2}, {1.f, -1.f})}}));
}

TEST_CASE("A model that is not the server's is refused, with what differs", "[remote]") {
    const std::string graph = "g (float[2,N] x) => (float[2,N] y) { y = Relu(x) }";
    const auto with = [](const std::string& input, const std::string& output) {
        return R"({"inputs":[)" + input + R"(],"outputs":[)" + output + "]}";
    };
    const std::string x = R"({"name":"x","datatype":"FP32","shape":[2,-1]})",
                      y = R"({"name":"y","datatype":"FP32","shape":[2,-1]})";
    const std::pair<std::string, std::string> cases[] = {
        {with("", y), "the server's model has no input `x`"},
        {with(x, ""), "the server's model has no output `y`"},
        {with(R"({"name":"x","datatype":"FP64","shape":[2,-1]})", y), "input `x` is FP64 on the server, and FP32 here"},
        {with(x, R"({"name":"y","datatype":"INT8","shape":[2,-1]})"), "output `y` is INT8 on the server, and FP32"},
        {with(R"({"name":"x","datatype":"FP32","shape":[3,-1]})", y), "input `x` has the shape [3,-1] on the server"},
        {with(R"({"name":"x","datatype":"FP32","shape":[2]})", y), "input `x` has the shape [2] on the server"},
        {with(x + R"(,{"name":"z\n\u001b[2J","datatype":"FP32","shape":[1]})", y), "an input `z ?[2J` that no node"},
        {"[1]", "wrong answer: the metadata of the server's model: it is no JSON object"},
        {"{\"inputs\":[", "it is no JSON object"},
        {R"({"inputs":7,"outputs":[]})", "it has no list `inputs`"},
        {with(R"({"name":"x","datatype":"FP32"})", y), "lacks a name, a datatype or a shape"},
        {with(R"({"name":"x","datatype":"FP32","shape":[1e300]})", y), "lacks a name, a datatype or a shape"},
        {with(R"({"name":"x","datatype":"FP32","shape":[18446744073709551615]})", y), "lacks a name, a datatype"},
        {std::string(200, '['), "it has more values than metadata have"},
        {"[" + std::string(200000, ',') + "]", "it has more values than metadata have"},
        {std::string(2 << 20, ' '), "wrong answer: it has more than the 1048576 bytes that it may have"},
    };
    for (const auto& [metadata, expected] : cases) {
        INFO(metadata.substr(0, 200));
        const std::string refusal = why_refused(graph, metadata, "Relu");
        INFO(refusal);
        CHECK(has_text(refusal, expected));
    }
    model_service service(model_of(graph));
    const http_server s(service.handler());
    const inlay::session client{model_of(graph), quiet(), remote_at(s), cpu{}};
    CHECK(client.run({{"x", ramp({2, 3})}})[0].shape() == shape{2, 3});
    CHECK(client.plan().count(remote::name) == 1);
}

TEST_CASE("An input that no node reads, and a type that does not go over JSON, are refused", "[remote]") {
    const std::string two = "g (float[2] x, float[2] z) => (float[2] y) { y = Relu(x) }",
                      small = "g (bfloat16[2] x) => (bfloat16[2] y) { y = Identity(x) }",
                      pairs = "g (complex64[2] x) => (complex64[2] y) { y = Identity(x) }";
    for (const std::string& graph : {two, small, pairs}) {
        const std::string metadata = metadata_of(model_of(graph)).dump();
        const std::string reason = why_refused(graph, metadata, graph == two ? "Relu" : "Identity");
        INFO(reason);
        CHECK(has_text(reason, graph == two     ? "has an input `z` that no node reads here"
                               : graph == small ? "with `binary` it goes"
                                                : "which the provider does not send"));
    }
}

TEST_CASE("A server runs a whole model or none of it", "[remote]") {
    const std::string graph = "g (float[4] x) => (float[4] y) { a = Relu(x) y = Neg(a) }";
    model_service service(model_of(graph));
    const http_server s(service.handler());
    const inlay::session after{model_of(graph), quiet(), only<cpu, op::relu>{}, remote_at(s), reference{}};
    CHECK(after.plan().count(remote::name) == 0);
    CHECK(has_text(refusal_of<remote>(after.plan(), "Neg"), "(Relu) is another provider's"));
    const std::string late = "g (float[4] x) => (int64[1,M] y) { a = Relu(x) y = NonZero(a) }";
    CHECK(has_text(why_refused(late, s, "Relu"), "or its shapes are data-dependent"));
    CHECK(service.metadata_calls == 0);
    session_options strict = quiet();
    strict.fallback = fallback::never();
    CHECK(raised([&] {
              const inlay::session client{model_of("g (float[4] x) => (float[4] z) { z = Relu(x) }"), strict,
                                          remote_at(s)};
          }).code == error_code::no_provider);
}

TEST_CASE("Operators that call services of their own are refused with a reason that says so", "[remote]") {
    const model m = model_of(
        "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft.extensions\" : 1]> g (float[2] x) => (float[2] y) "
        "{ a = Relu(x) y = com.microsoft.extensions.OpenAIAudioToText(a) }");
    const http_server s([](const http_question&) { return answer_of(500, ""); });
    const auto result = session<remote, cpu>::try_make(m, quiet(), remote_at(s), cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::no_provider);
    INFO(result.why().text);
    CHECK(has_text(result.why().text, "AzureExecutionProvider: OpenAIAudioToText calls a service of its own"));
}

TEST_CASE("Nodes whose results are constants are no part of what the server must have", "[remote]") {
    const model m = model_of(
        "g (float[2] x) => (float[2] y) <int8[2] q = {2, -4}, float scale = {0.5}> "
        "{ w = DequantizeLinear(q, scale) y = Mul(x, w) }");
    model_service service(m);
    const http_server s(service.handler());
    const inlay::session client{m, quiet(), remote_at(s), cpu{}};
    CHECK(floats(client.run({{"x", tensor({2}, {3.f, 5.f})}})[0]) == std::vector{3.f, -10.f});
    CHECK(client.plan().count(remote::name) == 1);
    CHECK(client.plan().count(cpu::name) == 0);
}

TEST_CASE("The name, the version and the place of a model on the server make its address", "[remote]") {
    const model m = model_of("g (float[1] x) => (float[1] y) { y = Relu(x) }");
    std::mutex lock;
    std::vector<std::string> paths;
    const http_server s([&](const http_question& q) {
        const std::lock_guard guard(lock);
        paths.push_back(q.path);
        return echo(q, m);
    });
    remote p = remote_at(s);
    p.endpoint += "/below//";
    p.model_name = "a b/\xc3\xbc";
    p.model_version = "7";
    const inlay::session client{m, quiet(), p, cpu{}};
    (void)client.run({{"x", tensor({1}, {1.f})}});
    const std::string expected = "/below/v2/models/a%20b%2F%C3%BC/versions/7";
    CHECK(paths == std::vector{expected, expected + "/infer"});
}

TEST_CASE("Options of the server are read from text, written, and checked before anything is sent", "[remote]") {
    remote p;
    CHECK(set_option(p, "endpoint", "http://127.0.0.1:1"));
    CHECK(set_option(p, "binary", "true"));
    CHECK(options_of(p).front() == std::pair<std::string, std::string>{"endpoint", "http://127.0.0.1:1"});
    CHECK_FALSE(set_option(p, "timeout", "soon"));
    CHECK_FALSE(set_option(p, "token", "secret"));  // tokens do not stand in options
    CHECK(why_not_open(remote{}).code == error_code::provider_unavailable);
    CHECK(has_text(why_not_open(remote{}).text, "`endpoint` is empty"));

    const auto with = [](auto change) {
        remote q{.endpoint = "http://127.0.0.1:1", .model_name = "m"};
        change(q);
        return q;
    };
    const std::pair<remote, std::string> cases[] = {
        {with([](remote& q) { q.endpoint = "127.0.0.1:1"; }), "`endpoint` is"},
        {with([](remote& q) { q.endpoint = "ftp://127.0.0.1"; }), "`endpoint` is neither http nor https, nor grpc"},
        {with([](remote& q) { q.endpoint = "http://me:secret@127.0.0.1"; }), "`endpoint` has a user"},
        {with([](remote& q) { q.endpoint = "http://127.0.0.1/?key=secret"; }), "`endpoint` has a user, a query"},
        {with([](remote& q) { q.model_name = ""; }), "`model_name` is empty"},
        {with([](remote& q) { q.model_name = ".."; }), "`model_name` cannot be `..`"},
        {with([](remote& q) { q.model_version = "."; }), "`model_version` cannot be `.`"},
        {with([](remote& q) { q.timeout = 0; }), "`timeout` is from 1 to 86400, not 0"},
        {with([](remote& q) { q.retries = -1; }), "`retries` is from 0 to 100, not -1"},
        {with([](remote& q) { q.connect_timeout = 100000; }), "`connect_timeout` is from 1 to 86400"},
        {with([](remote& q) {
             q.token_variable = "V";
             q.token = [] { return std::string("t"); };
         }),
         "exclude each other"},
    };
    for (const auto& [wrong, expected] : cases) {
        const error e = why_not_open(wrong);
        INFO(e.text);
        CHECK(e.code == error_code::invalid_option);
        CHECK(has_text(e.text, expected));
        CHECK_FALSE(has_text(e.text, "secret"));
    }
}
