// Models on a server by gRPC, compared with the reference kernels; and servers that are busy, wrong or away.
#include "grpc_served.hpp"
#include <limits>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
using namespace std::chrono_literals;
using then = grpc_reaction::then;
const std::string relu = "g (float[2] x) => (float[2] y) { y = Relu(x) }";
tensor one_and_minus_one() { return tensor({2}, {1.f, -1.f}); }
const std::vector<feed>& inputs() {
    static const std::vector<feed> list{{"x", one_and_minus_one()}};
    return list;
}
// Gives the input's bytes back as they came, as the output y.
grpc_reaction echo(std::string_view request, const model& m) {
    if (!is_run(request)) return message_of(metadata_message(m));
    std::string output(parts_of(request, 5).at(0)), answer;
    message_writer(output).add(1, "y");  // of two the last one counts
    message_writer w(answer);
    w.add(5, output);
    w.add(6, parts_of(request, 7).at(0));
    return message_of(answer);
}
tensor echoed(const std::string& onnx_type, const tensor& x) {
    const model m = model_of("g (" + onnx_type + "[N] x) => (" + onnx_type + "[N] y) { y = Identity(x) }");
    const grpc_server s([&](std::string_view request) { return echo(request, m); });
    const inlay::session client{m, quiet(), remote_at(s), cpu{}};
    const tensor y = client.run({{"x", x}})[0];
    CHECK(client.plan().count(remote::name) == 1);
    REQUIRE(y.type() == x.type());
    REQUIRE(y.shape() == x.shape());
    return y;
}
template <class T> void check_echo(const std::string& onnx_type, const std::vector<T>& values) {
    INFO(onnx_type);
    const tensor x({std::int64_t(values.size())}, values), y = echoed(onnx_type, x);
    CHECK(std::memcmp(y.data(), x.data(), std::size_t(x.bytes())) == 0);
}
template <class T> void check_integers(const std::string& onnx_type) {
    using l = std::numeric_limits<T>;
    check_echo<T>(onnx_type, {l::min(), 0, 1, l::max()});
}
// An answer whose one output y has these contents.
std::string answer_with(element type, const shape& dims, const std::string& contents) {
    std::string output = tensor_message("y", type, dims), answer;
    message_writer(output).add(5, contents);
    message_writer(answer).add(5, output);
    return answer;
}
// Of a session whose runs the reaction answers.
result<fetched> run_answered(const std::string& graph, const tensor& x, const grpc_reaction& r) {
    const model m = model_of(graph);
    const grpc_server s(
        [&](std::string_view request) { return is_run(request) ? r : message_of(metadata_message(m)); });
    remote p = remote_at(s);
    p.retries = 0;
    const inlay::session client{m, quiet(), p, cpu{}};
    REQUIRE(client.plan().count(remote::name) == 1);
    return client.try_run(std::vector<feed>{{"x", x}});
}
std::string why_not(const grpc_reaction& r) {
    const auto result = run_answered(relu, one_and_minus_one(), r);
    if (result) return "it ran";
    CHECK(result.why().code == error_code::provider_failed);
    return result.why().text;
}
// The same number in a field of each kind of numbers, and strings.
std::string numbers(int field, const std::vector<std::int64_t>& values) {
    std::string s;
    for (const std::int64_t x : values) message_writer(s).add(field, x);
    return s;
}
template <class T> void check_contents(const std::string& onnx_type, int field, const std::vector<T>& values) {
    INFO(onnx_type);
    std::vector<std::int64_t> wide;
    for (const T x : values) wide.push_back(std::int64_t(x));
    const tensor x({std::int64_t(values.size())}, values);
    const std::string graph = "g (" + onnx_type + "[N] x) => (" + onnx_type + "[N] y) { y = Identity(x) }";
    const auto y = run_answered(graph, x, message_of(answer_with(x.type(), x.shape(), numbers(field, wide))));
    REQUIRE(y);
    CHECK(std::memcmp((*y)[0].data(), x.data(), std::size_t(x.bytes())) == 0);
    wide.back() = -2;  // no unsigned number; of signed ones, another
    const auto wide_result = run_answered(graph, x, message_of(answer_with(x.type(), x.shape(), numbers(field, wide))));
    CHECK(bool(wide_result) == std::signed_integral<T>);
}
}  // namespace

TEST_CASE("By gRPC a whole model runs on a server, with the results of the reference kernels for each size",
          "[remote]") {
    const model m = model_of(network_for("N"));
    grpc_service service(m);
    const grpc_server s(service.handler());
    const session client{m, quiet(), remote_at(s), cpu{}};
    const session plain{m, quiet(), reference{}};
    for (const std::int64_t n : {1, 3, 1, 40}) {  // the last has more bytes than HTTP/2 sends unasked
        const std::vector<feed> in{{"x", ramp({n, 3, 8, 8})}};
        check_close(floats(client.run(in)[0]), floats(plain.run(in)[0]));
    }
    CHECK(client.plan().count(cpu::name) == 0);
    CHECK(service.ran == 4);
    CHECK(service.metadata_calls == 1);
}

