// Files with what engines compiled: written by sessions, restored by others, and compared field by field.
#include "../session/test_providers.hpp"
#include "models.hpp"
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
const std::string two_regions =
    "(float[4] x) => (float[4] y) <float[4] w = {2, 2, 2, 3}> "
    "{ a = Add(x, w) b = Relu(a) c = Sub(b, x) d = Mul(c, w) y = Relu(d) }";
const std::string one_region = "(float[4] x) => (float[4] y) <float[4] w = {2, 2, 2, 3}> { a = Add(x, w) y = Relu(a) }";
const tensor x4({4}, {1.f, -2.f, 3.f, -4.f});

session_options quiet(context_policy p = context_policy::refuse) {
    session_options o;
    o.contexts = p;
    o.log = [](severity, std::string_view) {};
    return o;
}
std::vector<float> run(const session_base& s, const tensor& x = x4) { return elements<float>(s.run({{"x", x}})[0]); }
struct saved_file {  // a model, and the file that a session saved of it
    scratch_folder folder{};
    fs::path model_file, file = folder.path / "m_ctx.onnx";
    saved_session summary{};
    explicit saved_file(const std::string& graph, const save_options& o = {}, const loom& e = {}) {
        model_file = folder.write("m.onnx", graph_of(graph).SerializeAsString());
        summary = inlay::session{model(model_file), quiet(), e, cpu{}}.save(file, o);
    }
    onnx::ModelProto message() const {
        onnx::ModelProto m;
        std::ifstream in(file, std::ios::binary);
        REQUIRE(m.ParseFromIstream(&in));
        return m;
    }
    void write(const onnx::ModelProto& m) const { folder.write("m_ctx.onnx", m.SerializeAsString()); }
    result<session<loom, cpu>> open(const loom& e = {}, context_policy p = context_policy::refuse) const {
        auto m = model::try_load(file);
        if (!m) return m.why();
        return session<loom, cpu>::try_make(*m, quiet(p), e, cpu{});
    }
    std::string refusal(const loom& e = {}) const {
        const auto s = open(e);
        return s ? "it was restored" : s.why().text;
    }
};
onnx::AttributeProto* find(onnx::NodeProto& n, const std::string& name) {
    for (auto& a : *n.mutable_attribute())
        if (a.name() == name) return &a;
    return nullptr;
}
onnx::NodeProto& context_of(onnx::ModelProto& m, int index = 0) {
    for (auto& n : *m.mutable_graph()->mutable_node())
        if (n.op_type() == "EPContext" && index-- == 0) return n;
    FAIL("there is no EPContext");
    return *m.mutable_graph()->add_node();
}
onnx::AttributeProto& at(onnx::ModelProto& m, const std::string& name) {
    auto* a = find(context_of(m), name);
    REQUIRE(a);
    return *a;
}
// A line of the notes: changed, or gone where `to` is empty.
void set_line(onnx::ModelProto& m, const std::string& name, const std::string& to) {
    std::string& notes = *at(m, "notes").mutable_s();
    const std::size_t from = notes.find('\n' + name + ": ");
    REQUIRE(from != notes.npos);
    const std::size_t end = std::min(notes.find('\n', from + 1), notes.size());
    notes.replace(from, end - from, to.empty() ? "" : '\n' + name + ": " + to);
}
void remove(onnx::ModelProto& m, const std::string& attribute) {
    auto& attributes = *context_of(m).mutable_attribute();
    for (int k = 0; k < attributes.size(); ++k)
        if (attributes.Get(k).name() == attribute) return attributes.DeleteSubrange(k, 1);
    FAIL("there is no attribute " + attribute);
}
onnx::AttributeProto text_attribute(const std::string& name, const std::string& value) {
    onnx::AttributeProto a;
    a.set_name(name);
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(value);
    return a;
}
}  // namespace

TEST_CASE("What an engine compiled is restored from the file, and not compiled again", "[contexts]") {
    for (const bool embed : {true, false}) {
        CAPTURE(embed);
        const saved_file w(two_regions, {.embed = embed});
        CHECK(w.summary.regions == 2);
        CHECK(w.summary.bytes > 0);
        CHECK(w.summary.left_out.empty());
        const loom e;
        const auto s = w.open(e);
        INFO((s ? "" : s.why().text));
        REQUIRE(s);
        CHECK(run(*s) == run(inlay::session{model(w.model_file), cpu{}}));
        CHECK(e.log->compiled == 0);
        CHECK(e.log->restored == 2);
        CHECK(e.log->engines == 1);
        CHECK((*s).plan().count(loom::name) == 2);
        CHECK((*s).plan().notes.empty());
        const auto files = std::distance(fs::directory_iterator(w.folder.path), fs::directory_iterator());
        CHECK(files == (embed ? 2 : 4));
    }
}

