// Servers that are away, slow, cut off, busy or wrong: each run ends in a right answer or an error that says why.
#include "served.hpp"
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using then = http_reaction::then;
const std::string graph = "g (float[2] x) => (float[2] y) { y = Relu(x) }";
const std::vector<feed>& inputs() {
    static const std::vector<feed> list{{"x", tensor({2}, {1.f, -1.f})}};
    return list;
}
// A service whose runs, not its metadata, are spoiled by what a test sets.
struct spoiled {
    model_service service{model_of(graph)};
    std::function<std::optional<http_reaction>(int run)> spoil;  // the first run is 1
    http_server server;
    session<remote, cpu> client;

    explicit spoiled(std::function<std::optional<http_reaction>(int)> by, int retries = 2, int timeout = 30)
        : spoil(std::move(by)), server(spoiling()), client(model_of(graph), quiet(), with(retries, timeout), cpu{}) {
        REQUIRE(client.plan().count(remote::name) == 1);
    }
    std::function<http_reaction(const http_question&)> spoiling() {
        service.fault = [this](const http_question& q) {
            return q.method == "POST" ? spoil(service.ran) : std::optional<http_reaction>();
        };
        return service.handler();
    }
    remote with(int retries, int timeout) const {
        remote p = remote_at(server);
        p.retries = retries;
        p.timeout = timeout;
        return p;
    }
    std::string why(error_code code = error_code::provider_failed, const run_options& o = {}) {
        const auto result = client.try_run(inputs(), {}, o);
        if (result) return "it ran";
        CHECK(result.why().code == code);
        return result.why().text;
    }
    void check_run() { CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f}); }
};
double seconds(const std::function<void()>& f) {
    const auto begin = clock::now();
    f();
    return std::chrono::duration<double>(clock::now() - begin).count();
}
http_reaction good() {
    return answer_of(200, R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2],"data":[1,0]}]})");
}
}  // namespace

TEST_CASE("A server that is away costs the provider its nodes, and the plan says so", "[remote]") {
    const remote p{.endpoint = "http://127.0.0.1:" + std::to_string(free_port()), .model_name = "m"};
    const session client{model_of(graph), quiet(), p, cpu{}};
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
    CHECK(refusal_of<remote>(client.plan(), "Relu").starts_with("unreachable: "));
}

TEST_CASE("A server that goes away ends runs with an error, and those after its return are right", "[remote]") {
    model_service service(model_of(graph));
    auto server = std::make_unique<http_server>(service.handler());
    const int port = server->port();
    const session client{model_of(graph), quiet(), remote_at(*server), cpu{}};
    session_options any = quiet();
    any.fallback = fallback::any();
    const session replaced{model_of(graph), any, remote_at(*server), cpu{}};
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
    server.reset();
    const auto result = client.try_run(inputs());
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_failed);
    CHECK(has_text(result.why().text, "unreachable: "));
    CHECK(result.why().provider == remote::name);
    CHECK(floats(replaced.run(inputs())[0]) == std::vector{1.f, 0.f});
    CHECK(replaced.plan().count(remote::name) == 0);
    server = std::make_unique<http_server>(service.handler(), port);
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
}

TEST_CASE("A busy server and a lost connection are tried again, as often as the options say", "[remote]") {
    for (const int status : {502, 503, 504}) {
        spoiled busy([&](int run) { return run <= 2 ? std::optional(answer_of(status, "busy")) : std::nullopt; });
        busy.check_run();
        CHECK(busy.service.ran == 3);
    }
    spoiled lost([](int run) {
        return run <= 2 ? std::optional(http_reaction{"", run == 1 ? then::reset : then::close}) : std::nullopt;
    });
    lost.check_run();
    CHECK(lost.service.ran >= 3);  // libcurl may itself send again what a kept connection lost
    spoiled always([](int) { return std::optional(answer_of(503, R"({"error":"too\nbusy"})")); }, 1);
    CHECK(has_text(always.why(), "server error: the server answers 503: too busy"));
    CHECK(always.service.ran == 2);
}

TEST_CASE("What another attempt would not mend is not tried again", "[remote]") {
    const std::tuple<int, std::string, std::string> cases[] = {
        {500, R"({"error":"it broke"})", "server error: the server answers 500: it broke"},
        {400, "plain words", "refused: the server answers 400: plain words"},
        {404, R"({"detail":"x"})", R"(refused: the server answers 404: {"detail":"x"})"},
        {401, "", "unauthorised: the server answers 401"},
        {204, "", "wrong answer: the server answers 204"},
        {500, std::string(100000, 'x') + "end", "x ..."},
    };
    for (const auto& [status, body, expected] : cases) {
        INFO(status << ' ' << body.substr(0, 50));
        spoiled setup([&, s = status, b = body](int) { return std::optional(answer_of(s, b)); });
        const std::string reason = setup.why();
        INFO(reason);
        CHECK(has_text(reason, expected));
        CHECK(reason.size() < 800);
        CHECK(setup.service.ran == 1);
    }
}