TEST_CASE("Runs of several threads by gRPC have connections of their own", "[remote][threads]") {
    const model m = model_of(network_for("N"));
    grpc_service service(m);
    const grpc_server s(service.handler());
    check_threads(remote_at(s), m);
}

TEST_CASE("Several inputs and outputs go by their names by gRPC, and tensors without elements too", "[remote]") {
    check_names<grpc_service, grpc_server>();
}

TEST_CASE("Numbers of every type come back by gRPC as they were", "[remote]") {
    check_integers<std::uint8_t>("uint8");
    check_integers<std::uint16_t>("uint16");
    check_integers<std::uint32_t>("uint32");
    check_integers<std::uint64_t>("uint64");
    check_integers<std::int8_t>("int8");
    check_integers<std::int16_t>("int16");
    check_integers<std::int32_t>("int32");
    check_integers<std::int64_t>("int64");
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    check_echo<float>("float", {0.f, -0.f, .1f, infinity, -infinity, nan});
    check_echo<double>("double", {0., -0., .1, 1e300});
    check_echo<float16>("float16", {float16(.1f), float16(65504.f)});
    check_echo<bfloat16>("bfloat16", {bfloat16(1.5f), bfloat16(infinity)});
}

TEST_CASE("Strings of any bytes come back by gRPC as they were", "[remote]") {
    tensor x(element::string, {4});
    const std::string texts[] = {"", "caf\xc3\xa9", std::string("\0\xff\n", 3), std::string(100000, 's')};
    std::ranges::copy(texts, x.as<std::string>().begin());
    const tensor y = echoed("string", x);
    CHECK(std::ranges::equal(y.as<std::string>(), texts));
}

TEST_CASE("Outputs may come as numbers of the message's own fields, which are checked", "[remote]") {
    check_contents<std::int8_t>("int8", 2, {-128, 127});
    check_contents<std::int16_t>("int16", 2, {-32768, 32767});
    check_contents<std::int32_t>("int32", 2, {-5, 7});
    check_contents<std::int64_t>("int64", 3, {std::numeric_limits<std::int64_t>::min(), 7});
    check_contents<std::uint8_t>("uint8", 4, {255, 0});
    check_contents<std::uint16_t>("uint16", 4, {65535, 0});
    check_contents<std::uint32_t>("uint32", 4, {4294967295u, 0});
    const auto fails = [](const std::string& contents) {
        return has_text(why_not(message_of(answer_with(element::f32, {2}, contents))),
                        "wrong answer: its output `y` has not the elements of its shape and type");
    };
    const std::string number("\0\0\x80?", 4), key(1, char(6 << 3 | 5));
    const auto list = [](const std::string& packed) {
        std::string s;
        message_writer(s).add(6, packed);
        return s;
    };
    for (const std::string& good : {key + number + key + number, list(number + number), list(number) + key + number}) {
        const auto y = run_answered(relu, one_and_minus_one(), message_of(answer_with(element::f32, {2}, good)));
        REQUIRE(y);
        CHECK(floats((*y)[0]) == std::vector{1.f, 1.f});
    }
    std::string output = tensor_message("y", element::f32, {2}), beside_raw;
    message_writer(output).add(5, "");  // as mlserver has them
    message_writer(beside_raw).add(5, output);
    message_writer(beside_raw).add(6, number + number);
    CHECK(run_answered(relu, one_and_minus_one(), message_of(beside_raw)));
    for (const std::string& wrong : {std::string(), list(number), list(number + number + number), list(number + "ab"),
                                     key + "ab", numbers(6, {1, 2}), numbers(3, {1, 2})})
        CHECK(fails(wrong));
}