TEST_CASE("The file has EPContext nodes with ONNX Runtime's attributes in place of the regions", "[contexts]") {
    const saved_file w(two_regions);
    onnx::ModelProto m = w.message();
    std::vector<std::string> ops;
    for (auto& n : m.graph().node()) ops.push_back(n.domain() + "." + n.op_type());
    CHECK(ops == std::vector<std::string>{"com.microsoft.EPContext", ".Sub", "com.microsoft.EPContext"});
    std::set<std::string> names;
    for (auto& a : context_of(m).attribute()) names.insert(a.name());
    CHECK(names == std::set<std::string>{"main_context", "ep_cache_context", "embed_mode", "ep_sdk_version",
                                         "onnx_model_filename", "hardware_architecture", "partition_name", "source",
                                         "notes", "max_size"});
    CHECK(at(m, "source").s() == loom::name);
    CHECK(at(m, "partition_name").s() == "EngineExecutionProvider_0");
    CHECK(at(m, "ep_sdk_version").s() == "1804");
    CHECK(at(m, "hardware_architecture").s() == "jacquard");
    CHECK(at(m, "onnx_model_filename").s() == "m.onnx");
    CHECK(at(m, "embed_mode").i() == 1);
    CHECK(contains(at(m, "notes").s(), "\noption threads_of_yarn: 2"));
    const model shown(w.file);
    CHECK(shown.inputs().size() == 1);
    CHECK(ops.size() == shown.graph().nodes.size());
}

namespace {
struct mutation {  // of an EPContext node of the file
    std::string field;
    std::function<void(onnx::ModelProto&)> change;
};
std::vector<mutation> of_attributes() {
    std::vector<mutation> list;
    const auto number = [&](const std::string& name, std::int64_t to) {
        list.push_back({name, [=](auto& m) { at(m, name).set_i(to); }});
        list.push_back({name, [=](auto& m) { *find(context_of(m), name) = text_attribute(name, "1"); }});
    };
    number("main_context", 0);
    number("embed_mode", 2);
    number("max_size", 7);
    for (const std::string name : {"source", "partition_name", "ep_sdk_version", "hardware_architecture", "notes"}) {
        list.push_back({name, [=](auto& m) { at(m, name).set_s("another"); }});
        list.push_back({name, [=](auto& m) { remove(m, name); }});
        list.push_back({name, [=](auto& m) {
                            at(m, name).set_type(onnx::AttributeProto::INT);
                            at(m, name).clear_s();
                            at(m, name).set_i(1);
                        }});
    }
    list.push_back({"shape", [](auto& m) { *context_of(m).add_attribute() = text_attribute("shape", "round"); }});
    return list;
}
std::vector<mutation> of_notes() {
    std::vector<mutation> list;
    for (const std::string name : {"version", "graph", "weights", "reads", "makes", "inputs", "outputs", "size",
                                   "checksum", "identity cards", "option single", "option threads_of_yarn"}) {
        list.push_back({name, [=](auto& m) { set_line(m, name, "another"); }});
        list.push_back({name, [=](auto& m) { set_line(m, name, ""); }});
        list.push_back({name, [=](auto& m) { at(m, "notes").mutable_s()->append("\n" + name + ": another"); }});
    }
    list.push_back({"option colour", [](auto& m) { at(m, "notes").mutable_s()->append("\noption colour: red"); }});
    list.push_back({"notes", [](auto& m) { at(m, "notes").mutable_s()->append("\nno name"); }});
    return list;
}
std::vector<mutation> of_contents() {
    std::vector<mutation> list;
    list.push_back({"size", [](auto& m) { at(m, "ep_cache_context").mutable_s()->pop_back(); }});
    list.push_back({"size", [](auto& m) { at(m, "ep_cache_context").clear_s(); }});
    list.push_back({"checksum", [](auto& m) { ++at(m, "ep_cache_context").mutable_s()->back(); }});
    list.push_back({"ep_cache_context", [](auto& m) { at(m, "embed_mode").set_i(0); }});
    list.push_back({"graph", [](auto& m) { m.mutable_functions(0)->mutable_node(0)->set_op_type("Sub"); }});
    list.push_back({"weights", [](auto& m) { ++(*m.mutable_graph()->mutable_initializer(0)->mutable_raw_data())[0]; }});
    list.push_back({"weights", [](auto& m) { m.mutable_graph()->mutable_initializer(0)->set_name("v"); }});
    list.push_back({"inputs", [](auto& m) {
                        m.mutable_graph()
                            ->mutable_input(0)
                            ->mutable_type()
                            ->mutable_tensor_type()
                            ->mutable_shape()
                            ->mutable_dim(0)
                            ->set_dim_value(5);
                    }});
    list.push_back({"outputs", [](auto& m) {
                        m.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                            onnx::TensorProto::DOUBLE);
                    }});
    return list;
}
}  // namespace

