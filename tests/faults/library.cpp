// The C++ library where an allocation fails: load, sessions, plans, bindings, first runs, caches, quantize, compile.
#include "../hostile/trial.hpp"
#include "compile/write_model.hpp"
#include "support/content_hash.hpp"
#include "trials.hpp"
#include <inlay/quantize.hpp>
#include <inlay/tensor_file.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <unistd.h>

using namespace inlay;
namespace inlay::testing {
namespace {
namespace fs = std::filesystem;

any_value filled(const port& p, std::int64_t free) {
    if (p.kind != value_kind::tensor) return zeros_for(p);
    inlay::shape dims = p.shape.rank < 0 ? inlay::shape{2} : p.shape;
    for (int i = 0; i < dims.rank; ++i)
        if (dims[i] < 0) dims[i] = free;
    tensor t(p.type, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i) {
        if (p.type == element::f32) t.as<float>()[std::size_t(i)] = float(i % 7) / 4 - 0.5f;
        if (p.type == element::i64) t.as<std::int64_t>()[std::size_t(i)] = 3;
        if (p.type == element::boolean) t.as<bool>()[std::size_t(i)] = true;
        if (p.type == element::string)
            t.as<std::string>()[std::size_t(i)] = "words that are longer than a small string " + std::to_string(i);
    }
    return t;
}
std::vector<feed> feeds_of(const session_base& s, std::int64_t free = 2) {
    std::vector<feed> feeds;
    for (const port& p : s.inputs()) feeds.push_back({p.name, filled(p, free)});
    return feeds;
}

std::uint64_t hash(const any_value& v, std::uint64_t seed) {
    if (const tensor* t = v.as_tensor()) {
        if (!*t) return seed;
        seed = content_hash::of(to_string(t->shape()), seed);
        if (t->type() != element::string)
            return content_hash::of({static_cast<const std::byte*>(t->data()), std::size_t(t->bytes())}, seed);
        for (const std::string& text : t->as<std::string>()) seed = content_hash::of(text, seed);
        return seed;
    }
    if (const sequence* items = v.as_sequence())
        return std::accumulate(items->begin(), items->end(), seed + items->size(),
                               [](std::uint64_t h, const any_value& item) { return hash(item, h); });
    if (const inlay::map* m = v.as_map())
        for (const auto& [key, value] : *m) seed = hash(value, seed + 1);
    if (const optional_value* o = v.as_optional(); o && o->contents) seed = hash(*o->contents, seed + 2);
    return seed;
}
std::string hash_of(const fetched& results) {
    std::uint64_t h = 1;
    for (std::size_t k = 0; k < results.size(); ++k) h = hash(results.value(k), h);
    return content_hash::hex(h);
}
std::string hash_of(binding& b, const session_base& s) {
    if (const status result = b.run(); result != status::ok) raise({error_code::provider_failed, std::string(b.why())});
    std::uint64_t h = 1;
    for (const port& p : s.outputs()) h = hash(b.output(p.name), h);
    return content_hash::hex(h);
}
template <class... P> std::string hash_of(const session<P...>& s, std::int64_t free = 2) {
    return hash_of(s.run(feeds_of(s, free)));
}

session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
cpu processor() { return {.threads = 1}; }

// One model's file and what must come out of it.
struct subject {
    std::string name;
    fs::path file;
    std::string expected{}, expected_of_three{}, expected_of_reference{};
    std::size_t nodes = 0;
    bool binds = false, has_free = false, caches = false, compiles = false;
    std::vector<quantize_options> forms{};  // in which it can be quantized
    std::optional<model> named{};           // has the names of what calibrates these
    std::vector<dimension_size> sizes{};