TEST_CASE("A status of gRPC is an error that names its kind, with the server's text", "[remote]") {
    const std::tuple<int, std::string, std::string> cases[] = {
        {1, "gone", "server error: the server answers grpc-status 1, CANCELLED: gone"},
        {3, "100%25 wrong%0A%zz%", "refused: the server answers grpc-status 3, INVALID_ARGUMENT: 100% wrong %zz%"},
        {4, "", "timed out: the server answers grpc-status 4, DEADLINE_EXCEEDED"},
        {5, "no m", "refused: the server answers grpc-status 5, NOT_FOUND: no m"},
        {7, "", "unauthorised: the server answers grpc-status 7, PERMISSION_DENIED"},
        {8, "", "refused: the server answers grpc-status 8, RESOURCE_EXHAUSTED"},
        {13, std::string(5000, 'x'), "server error: the server answers grpc-status 13, INTERNAL: xxx"},
        {14, "", "server error: the server answers grpc-status 14, UNAVAILABLE"},
        {16, "", "unauthorised: the server answers grpc-status 16, UNAUTHENTICATED"},
        {17, "new", "wrong answer: the server answers grpc-status 17: new"},
        {-1, "", "wrong answer: the server answers grpc-status -1"},
    };
    for (const auto& [status, text, expected] : cases) {
        const std::string reason = why_not(grpc_error(status, text));
        INFO(reason);
        CHECK(has_text(reason, expected));
        CHECK(reason.size() < 800);
    }
}

TEST_CASE("A busy server and a lost connection of gRPC are tried again, and other errors are not", "[remote]") {
    const auto ran_with = [](auto spoil, bool good) {
        grpc_service service(model_of(relu));
        service.fault = [&](std::string_view request) {
            return is_run(request) ? spoil(service.ran) : std::optional<grpc_reaction>();
        };
        const grpc_server s(service.handler());
        const session client{model_of(relu), quiet(), remote_at(s), cpu{}};
        CHECK(bool(client.try_run(inputs())) == good);
        return int(service.ran);
    };
    const auto twice = [](const grpc_reaction& r) {
        return [r](int run) { return run <= 2 ? std::optional(r) : std::nullopt; };
    };
    CHECK(ran_with(twice(grpc_error(14, "busy")), true) == 3);
    CHECK(ran_with(twice({.body = "", .http_status = "503"}), true) == 3);
    CHECK(ran_with([](int) { return std::optional(grpc_error(14, "busy")); }, false) == 3);
    CHECK(ran_with([](int) { return std::optional(grpc_error(13, "broken")); }, false) == 1);
}

TEST_CASE("A server of gRPC that goes away ends runs with an error, and those after its return are right", "[remote]") {
    grpc_service service(model_of(relu));
    auto server = std::make_unique<grpc_server>(service.handler());
    const int port = server->port();
    const session client{model_of(relu), quiet(), remote_at(*server), cpu{}};
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
    server.reset();
    const auto result = client.try_run(inputs());
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_failed);
    CHECK(has_text(result.why().text, "unreachable: "));
    server = std::make_unique<grpc_server>(service.handler(), port);
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
}

TEST_CASE("A run that waits for a call ends on request or at its deadline", "[remote][threads]") {
    std::atomic<bool> open{false};
    grpc_service service(model_of(relu));
    service.fault = [&](std::string_view request) -> std::optional<grpc_reaction> {
        for (int k = 0; is_run(request) && service.ran <= 2 && !open && k < 600; ++k) std::this_thread::sleep_for(10ms);
        return {};
    };
    const grpc_server s(service.handler());
    const session client{model_of(relu), quiet(), remote_at(s), cpu{}};
    const auto code_of = [&](const run_options& o) {
        const auto begin = std::chrono::steady_clock::now();
        const auto result = client.try_run(inputs(), {}, o);
        CHECK(std::chrono::steady_clock::now() - begin < 3s);
        return result ? error_code::not_found : result.why().code;
    };
    std::atomic<bool> stop{false};
    std::thread later([&] {
        std::this_thread::sleep_for(100ms);
        stop = true;
    });
    CHECK(code_of({.stop = &stop}) == error_code::stopped);
    later.join();
    CHECK(code_of({.deadline = std::chrono::steady_clock::now() + 100ms}) == error_code::deadline_passed);
    open = true;
    CHECK(floats(client.run(inputs())[0]) == std::vector{1.f, 0.f});
}