TEST_CASE("Each field of a context that is another one is refused by its name, or the original is compiled",
          "[contexts]") {
    const saved_file w(one_region, {}, {.punch_cards = "blue"});
    const loom same{.punch_cards = "blue"};
    std::vector<mutation> mutations = of_attributes();
    for (const auto& more : {of_notes(), of_contents()}) mutations.insert(mutations.end(), more.begin(), more.end());
    CHECK(mutations.size() >= 40);
    const std::vector<float> expected = run(inlay::session{model(w.model_file), cpu{}});
    const onnx::ModelProto good = w.message();
    int refusal_count = 0;
    for (const mutation& mutant : mutations) {
        onnx::ModelProto m = good;
        mutant.change(m);
        w.write(m);
        const std::string reason = w.refusal(same);
        CAPTURE(mutant.field, reason);
        CHECK(contains(reason, "what the model's file has compiled cannot be used: "));
        CHECK(contains(reason, "`" + mutant.field + "`"));
        ++refusal_count;
        if (mutant.field == "graph" || mutant.field == "weights") continue;  // the original may be what was changed
        const loom e{.punch_cards = "blue"};
        const auto s = w.open(e, context_policy::recompile);
        INFO((s ? "" : s.why().text));
        REQUIRE(s);
        CHECK(run(*s) == expected);
        CHECK(e.log->compiled == 1);
        REQUIRE((*s).plan().notes.size() == 1);
        CHECK(contains((*s).plan().notes[0], "`" + mutant.field + "`"));
        CHECK(contains((*s).plan().notes[0], "it is compiled again"));
    }
    CHECK(refusal_count == int(mutations.size()));
    w.write(good);
    CHECK(w.open(same));
}

TEST_CASE("Contexts that stand in each other's place are refused", "[contexts]") {
    const saved_file w(two_regions);
    const onnx::ModelProto good = w.message();
    onnx::ModelProto m = good;
    std::swap(*find(context_of(m, 0), "ep_cache_context"), *find(context_of(m, 1), "ep_cache_context"));
    w.write(m);
    CHECK(contains(w.refusal(), "`checksum`"));
    std::swap(*find(context_of(m, 0), "notes"), *find(context_of(m, 1), "notes"));
    w.write(m);
    CHECK(contains(w.refusal(), "`reads` is `c` in the file and `x` here"));
    m = good;
    context_of(m, 0).mutable_name()->swap(*context_of(m, 1).mutable_name());
    std::swap(*find(context_of(m, 0), "partition_name"), *find(context_of(m, 1), "partition_name"));
    w.write(m);
    CHECK(contains(w.refusal(), "`partition_name` is `EngineExecutionProvider_1`"));
}

TEST_CASE("A session with another library, device or option than the file's says which, and both values",
          "[contexts]") {
    const saved_file w(two_regions);
    const auto says = [&](const loom& e, const std::string& expected) {
        const std::string reason = w.refusal(e);
        CAPTURE(reason, expected);
        CHECK(contains(reason, expected));
    };
    says({.version = "1805"}, "`ep_sdk_version` is `1804` in the file and `1805` here");
    says({.machine = "dobby"}, "`hardware_architecture` is `jacquard` in the file and `dobby` here");
    says({.threads_of_yarn = 3}, "`option threads_of_yarn` is `2` in the file and `3` here");
    says({.punch_cards = "red"}, "`identity cards` is not in the file, and `red` here");
    says({.open_fails = true}, "EngineExecutionProvider cannot be used: the crank is missing");
    const auto refusal = session<cpu>::try_make(model(w.file), quiet(), cpu{});
    REQUIRE_FALSE(refusal);
    CHECK(contains(refusal.why().text, "its `source`, EngineExecutionProvider, is not in the list of providers"));
    const inlay::session plain{model(w.file), quiet(context_policy::recompile), cpu{}};
    CHECK(run(plain) == run(inlay::session{model(w.model_file), cpu{}}));
}

