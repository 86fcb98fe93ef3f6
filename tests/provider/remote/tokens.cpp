// Bearer tokens: where they come from, where they go, and where they do not.
#include "served.hpp"
#include <cstdio>
#include <cstdlib>
using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string graph = "g (float[2] x) => (float[2] y) { y = Relu(x) }";
const std::vector<feed>& inputs() {
    static const std::vector<feed> list{{"x", tensor({2}, {1.f, -1.f})}};
    return list;
}
struct guarded_service : model_service {  // accepts requests with the token
    std::string accepted = "t0ken";
    guarded_service() : model_service(model_of(graph)) {
        fault = [this](const http_question& q) -> std::optional<http_reaction> {
            if (q.has_header("authorization: bearer " + accepted)) return {};
            const auto at = q.headers.find("authorization: ");
            const std::string sent =
                at == q.headers.npos ? "nothing" : q.headers.substr(at, q.headers.find('\r', at) - at);
            return answer_of(q.path.ends_with("infer") ? 403 : 401, json{{"error", "you sent " + sent}}.dump());
        };
    }
};
// What is written to standard error meanwhile.
std::string standard_error_of(const std::function<void()>& f) {
    std::FILE* const file = std::tmpfile();
    const int before = dup(2);
    REQUIRE((file && before >= 0));
    std::fflush(stderr);
    dup2(fileno(file), 2);
    f();
    std::fflush(stderr);
    dup2(before, 2);
    close(before);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text.push_back(char(c));
    std::fclose(file);
    return text;
}
}  // namespace

TEST_CASE("A token goes along with each request, from a function or the variable that an option names", "[remote]") {
    guarded_service service;
    const http_server s(service.handler());
    remote by_function = remote_at(s), by_variable = remote_at(s);
    by_function.token = [] { return std::string("t0ken"); };
    by_variable.token_variable = "INLAY_TEST_TOKEN";
    setenv("INLAY_TEST_TOKEN", "t0ken", 1);
    for (const remote& p : {by_function, by_variable}) {
        const session client{model_of(graph), quiet(), p, cpu{}};
        CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
        CHECK(client.plan().count(remote::name) == 1);
    }
    unsetenv("INLAY_TEST_TOKEN");
    const auto result = session<remote, cpu>::try_make(model_of(graph), quiet(), by_variable, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, "INLAY_TEST_TOKEN, which `token_variable` names, is not set"));
}

TEST_CASE("A caller whom the server refuses gets an error, without the token", "[remote]") {
    guarded_service service;
    const http_server s(service.handler());
    const session anonymous{model_of(graph), quiet(), remote_at(s), cpu{}};
    CHECK(refusal_of<remote>(anonymous.plan(), "Relu") == "unauthorised: the server answers 401: you sent nothing");
    remote p = remote_at(s);
    const auto token = std::make_shared<std::string>("t0ken");
    p.token = [token] { return *token; };
    const session client{model_of(graph), quiet(), p, cpu{}};
    REQUIRE(client.try_run(inputs()));
    *token = "wr0ng";
    const auto result = client.try_run(inputs());
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_failed);
    CHECK(has_text(result.why().text, "unauthorised: the server answers 403: you sent authorization: bearer ***"));
    *token = "t0ken";
    CHECK(client.try_run(inputs()));
}

TEST_CASE("What is no token is not sent", "[remote]") {
    guarded_service service;
    const http_server s(service.handler());
    remote p = remote_at(s);
    const std::string wrong[] = {"", "a b", "t0ken\r\nX-Other: 1", "\xc3\xbc", std::string("t\0n", 3)};
    for (const std::string& text : wrong) {
        p.token = [text] { return text; };
        const session client{model_of(graph), quiet(), p, cpu{}};
        CHECK(
            has_text(refusal_of<remote>(client.plan(), "Relu"), "unauthorised: the token is empty, or has characters"));
    }
    p.token = []() -> std::string { throw std::runtime_error("the vault is shut"); };
    const session client{model_of(graph), quiet(), p, cpu{}};
    CHECK(refusal_of<remote>(client.plan(), "Relu") == "unauthorised: `token` gave none: the vault is shut");
    CHECK(service.metadata_calls == 0);
}

TEST_CASE("A token does not go to another machine without encryption", "[remote]") {
    const auto try_at = [](const std::string& endpoint) {
        remote p{.endpoint = endpoint, .model_name = "m"};
        p.token = [] { return std::string("t0ken"); };
        return p.open();
    };
    for (const char* endpoint :
         {"http://192.0.2.1", "grpc://192.0.2.1:8081", "http://127.0.0.1.example", "http://localhost.example:80/x"}) {
        const auto result = try_at(endpoint);
        REQUIRE_FALSE(result);
        CHECK(has_text(result.why().text, "a token goes to another machine by https or grpcs only"));
    }
    for (const char* endpoint : {"http://127.0.0.1", "http://127.1.2.3:80", "http://localhost", "http://[::1]:8080",
                                 "https://192.0.2.1", "grpcs://192.0.2.1"})
        CHECK(try_at(endpoint));
}

TEST_CASE("A token does not go to another machine whose certificate is not verified", "[remote]") {
    const auto try_at = [](const std::string& endpoint, bool with_token) {
        remote p{.endpoint = endpoint, .model_name = "m", .verify_certificates = false};
        if (with_token) p.token = [] { return std::string("t0ken"); };
        return p.open();
    };
    for (const char* endpoint : {"https://192.0.2.1", "grpcs://192.0.2.1:8081", "https://localhost.example"}) {
        const auto result = try_at(endpoint, true);
        REQUIRE_FALSE(result);
        CHECK(has_text(result.why().text, "only if its certificate is verified"));
        CHECK(try_at(endpoint, false));
    }
    CHECK(try_at("https://127.0.0.1", true));
}

TEST_CASE("Each attempt is a line on standard error where `verbose` is on, without token and tensors", "[remote]") {
    guarded_service service;
    const http_server s(service.handler());
    remote p = remote_at(s);
    p.token = [] { return std::string("t0ken"); };
    const auto run = [&] {
        const session client{model_of(graph), quiet(), p, cpu{}};
        (void)client.run(std::vector<feed>{{"x", tensor({2}, {1234.5f, 2.f})}});
    };
    CHECK(standard_error_of(run).empty());
    p.verbose = true;
    const std::string lines = standard_error_of(run);
    INFO(lines);
    CHECK(has_text(lines, "AzureExecutionProvider: GET " + s.endpoint() + "/v2/models/m: 200, "));
    CHECK(has_text(lines, "AzureExecutionProvider: POST " + s.endpoint() + "/v2/models/m/infer: 200, "));
    CHECK(std::ranges::count(lines, '\n') == 2);
    CHECK_FALSE(has_text(lines, "t0ken"));
    CHECK_FALSE(has_text(lines, "1234.5"));
}