TEST_CASE("A redirect is not followed", "[remote]") {
    std::atomic<int> lured{0};
    const http_server elsewhere([&](const http_question&) {
        ++lured;
        return good();
    });
    for (const int status : {301, 302, 307, 308}) {
        spoiled setup([&](int) {
            return std::optional(answer_of(status, "", "Location: " + elsewhere.endpoint() + "/v2/models/m/infer\r\n"));
        });
        CHECK(has_text(setup.why(), "redirected: the server answers " + std::to_string(status)));
        CHECK(setup.service.ran == 1);
    }
    CHECK(lured == 0);
}

TEST_CASE("An answer that does not come in time is an error", "[remote]") {
    std::atomic<bool> open{false};
    const auto slow = [&](int run) -> std::optional<http_reaction> {
        for (int k = 0; run == 1 && !open && k < 600; ++k) std::this_thread::sleep_for(10ms);
        return {};
    };
    spoiled setup(slow, 2, 1);
    std::string reason;
    CHECK(seconds([&] { reason = setup.why(); }) < 5);
    open = true;
    INFO(reason);
    CHECK(has_text(reason, "timed out: "));
    CHECK(has_text(reason, "`timeout` is 1 s"));
    CHECK(setup.service.ran == 1);
    setup.check_run();
}

TEST_CASE("A run that waits for a server ends on request, or at its deadline", "[remote][threads]") {
    std::atomic<bool> open{false};
    spoiled setup([&](int run) -> std::optional<http_reaction> {
        for (int k = 0; run <= 2 && !open && k < 600; ++k) std::this_thread::sleep_for(10ms);
        return {};
    });
    std::atomic<bool> stop{false};
    std::thread later([&] {
        std::this_thread::sleep_for(100ms);
        stop = true;
    });
    CHECK(seconds([&] { (void)setup.why(error_code::stopped, {.stop = &stop}); }) < 3);
    later.join();
    CHECK(seconds([&] { (void)setup.why(error_code::deadline_passed, {.deadline = clock::now() + 100ms}); }) < 3);
    open = true;
    setup.check_run();
    CHECK(setup.service.ran == 3);
}

TEST_CASE("No attempt begins after the run's deadline or its end", "[remote]") {
    spoiled busy([](int) { return std::optional(answer_of(503, "")); }, 100);
    CHECK(seconds([&] { (void)busy.why(error_code::deadline_passed, {.deadline = clock::now() + 200ms}); }) < 3);
    CHECK(busy.service.ran >= 1);
    CHECK(busy.service.ran <= 4);  // at 0, 50, 150 ms and no later
    spoiled limited([](int) { return std::optional(answer_of(503, "")); }, 100, 1);
    CHECK(seconds([&] { CHECK(has_text(limited.why(), "answers 503")); }) < 3);
    CHECK(limited.service.ran <= 6);
}