TEST_CASE("A warning reports once why a file's regions were compiled again", "[contexts]") {
    const saved_file w(two_regions);
    std::vector<std::string> log;
    session_options o;
    o.log = [&](severity, std::string_view text) { log.emplace_back(text); };
    const loom e{.version = "1805"};
    const inlay::session s{model(w.file), o, e, cpu{}};
    CHECK(std::ranges::count_if(log, [](const auto& l) { return contains(l, "`ep_sdk_version`"); }) == 1);
    CHECK(e.log->compiled == 2);
    CHECK(e.log->engines == 1);
    const fs::path anew = w.folder.path / "anew_ctx.onnx";
    s.save(anew);  // the original's session can be saved
    const loom f{.version = "1805"};
    const inlay::session t{model(anew), quiet(), f, cpu{}};
    CHECK(f.log->restored == 2);
}

TEST_CASE("An engine that cannot read what it saved is an error, or compiles the original", "[contexts]") {
    const saved_file w(two_regions);
    onnx::ModelProto m = w.message();
    const std::string torn = "loom 4 1\n0\n0\n0\n0\n";
    at(m, "ep_cache_context").set_s(torn);
    set_line(m, "size", std::to_string(torn.size()));
    w.write(m);
    const std::string reason = w.refusal();
    const std::size_t hash = reason.find("` here", reason.find("`checksum`"));  // a forger computes it too
    REQUIRE(hash != reason.npos);
    set_line(m, "checksum", reason.substr(hash - 16, 16));
    w.write(m);
    CHECK(contains(w.refusal(), "EngineExecutionProvider cannot restore it: the cards are torn"));
    const loom e;
    const auto s = w.open(e, context_policy::recompile);
    INFO((s ? "" : s.why().text));
    REQUIRE(s);
    CHECK(e.log->compiled == 2);
    CHECK(contains((*s).plan().notes.at(0), "the cards are torn"));
}

TEST_CASE("A file without its original is smaller, and cannot be compiled again", "[contexts]") {
    const saved_file whole(two_regions), small(two_regions, {.keep_original = false});
    CHECK(fs::file_size(small.file) < fs::file_size(whole.file));
    CHECK(small.message().functions_size() == 0);
    CHECK(small.message().graph().initializer_size() == 0);
    const loom e;
    const auto s = small.open(e);
    REQUIRE(s);
    CHECK(run(*s) == run(inlay::session{model(whole.model_file), cpu{}}));
    CHECK(e.log->compiled == 0);
    const auto refusal = small.open({.version = "1805"}, context_policy::recompile);
    REQUIRE_FALSE(refusal);
    CHECK(contains(refusal.why().text, "`ep_sdk_version` is `1804` in the file and `1805` here"));
    CHECK(contains(refusal.why().text, "it has no original graph to compile"));
}

TEST_CASE("A file carries several targets, and a session takes the one that fits", "[contexts]") {
    const saved_file w(two_regions);
    const auto add = [&](const loom& e) {
        return inlay::session{model(w.model_file), quiet(), e, cpu{}}.save(w.file, {.add = true});
    };
    add({.machine = "dobby"});
    add({.single = true});  // other regions of the same graph
    CHECK(w.message().functions_size() == 3);
    const std::vector<float> expected = run(inlay::session{model(w.model_file), cpu{}});
    const auto restores = [&](const loom& e, int regions) {
        const auto s = w.open(e);
        INFO((s ? "" : s.why().text));
        REQUIRE(s);
        CHECK(run(*s) == expected);
        CHECK(e.log->compiled == 0);
        CHECK(e.log->restored == regions);
    };
    restores({}, 2);
    restores({.machine = "dobby"}, 2);
    restores({.single = true}, 4);
    const std::string reason = w.refusal({.machine = "handloom"});
    CHECK(contains(reason, "target 0: `EngineExecutionProvider_0`: `hardware_architecture` is `jacquard`"));
    CHECK(contains(reason, "target 1: `EngineExecutionProvider_0`: `hardware_architecture` is `dobby`"));
    const auto size = fs::file_size(w.file);
    add({.machine = "dobby"});  // in place of its like
    add({});
    CHECK(w.message().functions_size() == 3);
    CHECK(fs::file_size(w.file) == size);
    restores({.machine = "dobby"}, 2);
    const saved_file second(
        "(float[4] x) => (float[4] y) <float[4] w = {2, 2, 2, 4}> "
        "{ a = Add(x, w) b = Relu(a) c = Sub(b, x) d = Mul(c, w) y = Relu(d) }");
    const error e = [&] {
        try {
            inlay::session{model(second.model_file), quiet(), loom{}, cpu{}}.save(w.file, {.add = true});
        } catch (const error& why_not) {
            return why_not;
        }
        return error();
    }();
    CHECK(contains(e.text, "nothing can be added, for it is of another model: `weights` is `"));
}