    session<cpu> open() const { return {model(file), quiet(), processor()}; }
    frozen_model frozen() const { return freeze(model(file), sizes); }
};
template <class F> bool works(F part) {
    try {
        part();
        return true;
    } catch (const error&) {
        return false;
    }
}
quantize_options form(quantization kind, const std::vector<feed>& feeds = {}) {
    quantize_options o;
    o.kind = kind;
    o.compared = 1;
    if (!feeds.empty()) o.data = {1, [feeds](std::size_t) { return feeds; }};
    return o;
}
subject subject_of(const fs::path& file) {
    subject s{file.stem().string(), file};
    const session<cpu> open = s.open();
    s.named = open.model();
    s.nodes = open.model().graph().nodes.size();
    s.expected = hash_of(open);
    for (const port& p : open.inputs())
        for (int k = 0; k < p.shape.rank; ++k)
            if (p.shape[k] < 0) {
                s.has_free = true;
                if (std::ranges::count(s.sizes, p.dim_names[std::size_t(k)], &dimension_size::name) == 0)
                    s.sizes.push_back({p.dim_names[std::size_t(k)], 2, 2});
            }
    if (s.has_free) s.expected_of_three = hash_of(open, 3);
    s.expected_of_reference = hash_of(session<reference>(open.model(), quiet(), reference{}));
    const auto is_tensor = [](const port& p) { return p.kind == value_kind::tensor; };
    s.binds = std::ranges::all_of(open.inputs(), is_tensor) && std::ranges::all_of(open.outputs(), is_tensor);
    s.caches = s.name == "decoder";
    s.compiles = works([&] { (void)s.frozen(); });
    const auto feeds = feeds_of(open);
    for (const auto kind : {quantization::statically, quantization::dynamically, quantization::weights_only})
        if (const auto o = form(kind, feeds); works([&] { quantize(file, o); })) s.forms.push_back(o);
    return s;
}

std::vector<std::pair<std::string_view, inlay::shape>> shapes_for(std::span<const feed> feeds) {
    std::vector<std::pair<std::string_view, inlay::shape>> shapes;
    for (const feed& f : feeds) shapes.emplace_back(f.name, f.value.as_tensor()->shape());
    return shapes;
}

void load(const subject& s, attempt& a) {
    a.returned([&] { (void)model::try_load(s.file); });
    a.afterwards(std::to_string(s.nodes), [&] { return std::to_string(model(s.file).graph().nodes.size()); });
}
void load_from_memory(const subject& s, attempt& a) {
    std::ifstream in(s.file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto span = std::as_bytes(std::span(bytes));
    a.returned([&] { (void)model::try_load(span); });
    a.afterwards(std::to_string(s.nodes),
                 [&] { return std::to_string(model::from_memory(span).graph().nodes.size()); });
}
template <class Provider> void make_session(const subject& s, attempt& a, const Provider& p) {
    const std::string& expected = std::is_same_v<Provider, reference> ? s.expected_of_reference : s.expected;
    const model m(s.file);
    const session_options o = quiet();
    a.returned([&] { (void)session<Provider>::try_make(m, o, p); });
    a.afterwards(expected, [&] { return hash_of(session<Provider>(m, o, p)); });
}
void first_run(const subject& s, attempt& a) {
    const auto open = s.open();
    const auto feeds = feeds_of(open);
    a.returned([&] { (void)open.try_run(feeds); });
    a.afterwards(s.expected, [&] { return hash_of(open); });
}
void new_shape(const subject& s, attempt& a) {
    const auto open = s.open();
    (void)hash_of(open);
    const auto feeds = feeds_of(open, 3);
    a.armed([&] { (void)open.run(feeds); });
    a.afterwards(s.expected_of_three, [&] { return hash_of(open, 3); });
    a.afterwards(s.expected, [&] { return hash_of(open); });
}
void reports(const subject& s, attempt& a) {
    const auto open = s.open();
    const auto feeds = feeds_of(open);
    a.armed([&] {
        std::ostringstream text;
        text.exceptions(std::ios::badbit);
        text << open.plan();
        (void)open.memory();
        if (s.binds) (void)open.trace(feeds);
    });
    a.afterwards(s.expected, [&] { return hash_of(open); });
}
void bind(const subject& s, attempt& a) {
    const auto open = s.open();
    const auto feeds = feeds_of(open);
    const auto shapes = shapes_for(feeds);
    const auto fill = [&](binding& b) {
        for (const feed& f : feeds) b.set_input(f.name, *f.value.as_tensor());
    };
    a.armed([&] {
        binding b = open.bind(shapes);
        fill(b);
    });
    a.afterwards(s.expected, [&] {
        binding b = open.bind(shapes);
        fill(b);
        return hash_of(b, open);
    });
}
void bound_run(const subject& s, attempt& a) {
    const auto open = s.open();
    const auto feeds = feeds_of(open);
    binding b = open.bind(shapes_for(feeds));
    for (const feed& f : feeds) b.set_input(f.name, *f.value.as_tensor());
    a.returned([&] { (void)b.run(); });
    a.afterwards(s.expected, [&] { return hash_of(b, open); });
}
void cache(const subject& s, attempt& a) {
    const auto open = s.open();
    const tensor x({1, 2, 4}, std::vector<float>(8, 0.5f));
    const auto step = [&] {
        kv_cache c = open.make_cache(8);
        std::string texts;
        for (int k = 0; k < 3; ++k) texts += hash_of(open.run({{"x", x}}, c));
        return texts + std::to_string(c.rows());
    };
    const std::string expected = step();
    a.armed(step);
    a.afterwards(expected, step);
}
const char* stage_of(quantization kind) {
    return kind == quantization::statically    ? "quantize_static"
           : kind == quantization::dynamically ? "quantize_dynamic"
                                               : "quantize_weights";
}
void quantized(const subject& s, const quantize_options& o, attempt& a) {
    a.armed([&] { (void)quantize(s.file, o); });
    a.afterwards("made", [&] { return quantize(s.file, o).file.empty() ? "empty" : "made"; });
}
// Files of the model's inputs in each form that the tool writes.
void value_files(const subject& s, attempt& a) {
    const auto open = s.open();
    const auto feeds = feeds_of(open);
    const fs::path file = s.file.parent_path() / ("values-" + std::to_string(getpid()));
    const auto write_and_read = [&] {
        std::string codes;
        const auto tell = [&](const auto& result) {
            codes += result ? "+" : result.why().code == error_code::out_of_memory ? "-" : "?";
        };
        for (const feed& f : feeds) {
            const tensor* const t = f.value.as_tensor();
            tell(write_pb(file, f.value, f.name));
            tell(read_pb(file, t ? value_kind::tensor : open.inputs()[0].kind));
            if (!t) continue;
            tell(write_npy(file, *t));
            tell(read_npy(file));
            tell(write_npz(file, {{std::string(f.name), *t}}));
            tell(read_npz(file));
        }
        return codes;
    };
    const std::string expected = write_and_read();
    a.armed(write_and_read);
    a.afterwards(expected, write_and_read);
    fs::remove(file);
}
void compiled(const subject& s, attempt& a) {
    const fs::path folder = s.file.parent_path() / ("compiled-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const compile_options o{"model", "model.onnx", s.sizes, weights_place::embedded};
    a.armed([&] { (void)write_model_type(s.frozen(), o, folder); });
    a.afterwards("written", [&] {
        (void)write_model_type(s.frozen(), o, folder);
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && entry.path().extension() != ".hpp" &&
                entry.path().extension() != ".weights" && entry.path().extension() != ".S")
                return "left " + entry.path().filename().string();
        return std::string("written");
    });
    fs::remove_all(folder);
}

std::vector<fault_trial> trials_of(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".onnx") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<fault_trial> trials;
    for (const fs::path& file : files) {
        const auto s = std::make_shared<const subject>(subject_of(file));
        const auto add = [&](const std::string& stage, auto part) {
            trials.push_back({s->name, stage, [s, part](attempt& a) { part(*s, a); }});
        };
        add("load", load);
        add("memory", load_from_memory);
        add("session", [](const subject& x, attempt& a) { make_session(x, a, processor()); });
        add("reference", [](const subject& x, attempt& a) { make_session(x, a, reference{}); });
        add("threads", [](const subject& x, attempt& a) { make_session(x, a, cpu{.threads = 3}); });
        add("run", first_run);
        add("reports", reports);
        add("files", value_files);
        if (s->has_free) add("new_shape", new_shape);
        if (s->binds) add("bind", bind);
        if (s->binds) add("bound_run", bound_run);
        if (s->caches) add("cache", cache);
        for (const quantize_options& o : s->forms)
            add(stage_of(o.kind), [&o](const subject& x, attempt& a) { quantized(x, o, a); });
        if (s->compiles) add("compile", compiled);
    }
    return trials;
}
}  // namespace
}  // namespace inlay::testing

int main(int count, char** words) { return testing::run_trials(count, words, testing::trials_of); }