TEST_CASE("An answer that is not what was requested is an error, and the next run is right", "[remote]") {
    const auto outputs = [](const std::string& y) { return answer_of(200, R"({"outputs":[)" + y + "]}"); };
    const auto data = [&](const std::string& list) {
        return outputs(R"({"name":"y","datatype":"FP32","shape":[2],"data":)" + list + "}");
    };
    const auto binary = [](const std::string& head, const std::string& size, const std::string& tail) {
        return answer_of(200, head + tail, "Inference-Header-Content-Length: " + size + "\r\n");
    };
    const std::string sized =
        R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":)";
    const std::string eight = sized + "8}}]}", eight_size = std::to_string(eight.size());
    const std::pair<http_reaction, std::string> cases[] = {
        {answer_of(200, ""), "it is no JSON object with `outputs`"},
        {answer_of(200, "{"), "it is no JSON object with `outputs`"},
        {answer_of(200, R"({"outputs":{"name":"y"}})"), "it is no JSON object with `outputs`"},
        {answer_of(200, std::string(3000000, ' ')), "it has more than the 1048"},
        {answer_of(200, "[" + std::string(50000, ',')), "its JSON has more values than the outputs have"},
        {answer_of(200, std::string(100, '[')), "its JSON has more values than the outputs have"},
        {outputs(""), "it has no output `y`"},
        {outputs("7"), "one of its outputs has no name"},
        {outputs(R"({"name":"y","datatype":"FP64","shape":[2],"data":[1,0]})"), "is not of the datatype FP32"},
        {outputs(R"({"name":"y","datatype":"FP32","shape":[3],"data":[1,0,0]})"), "has not the shape [2]"},
        {outputs(R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[1,0]})"), "has not the shape [2]"},
        {outputs(R"({"name":"y","datatype":"FP32","shape":[2]})"), "has no data"},
        {data("[1]"), "has data that are not the elements"},
        {data("[1,0,0]"), "has data that are not the elements"},
        {data("[[1,0]]"), "has data that are not the elements"},
        {data("[1,null]"), "null stands for NaN or infinity"},
        {data("[1,\"0\"]"), "has data that are not the elements"},
        {data("[1,true]"), "has data that are not the elements"},
        {data("[1,1e39]"), "has data that are not the elements"},
        {data("[1,1e999]"), "it is no JSON object with `outputs`"},
        {data("[1,NaN]"), "it is no JSON object with `outputs`"},
        {binary(eight, eight_size, "1234567"), "it has fewer bytes than its binary_data_size say"},
        {binary(eight, eight_size, "123456789"), "it has bytes behind its tensors"},
        {binary(sized + "4}}]}", eight_size, "1234"), "has not the bytes of its shape and type"},
        {binary(sized + "-8}}]}", std::to_string(eight.size() + 1), "12345678"), "fewer bytes than"},
        {binary(sized + "\"8\"}}]}", std::to_string(eight.size() + 2), "12345678"), "fewer bytes than"},
        {binary(eight, "99999", "12345678"), "it is shorter than its Inference-Header-Content-Length"},
        {binary(eight, "-1", "12345678"), "Inference-Header-Content-Length is not one number"},
        {binary(eight, "18446744073709551616", "12345678"), "Inference-Header-Content-Length is not one number"},
        {binary(eight, "3\r\nInference-Header-Content-Length: 3", ""), "Inference-Header-Content-Length is not one"},
        {{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"outputs\":[", then::close}, "it is cut: "},
        {{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{\"out", then::close}, "wrong answer: it is cut"},
        {{"SSH-2.0-OpenSSH\r\n", then::close}, "wrong answer: "},
        {answer_of(200, "", "X: " + std::string(70000, 'x') + "\r\n"),
         "wrong answer: its headers have more than 65536"},
    };
    std::atomic<std::size_t> index{0};
    spoiled setup([&](int run) { return run % 2 ? std::optional(cases[index].first) : std::nullopt; }, 0);
    for (const auto& [reaction, expected] : cases) {
        INFO(reaction.bytes.substr(0, 300));
        const std::string reason = setup.why();
        INFO(reason);
        CHECK(has_text(reason, "wrong answer: "));
        CHECK(has_text(reason, expected));
        setup.check_run();
        ++index;
    }
}

TEST_CASE("A second output of one name is an error, and outputs that were not requested are left", "[remote]") {
    const std::string y = R"({"name":"y","datatype":"FP32","shape":[2],"data":[1,0]})",
                      z = R"({"name":"z","datatype":"BYTES","shape":[1],"data":["?"]})";
    const auto with = [](const std::string& list) {
        return [list](int) { return std::optional(answer_of(200, R"({"outputs":[)" + list + "]}")); };
    };
    spoiled twice(with(y + "," + y));
    CHECK(has_text(twice.why(), "it has the output `y` twice"));
    spoiled more(with(z + "," + y));
    more.check_run();
}

TEST_CASE("Lists in lists are elements where they have the dimensions of the output", "[remote]") {
    const model m = model_of("g (float[2,2] x) => (float[2,2] y) { y = Relu(x) }");
    const std::pair<std::string, bool> cases[] = {
        {"[[1,2],[3,4]]", true}, {"[1,2,3,4]", true},        {"[[1,2],[3]]", false},    {"[[1,2,3,4]]", false},
        {"[[1,2],3,4]", false},  {"[[[1,2],[3,4]]]", false}, {"[[1,[2]],[3,4]]", false}};
    for (const auto& [list, good_list] : cases) {
        INFO(list);
        model_service service(m);
        service.fault = [&, data = list](const http_question& q) -> std::optional<http_reaction> {
            if (q.method == "GET") return {};
            return answer_of(200, R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2,2],"data":)" + data + "}]}");
        };
        const http_server s(service.handler());
        const session client{m, quiet(), remote_at(s), cpu{}};
        const auto result = client.try_run(std::vector<feed>{{"x", ramp({2, 2})}});
        REQUIRE(bool(result) == good_list);
        if (result) CHECK(floats((*result)[0]) == std::vector{1.f, 2.f, 3.f, 4.f});
    }
}

TEST_CASE("Answers with random bytes are errors or results, and nothing else", "[remote]") {
    std::mt19937 random(20261125);
    const std::string head =
        R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}}]})";
    const auto changed = [&](int run) {
        std::string body = run % 2 ? good().bytes.substr(good().bytes.find('{')) : head + "12345678";
        for (int k = int(random() % 3); k >= 0; --k) {  // half of them where the numbers are
            const auto at = random() % 2 ? random() % body.size() : body.size() - 1 - random() % 8;
            if (random() % 3 == 0)
                body.erase(at, 1 + random() % 4);
            else if (random() % 2)
                body[at] = char(random());
            else
                body.insert(at, 1, R"({}[],:"0e-.n)"[random() % 13]);
        }
        const std::string size = std::to_string(random() % 20 ? head.size() : random() % 200);
        return std::optional(answer_of(200, body, run % 2 ? "" : "Inference-Header-Content-Length: " + size + "\r\n"));
    };
    spoiled setup(changed, 0);
    int right = 0, wrong = 0;
    for (int k = 0; k < 1000; ++k) {
        const auto result = setup.client.try_run(inputs());
        ++(result ? right : wrong);
        if (!result && !has_text(result.why().text, "wrong answer: ")) FAIL(result.why().text);
        if (result && (*result)[0].shape() != shape{2}) FAIL(to_string((*result)[0].shape()));
    }
    CHECK(right > 10);
    CHECK(wrong > 100);
}