TEST_CASE("Regions are saved for the shapes of the last run, or for those given, and the file has these",
          "[contexts]") {
    const saved_file w("(float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }", {}, {});
    CHECK(model(w.file).inputs()[0].shape == shape{1});  // nothing ran: as plan() shows it
    const inlay::session s{model(w.model_file), quiet(), loom{}, cpu{}};
    run(s);
    s.save(w.file);
    const auto restored = w.open();
    REQUIRE(restored);
    CHECK((*restored).inputs()[0].shape == shape{4});
    CHECK(run(*restored) == run(s));
    const std::vector<std::pair<std::string_view, shape>> three{{"x", {3}}};
    s.save(w.file, {}, three);
    CHECK(model(w.file).inputs()[0].shape == shape{3});
    const auto anew = w.open({.version = "1805"}, context_policy::recompile);  // the original has its free dimension
    REQUIRE(anew);
    CHECK((*anew).inputs()[0].shape[0] < 0);
    CHECK(run(*anew) == run(s));
}

TEST_CASE("What stays outside of regions stays as it is: bodies, decoded weights, nodes of shapes", "[contexts]") {
    const std::string graphs[] = {
        "(float[4] x) => (float[4] y, float[4] z) <int8[4] q = {1, 2, 3, 4}, float s = {0.5}> "
        "{ w = DequantizeLinear(q, s) a = Mul(x, w) y = Relu(a) z = Sub(x, w) }",
        "(float[4] x) => (float[2,2] y, int64[1] n) { a = Add(x, x) n = Shape(a) h = Reshape(a, n) "
        "two = Constant <value_ints = [2, 2]> () y = Reshape(h, two) }",
        "(float[4] x) => (float[4] y) { a = Add(x, x) l = ReduceSum <keepdims = 0> (a) zero = Constant <value = float "
        "{0}> () c = Less(zero, l) y = If(c) <then_branch = t () => (float[4] p) { p = Relu(a) }, "
        "else_branch = e () => (float[4] q) { q = Neg(a) }> }",
        "(float[4] x) => (float[4] y, float[4] z) { y = Relu(x) z = Identity(y) }",
        "(float[4] x) => (float[4] x2, float[4] y) { x2 = Identity(x) y = Relu(x) }",
    };
    for (const std::string& graph : graphs) {
        CAPTURE(graph);
        const saved_file w(graph);
        const loom e;
        const auto s = w.open(e);
        INFO((s ? "" : s.why().text));
        REQUIRE(s);
        CHECK(e.log->restored == w.summary.regions);
        const fetched expected = inlay::session{model(w.model_file), cpu{}}.run({{"x", x4}}),
                      actual = (*s).run({{"x", x4}});
        REQUIRE(actual.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
            CHECK(actual.name(k) == expected.name(k));
            CHECK(actual[k].shape() == expected[k].shape());
            if (expected[k].type() == element::f32) CHECK(elements<float>(actual[k]) == elements<float>(expected[k]));
        }
        const inlay::session original{model(w.file), quiet(context_policy::recompile), cpu{}};
        CHECK(elements<float>(original.run({{"x", x4}})[0]) == elements<float>(expected[0]));
    }
}

