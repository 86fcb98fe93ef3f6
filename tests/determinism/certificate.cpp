// One hash of a model's results, whatever the number of threads, run by run, and for a row alone or inside a batch.
//   certificate MODEL.onnx... [--threads 1,2,3,8] [--runs 100] [--batch 8] [--precision strict] [--size NAME=N]
//               [--determinism portable]: and whatever INLAY_ISA names, among the levels of this machine
//               [--price RUNS]: and how many times as long a run takes with `portable`, interleaved, one thread
// Rows may depend on their batch where the plan's certificate names a node of which it says so. A line for each model;
// the status is 1 where anything differs.
#include "built/session_texts.hpp"
#include "support/content_hash.hpp"
#include "support/text.hpp"
#include <inlay/inlay.hpp>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

using namespace inlay;
namespace {
struct request {
    std::vector<std::string> files{};
    std::vector<int> threads{1, 2, 3, 8};
    int runs = 100;
    std::int64_t batch = 8;
    inlay::precision precision = precision::standard;
    std::map<std::string, std::int64_t> sizes{};
    inlay::determinism determinism = determinism::machine;
    int priced = 0;  // runs
};
session_options options_of(determinism d) {
    session_options o;
    o.determinism = d;
    o.log = [](severity, std::string_view) {};
    return o;
}
template <class T, class Draw> void fill(tensor& t, Draw draw) {
    for (T& x : t.as<T>()) x = T(draw());
}
// Numbers of a fixed seed: the same for a port of the same name.
tensor drawn(const port& p, const inlay::shape& dims) {
    std::mt19937 random(unsigned(content_hash::of(p.name)));
    tensor t(p.type, dims);
    const auto real = [&] { return std::uniform_real_distribution<float>(-1, 1)(random); };
    const auto whole = [&] { return random() % 2; };
    switch (p.type) {
        case element::f32: fill<float>(t, real); break;
        case element::f64: fill<double>(t, real); break;
        case element::i64: fill<std::int64_t>(t, whole); break;
        case element::i32: fill<std::int32_t>(t, whole); break;
        case element::u8: fill<std::uint8_t>(t, [&] { return random() % 256; }); break;
        case element::boolean: fill<bool>(t, whole); break;
        default: break;  // zeros, or empty strings
    }
    return t;
}
inlay::shape shape_of(const port& p, std::int64_t rows, const request& r) {
    if (p.shape.rank < 0) raise({error_code::unsupported_model, "the shape of `" + p.name + "` is not known"});
    inlay::shape dims = p.shape;
    for (int axis = 0; axis < dims.rank; ++axis) {
        const auto size = r.sizes.find(p.dim_names[std::size_t(axis)]);
        if (dims[axis] < 0) dims[axis] = axis == 0 ? rows : size == r.sizes.end() ? 8 : size->second;
    }
    return dims;
}
using named_tensors = std::vector<std::pair<std::string, tensor>>;
named_tensors inputs_of(const session_base& s, std::int64_t rows, const request& r) {
    named_tensors inputs;
    for (const port& p : s.inputs()) {
        if (p.kind != value_kind::tensor) raise({error_code::unsupported_model, "`" + p.name + "` is no tensor"});
        inputs.emplace_back(p.name, drawn(p, shape_of(p, rows, r)));
    }
    return inputs;
}
fetched run(const session_base& s, const named_tensors& inputs) {
    std::vector<feed> feeds;
    for (const auto& [name, t] : inputs) feeds.push_back({name, t});
    return s.run(feeds);
}
std::uint64_t hash_of(const any_value& v, std::uint64_t seed) {
    if (const tensor* t = v.as_tensor()) {
        seed = content_hash::of(to_string(t->shape()), seed);
        if (t->type() != element::string)
            return content_hash::of({static_cast<const std::byte*>(t->data()), std::size_t(t->bytes())}, seed);
        for (const std::string& text : t->as<std::string>()) seed = content_hash::of(text, seed);
    }
    if (const sequence* items = v.as_sequence())
        for (const any_value& item : *items) seed = hash_of(item, seed);
    if (const map* entries = v.as_map())
        for (const auto& [key, value] : *entries) seed = hash_of(value, seed);
    if (const optional_value* o = v.as_optional(); o && o->contents) seed = hash_of(*o->contents, seed);
    return seed;
}
std::string hash_of(const fetched& results) {
    std::uint64_t h = 1;
    for (std::size_t k = 0; k < results.size(); ++k) h = hash_of(results.value(k), h);
    return content_hash::hex(h);
}

// Rows `first` and on, so many as `count`, of a tensor.
tensor rows_of(const tensor& t, std::int64_t first, std::int64_t count) {
    inlay::shape dims = t.shape();
    const std::int64_t bytes = t.bytes() / dims[0];
    dims[0] = count;
    return tensor::borrow(t.type(), dims, static_cast<const std::byte*>(t.data()) + first * bytes).clone();
}
// Whether the first axis of all inputs and outputs is the batch: free, and of one name.
bool has_batch(const session_base& s) {
    std::set<std::string> names;
    for (const auto ports : {s.inputs(), s.outputs()})
        for (const port& p : ports) {
            if (p.kind != value_kind::tensor || p.shape.rank < 1 || p.shape[0] >= 0 || p.type == element::string)
                return false;
            names.insert(p.dim_names[0]);
        }
    return names.size() == 1 && !names.begin()->empty();
}
// "equal", or where a row differs.
std::string compared_with_batch(const session_base& s, const request& r) {
    if (!has_batch(s)) return "no free batch";
    const named_tensors inputs = inputs_of(s, r.batch, r);
    const fetched together = run(s, inputs);
    for (std::int64_t row = 0; row < r.batch; ++row) {
        named_tensors row_inputs;
        for (const auto& [name, t] : inputs) row_inputs.emplace_back(name, rows_of(t, row, 1));
        const fetched alone = run(s, row_inputs);
        for (std::size_t k = 0; k < alone.size(); ++k) {
            if (together[k].shape()[0] != r.batch || alone[k].shape()[0] != 1)
                return "no batch in `" + alone.name(k) + "`";
            if (hash_of(rows_of(together[k], row, 1), 1) != hash_of(alone[k], 1))
                return "DIFFERS in `" + alone.name(k) + "`, row " + std::to_string(row);
        }
    }
    return "equal";
}
// Levels that a session may be made under: all of this machine where the policy says that they make no difference.
std::vector<std::string> levels_of(const request& r) {
    if (r.determinism == determinism::machine) return {""};
    std::vector<std::string> levels;
    for (const isa::level l : isa::linked)
        if (isa::available(l)) levels.emplace_back(isa::name_of(l));
    return levels;
}
struct findings {
    std::map<std::string, std::string> hashes{};  // hash: where it was first met
    std::string batch{}, level{}, excused{};      // excused: why rows may depend on their batch
};
void look(const model& m, const request& r, int threads, const std::string& level, findings& f) {
    if (!level.empty()) setenv("INLAY_ISA", level.c_str(), 1);
    const session s{m, options_of(r.determinism), cpu{.threads = threads, .precision = r.precision}};
    f.level = name_of(s.level());
    const named_tensors inputs = inputs_of(s, 1, r);
    for (int k = 0; k < r.runs; ++k)
        f.hashes.emplace(hash_of(run(s, inputs)), std::to_string(threads) + " threads, run " + std::to_string(k) +
                                                      (level.empty() ? "" : ", ") + level);
    const plan_report plan = s.plan();
    for (const auto& e : plan.determinism.exceptions)
        if (e.batch) f.excused = e.op + " " + e.reason;
    const std::string batch_result = compared_with_batch(s, r);
    if (f.batch.empty() || batch_result.starts_with("DIFFERS")) f.batch = batch_result;
}
// Seconds of the processor that a run takes, of so many as take 5 ms.
double seconds_of(const session_base& s, const named_tensors& inputs) {
    const std::clock_t start = std::clock(), least = CLOCKS_PER_SEC / 200;
    std::clock_t end = start;
    int runs = 0;
    for (; end - start < least; ++runs) {
        run(s, inputs);
        end = std::clock();
    }
    return double(end - start) / runs / CLOCKS_PER_SEC;
}
// How many times as long a run takes with `portable`: medians of interleaved runs, on one thread.
double price_of(const model& m, const request& r) {
    unsetenv("INLAY_ISA");
    std::vector<session<cpu>> sessions;
    for (const determinism d : {determinism::machine, determinism::portable})
        sessions.emplace_back(m, options_of(d), cpu{.threads = 1, .precision = r.precision});
    std::vector<double> times[2];
    const named_tensors inputs = inputs_of(sessions[0], 1, r);
    for (int k = -1; k < r.priced; ++k)
        for (int index : {0, 1}) {
            const double seconds = seconds_of(sessions[std::size_t(index)], inputs);
            if (k >= 0) times[index].push_back(seconds);
        }
    for (auto& list : times) std::ranges::sort(list);
    return times[1][times[1].size() / 2] / times[0][times[0].size() / 2];
}
std::string name_of_model(const std::filesystem::path& file) {
    return (file.stem() == "model" ? file.parent_path().filename() : file.stem()).string();
}
bool certify(const std::string& file, const request& r, std::vector<double>& prices) {
    const model m(file);
    findings f;
    for (const std::string& level : levels_of(r))
        for (const int threads : r.threads) look(m, r, threads, level, f);
    if (!f.excused.empty() && f.batch.starts_with("DIFFERS")) f.batch = "as its batch is, for " + f.excused;
    const bool good = f.hashes.size() == 1 && !f.batch.starts_with("DIFFERS");
    std::cout << name_of_model(file) << (good ? ": " : ": FAILED: ") << f.level;
    for (const auto& [hash, place] : f.hashes) std::cout << ' ' << hash << " (" << place << ")";
    std::cout << "; in a batch of " << r.batch << ": " << f.batch;
    if (r.priced > 0) std::cout << "; price " << decimal_text(prices.emplace_back(price_of(m, r)), 2);
    std::cout << std::endl;
    return good;
}
request request_of(int count, char** words) {
    request r;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k], value = k + 1 < count ? words[k + 1] : "";
        if (word == "--threads") {
            r.threads.clear();
            std::istringstream list(value);
            for (std::string number; std::getline(list, number, ',');) r.threads.push_back(std::stoi(number));
        } else if (word == "--runs") {
            r.runs = std::stoi(value);
        } else if (word == "--batch") {
            r.batch = std::stoll(value);
        } else if (word == "--precision") {
            if (!from_text(value, r.precision)) raise({error_code::invalid_option, "no precision `" + value + "`"});
        } else if (word == "--determinism") {
            if (!from_text(value, r.determinism)) raise({error_code::invalid_option, "no policy `" + value + "`"});
        } else if (word == "--price") {
            r.priced = std::stoi(value);
        } else if (word == "--size") {
            r.sizes[value.substr(0, value.find('='))] = std::stoll(value.substr(value.find('=') + 1));
        } else {
            r.files.push_back(word);
            continue;
        }
        ++k;
    }
    return r;
}
}  // namespace

int main(int count, char** words) {
    const request r = request_of(count, words);
    int wrong = 0, left_out = 0;
    std::vector<double> prices;
    for (const std::string& file : r.files) {
        try {
            wrong += !certify(file, r, prices);
        } catch (const error& e) {
            std::cout << name_of_model(file) << ": not run: " << e.text << '\n';
            ++left_out;
        }
    }
    std::cout << r.files.size() << " models, " << wrong << " differ, " << left_out << " not run\n";
    double logarithms = 0;
    for (const double price : prices) logarithms += std::log(price);
    if (!prices.empty())
        std::cout << "price of determinism `portable`: "
                  << decimal_text(std::exp(logarithms / double(prices.size())), 2)
                  << " times as long (geometric mean)\n";
    return wrong > 0 || left_out == int(r.files.size());
}