TEST_CASE("An answer of gRPC that is not what was requested is an error", "[remote]") {
    const std::string good = tensor_message("y", element::f32, {2}), eight(8, '\0');
    const auto answer = [](const std::vector<std::string>& outputs, const std::vector<std::string>& raw) {
        std::string s;
        message_writer w(s);
        for (const std::string& output : outputs) w.add(5, output);
        for (const std::string& bytes : raw) w.add(6, bytes);
        return message_of(s);
    };
    std::string other_prefix = with_prefix("abc"), named = good;
    other_prefix[4] = 9;
    message_writer(named).add(1, std::int64_t(7));  // a name that is a number
    const std::string y = "its output `y` ";
    const std::pair<grpc_reaction, std::string> cases[] = {
        {{.body = with_prefix(""), .grpc_status = {}}, "it has no grpc-status"},
        {{.body = with_prefix(""), .grpc_status = "none"}, "its grpc-status is not one number"},
        {{.body = ""}, "it has no message"},
        {{.body = other_prefix}, "its message has not the bytes that its prefix says"},
        {{.body = with_prefix("") + with_prefix("")}, "its message has not the bytes that its prefix says"},
        {{.body = std::string("\1\0\0\0\0", 5)}, "its message is compressed"},
        {{.body = std::string(3000000, ' ')}, "it has more than the 1048"},
        {{.body = with_prefix(""), .grpc_status = {}, .http_status = "302"}, "redirected: the server answers 302"},
        {{.body = with_prefix(""), .next = then::close}, ""},  // cut, or lost where the system resets it
        {{.body = with_prefix(""), .next = then::reset_stream}, ""},
        {{.body = with_prefix(""), .next = then::go_away}, ""},
        {message_of("\xff"), "it is no message of the protocol"},
        {message_of(std::string("\x2a\x7f", 2)), "it is no message of the protocol"},
        {answer({"\x0a"}, {}), "one of its outputs is no tensor of the protocol"},
        {answer({named}, {eight}), "one of its outputs is no tensor of the protocol"},
        {answer({}, {}), "it has no output `y`"},
        {answer({tensor_message("z", element::f32, {2})}, {eight}), "it has no output `y`"},
        {answer({tensor_message("y", element::f64, {2})}, {eight}), y + "is not of the datatype FP32"},
        {answer({tensor_message("y", element::f32, {3})}, {eight}), y + "has not the shape [2]"},
        {answer({good}, {eight + "1"}), y + "has not the elements of its shape and type"},
        {answer({good}, {}), y + "has not the elements of its shape and type"},
        {answer({good, good}, {eight, eight}), "it has the output `y` twice"},
        {answer({good}, {eight, eight}), "it has more raw outputs than outputs"},
    };
    for (const auto& [reaction, expected] : cases) {
        const std::string reason = why_not(reaction);
        INFO(reason << " for " << expected);
        CHECK(has_text(reason, expected));
        CHECK((has_text(reason, "wrong answer: ") || has_text(reason, "redirected: ") ||
               has_text(reason, "unreachable: ")));
    }
}

TEST_CASE("Messages with random bytes are errors or results, and nothing else", "[remote]") {
    std::mt19937 random(20261126);
    grpc_service service(model_of(relu));
    service.fault = [&](std::string_view request) -> std::optional<grpc_reaction> {
        if (!is_run(request)) return {};
        std::string message;
        message_writer w(message);
        w.add(5, tensor_message("y", element::f32, {2}));
        w.add(6, std::string(8, '\1'));
        for (auto k = random() % 4; k > 0; --k) {
            const auto at = random() % message.size();
            if (random() % 3 == 0)
                message.erase(at, 1);
            else if (random() % 2)
                message[at] = char(random());
            else
                message.insert(at, 1, char(random()));
            if (message.empty()) break;
        }
        return message_of(message);
    };
    const grpc_server s(service.handler());
    const session client{model_of(relu), quiet(), remote_at(s), cpu{}};
    int right = 0, wrong = 0;
    for (int k = 0; k < 1000; ++k) {
        const auto result = client.try_run(inputs());
        ++(result ? right : wrong);
        if (!result && !has_text(result.why().text, "wrong answer: ")) FAIL(result.why().text);
        if (result && (*result)[0].shape() != shape{2}) FAIL(to_string((*result)[0].shape()));
    }
    CHECK(right > 100);
    CHECK(wrong > 100);
}

TEST_CASE("What is no gRPC is refused when a session is made, and the plan says so", "[remote]") {
    const http_server plain_server([](const http_question&) { return answer_of(200, "hello"); });
    remote p{.endpoint = "grpc" + plain_server.endpoint().substr(4), .model_name = "m", .retries = 0};
    const session client{model_of(relu), quiet(), p, cpu{}};
    INFO(refusal_of<remote>(client.plan(), "Relu"));
    CHECK(client.plan().count(remote::name) == 0);
    const auto refusal = [&](const grpc_reaction& r) {
        const grpc_server s([&](std::string_view) { return r; });
        const session probe{model_of(relu), quiet(), remote_at(s), cpu{}};
        return refusal_of<remote>(probe.plan(), "Relu");
    };
    CHECK(has_text(refusal(grpc_error(5, "no m")), "refused: the server answers grpc-status 5, NOT_FOUND: no m"));
    CHECK(has_text(refusal(message_of("\xff")), "the metadata of the server's model: it is no message"));
    CHECK(has_text(refusal(message_of(std::string("\x22\x01\xff", 3))), "one of its tensors is none of the protocol"));
    CHECK(has_text(refusal(message_of("")), "the server's model has no input `x`"));
}