TEST_CASE("What cannot be saved is refused with the reason", "[contexts]") {
    const saved_file w(two_regions);
    const auto reason = [&](const session_base& s) {
        try {
            s.save(w.folder.path / "none.onnx");
        } catch (const error& e) {
            return e.text;
        }
        return std::string("it was saved");
    };
    CHECK(contains(reason(inlay::session{model(w.model_file), cpu{}}),
                   "there is nothing to save: no engine has compiled a part of the model"));
    CHECK(contains(reason(inlay::session{model(w.file), quiet(), loom{}, cpu{}}),
                   "are from a file that has them already"));
    CHECK_FALSE(fs::exists(w.folder.path / "none.onnx"));
    CHECK_THROWS_AS(
        (inlay::session{model(w.model_file), quiet(), loom{}, cpu{}}.save(w.folder.path / "no" / "folder.onnx")),
        error);
}

TEST_CASE("A context next to the file is read from its folder only", "[contexts]") {
    const saved_file w(one_region, {.embed = false});
    onnx::ModelProto m = w.message();
    const std::string name = at(m, "ep_cache_context").s();
    CHECK(fs::exists(w.folder.path / name));
    CHECK(contains(name, "m_ctx_"));
    const auto leads_to = [&](const std::string& location) {
        at(m, "ep_cache_context").set_s(location);
        w.write(m);
        return w.refusal();
    };
    fs::create_directories(w.folder.path / "inside");
    scratch_folder outside;
    fs::copy_file(w.folder.path / name, outside.path / "c.bin");
    fs::copy_file(w.folder.path / name, w.folder.path / "inside" / "c.bin");
    fs::create_symlink(outside.path / "c.bin", w.folder.path / "link.bin");
    CHECK(leads_to("inside/c.bin") == "it was restored");
    CHECK(contains(leads_to("../" + outside.path.filename().string() + "/c.bin"), "relative path without `..`"));
    CHECK(contains(leads_to((outside.path / "c.bin").string()), "relative path without `..`"));
    CHECK(contains(leads_to("link.bin"), "leads out of the model's folder"));
    CHECK(contains(leads_to("nowhere.bin"), "`ep_cache_context`: "));
    CHECK(contains(leads_to("inside"), "is not a regular file"));
    CHECK(contains(leads_to(""), "relative path without `..`"));
    fs::resize_file(w.folder.path / name, 3);
    CHECK(contains(leads_to(name), "`size` is `"));
    const std::string bytes = w.message().SerializeAsString();  // from memory there is no folder
    const auto memory = model::try_load(std::as_bytes(std::span(bytes)));
    REQUIRE(memory);
    const auto refusal = session<loom, cpu>::try_make(*memory, quiet(), loom{}, cpu{});
    REQUIRE_FALSE(refusal);
    CHECK(contains(refusal.why().text, "model_options::folder") + contains(refusal.why().hint, "context_policy") > 0);
}

TEST_CASE("Files with contexts load from memory and streams too", "[contexts]") {
    const saved_file w(two_regions);
    std::string bytes = w.message().SerializeAsString();
    const model m = model::from_memory(std::as_bytes(std::span(bytes)));
    std::ranges::fill(bytes, '\0');  // the caller's memory may go
    const loom fits, newer{.version = "1805"};
    const std::vector<float> expected = run(inlay::session{model(w.model_file), cpu{}});
    CHECK(run(inlay::session{m, quiet(), fits, cpu{}}) == expected);
    CHECK(fits.log->restored == 2);
    CHECK(run(inlay::session{m, quiet(context_policy::recompile), newer, cpu{}}) == expected);
    std::ifstream in(w.file, std::ios::binary);
    CHECK(run(inlay::session{model::from_stream(in), quiet(), loom{}, cpu{}}) == expected);
}

TEST_CASE("Large contexts stay in the file, those of further targets too", "[contexts]") {
    std::string w = "1";
    for (int k = 1; k < 3000; ++k) w += ", 1";
    const saved_file large("(float[3000] x) => (float[3000] y) <float[3000] w = {" + w +
                           "}> { a = Add(x, w) y = Relu(a) }");
    inlay::session{model(large.model_file), quiet(), loom{.machine = "dobby"}, cpu{}}.save(large.file, {.add = true});
    CHECK(large.summary.bytes > 16384);
    const tensor x({3000}, std::vector<float>(3000, 1.f));
    for (const loom& e : {loom{}, loom{.machine = "dobby"}}) {
        const auto s = large.open(e);
        INFO((s ? "" : s.why().text));
        REQUIRE(s);
        CHECK(run(*s, x) == std::vector<float>(3000, 2.f));
        CHECK(e.log->restored == 1);
    }
    const auto s = large.open({.version = "1805"}, context_policy::recompile);
    REQUIRE(s);
    CHECK(run(*s, x) == std::vector<float>(3000, 2.f));
}

TEST_CASE("An attribute that an EPContext node has twice is an error", "[contexts]") {
    const saved_file w(two_regions);
    const onnx::ModelProto good = w.message();
    for (const std::string name : {"source", "notes", "ep_cache_context"}) {
        onnx::ModelProto m = good;
        const onnx::AttributeProto twice = at(m, name);
        *context_of(m).add_attribute() = twice;
        w.write(m);
        const std::string reason = w.refusal();
        CAPTURE(reason);
        CHECK(contains(reason, "`EngineExecutionProvider_0` (EPContext) has its `" + name + "` twice"));
    }
}

TEST_CASE("Functions of contexts that are none are refused", "[contexts]") {
    const saved_file w(two_regions);
    const onnx::ModelProto good = w.message();
    for (const std::string name : {"original", "target_2", "target_1x", ""}) {
        CAPTURE(name);
        onnx::ModelProto m = good;
        *m.add_functions() = m.functions(0);
        m.mutable_functions(1)->set_name(name);
        w.write(m);
        CHECK(contains(w.refusal(), "of the domain inlay.context; it has `original`, and then `target_1` and on"));
    }
}

TEST_CASE("An EPContext node of another program, or within a body, runs nowhere, with the reason", "[contexts]") {
    scratch_folder folder;
    onnx::ModelProto m = graph_of(
        "(float[4] x) => (float[4] y) { y = com.microsoft.EPContext <source = "
        "\"EngineExecutionProvider\", ep_cache_context = \"bytes\"> (x) }");
    auto& s = *m.add_opset_import();
    s.set_domain("com.microsoft");
    s.set_version(1);
    const auto reason = [&](context_policy p) {
        const auto attempt =
            session<loom, cpu>::try_make(model(folder.write("m.onnx", m.SerializeAsString())), quiet(p), loom{}, cpu{});
        return attempt ? "it runs" : attempt.why().text;
    };
    CHECK(contains(reason(context_policy::refuse), "`partition_name` is ``"));
    find(context_of(m), "source")->set_s("X");
    *context_of(m).add_attribute() = text_attribute("partition_name", "X_0");
    CHECK(contains(reason(context_policy::recompile), "it has no `notes`: another program wrote it"));
    CHECK(contains(reason(context_policy::recompile), "it has no original graph to compile"));
    const saved_file w(one_region);
    onnx::ModelProto body = graph_of(
        "(bool c, float[4] x) => (float[4] y) { y = If(c) <then_branch = t () => (float[4] "
        "p) { p = Relu(x) }, else_branch = e () => (float[4] q) { q = Neg(x) }> }");
    *body.add_opset_import() = s;
    onnx::ModelProto from = w.message();
    auto& inner = *body.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
    *inner.mutable_node(0) = context_of(from);
    inner.mutable_node(0)->set_output(0, "p");
    m = body;
    const std::string inside = reason(context_policy::recompile);
    CAPTURE(inside);
    CHECK(contains(inside, "EPContext, version 1): no provider runs it. EngineExecutionProvider: it has no EPContext"));
}

TEST_CASE("Truncated and damaged files end with an error or the right result", "[contexts]") {
    const saved_file w(two_regions);
    const std::string good = w.message().SerializeAsString();
    const std::vector<float> expected = run(inlay::session{model(w.model_file), cpu{}});
    std::mt19937 random(7);
    int refusal_count = 0, ran = 0;
    const auto attempt = [&](const std::string& bytes) {
        w.folder.write("m_ctx.onnx", bytes);
        const auto s = w.open();
        if (!s) {
            ++refusal_count;
            return;
        }
        const std::string input = (*s).inputs().empty() ? "x" : (*s).inputs()[0].name;
        const std::vector<feed> feeds{{input, x4}};
        (void)(*s).try_run(feeds);
        ++ran;
    };
    for (std::size_t k = 0; k < 64; ++k) attempt(good.substr(0, good.size() * k / 64));
    for (int k = 0; k < 400; ++k) {
        std::string bytes = good;
        for (int changes = 1 + int(random() % 3); changes > 0; --changes)
            bytes[random() % bytes.size()] = char(random());
        attempt(bytes);
    }
    CHECK(refusal_count > 300);
    CHECK(refusal_count + ran == 464);
    w.folder.write("m_ctx.onnx", good);
    const auto s = w.open();
    REQUIRE(s);
    CHECK(run(*s) == expected);
}
