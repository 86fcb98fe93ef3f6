// inlay quantize: an integer model from a float32 one, with its loss of accuracy and its gain.
#include "bench.hpp"
#include "platform/output_file.hpp"
#include <inlay/quantize.hpp>
#include <cmath>

namespace inlay::tool {
namespace {
struct quantize_arguments {
    std::string model, out, form = "static", method = "minmax", activations = "u8", rounding = "nearest";
    std::vector<std::string> data, operators, exclude, shapes;
    int random = 0, samples = 0, keep_worst = 0, bits = 4, block_size = 32, compared = 1;
    std::uint64_t seed = 0;
    double percentile = 99.99, damping = 0.01, speed = 1;
    bool per_tensor = false, as_json = false, quiet = false;
};

bool is_sample(const fs::path& p, const model& m) {  // and no folder of such
    if (!fs::is_directory(p)) return p.extension() == ".npz";
    for (const port& in : m.inputs())
        if (in.name.find('/') == in.name.npos && fs::exists(p / (in.name + ".npy"))) return true;
    return fs::exists(p / "input_0.pb") || fs::exists(p / "input_0.npy");
}
// A sample, or all samples in the folder, by name.
void add_samples(const std::string& place, const model& m, std::vector<std::string>& to) {
    if (!fs::exists(place)) throw bad_usage("`--data " + place + "`: there is no such file or folder");
    if (is_sample(place, m)) return to.push_back(place);
    std::vector<std::string> files;
    if (fs::is_directory(place))
        for (const fs::directory_entry& e : fs::directory_iterator(place))
            if (is_sample(e.path(), m)) files.push_back(e.path().string());
    if (files.empty() && fs::is_directory(place) && m.inputs().size() == 1)  // one file a sample: 00.npy ... 99.npy
        for (const fs::directory_entry& e : fs::directory_iterator(place))
            if (e.path().extension() == ".npy" || e.path().extension() == ".pb") files.push_back(e.path().string());
    if (files.empty())
        throw bad_usage("`--data " + place + "` holds no inputs of the model",
                        m.inputs().size() == 1
                            ? "it is an .npz file, a folder with a .npy or .pb file for each sample, a folder with "
                              "input_0.pb, input_0.npy or NAME.npy, or a folder of such"
                            : "it is an .npz file, a folder with input_0.pb, input_0.npy or NAME.npy for each input, "
                              "or a folder of such");
    std::ranges::sort(files);
    to.insert(to.end(), files.begin(), files.end());
}
// The arguments of each sample, as those of inlay run.
std::vector<input_arguments> samples_of(const quantize_arguments& a, const model& m) {
    std::vector<std::string> places;
    for (const std::string& place : a.data) add_samples(place, m, places);
    std::vector<input_arguments> inputs;
    for (const std::string& place : places) {
        input_arguments in;
        const std::string type = fs::path(place).extension();
        if (type == ".npy" || type == ".pb")
            in.in = {m.inputs().front().name + "=" + place};
        else
            in.folder = place;
        inputs.push_back(std::move(in));
    }
    for (int k = 0; k < a.random; ++k) {
        input_arguments in;
        in.random = true;
        in.seed = a.seed + std::uint64_t(k);
        in.shapes = a.shapes;
        inputs.push_back(std::move(in));
    }
    if (a.samples > 0 && inputs.size() > std::size_t(a.samples)) inputs.resize(std::size_t(a.samples));
    return inputs;
}
// Options that are set but have no effect on the form.
void refuse_unused(const quantize_arguments& a) {
    const quantize_arguments usual;
    const bool is_static = a.form == "static", weights = a.form == "weights" || a.form == "matmulnbits";
    const struct {
        std::string_view option, of;
        bool set, means_something;
    } options[] = {
        {"--method", "--form static", a.method != usual.method, is_static},
        {"--activations", "--form static", a.activations != usual.activations, is_static},
        {"--percentile", "--method percentile", a.percentile != usual.percentile, a.method == "percentile"},
        {"--per-tensor", "--form static and dynamic", a.per_tensor, !weights},
        {"--bits", "--form weights and matmulnbits", a.bits != usual.bits, weights},
        {"--block-size", "--form weights and matmulnbits", a.block_size != usual.block_size, weights},
        {"--rounding", "--form weights and matmulnbits", a.rounding != usual.rounding, weights},
        {"--damping", "--rounding feedback", a.damping != usual.damping, a.rounding == "feedback"},
        {"--samples", "--data", a.samples != 0, !a.data.empty()},
        {"--seed", "--random", a.seed != 0, a.random > 0},
        {"--shape", "--random", !a.shapes.empty(), a.random > 0},
    };
    for (const auto& o : options)
        if (o.set && !o.means_something)
            throw bad_usage(fmt::format("`{}` is of {}", o.option, o.of), "see inlay quantize --help");
}
void check_arguments(const quantize_arguments& a) {
    refuse_unused(a);
    if (a.form == "static" && a.data.empty() && a.random == 0)
        throw bad_usage("there is no calibration data",
                        "give --data PATH with inputs like those that the model will see, or --random N; or take "
                        "--form dynamic, which needs none");
    if (!a.data.empty() && a.random > 0)
        throw bad_usage("`--data` and `--random` exclude each other", "random numbers are no substitute for data");
}
quantize_options options_of(const quantize_arguments& a) {
    quantize_options o;
    o.kind = a.form == "static"    ? quantization::statically
             : a.form == "dynamic" ? quantization::dynamically
                                   : quantization::weights_only;
    o.matmul_nbits = a.form == "matmulnbits";
    o.method = a.method == "minmax"       ? range_method::min_max
               : a.method == "percentile" ? range_method::percentile
                                          : range_method::entropy;
    o.percentile = a.percentile;
    o.activations = a.activations == "u8" ? element::u8 : element::i8;
    o.per_channel = !a.per_tensor;
    o.operators = a.operators;
    o.exclude = a.exclude;
    o.keep_worst = a.keep_worst;
    o.compared = std::size_t(a.compared);
    o.bits = a.bits;
    o.block_size = a.block_size;
    o.rounding = a.rounding == "nearest" ? weight_rounding::nearest : weight_rounding::error_feedback;
    o.damping = a.damping;
    return o;
}
// Read on demand: those of one sample are in memory at a time.
calibration_data data_of(const std::vector<input_arguments>& samples, const model& m) {
    return {samples.size(), [&samples, &m](std::size_t k) {
                const values inputs =
                    or_exit(exit_status::bad_input, [&] { return gather_inputs(samples[k], m, true); });
                return feeds_of(m.inputs(), inputs);  // feeds share the tensors' memory
            }};
}
std::function<void(std::string_view, std::int64_t, std::int64_t)> shown_on(progress& line) {
    return [&line, watch = stopwatch()](std::string_view phase, std::int64_t position, std::int64_t total) mutable {
        if (position == 0) watch = stopwatch();
        const double part = total > 0 ? double(position) / double(total) : 1, seconds = watch.seconds();
        line.show(phase, part, position > 0 && seconds > 1 ? seconds / part - seconds : -1);
    };
}
std::optional<duel> speed_of(const quantize_arguments& a, const std::vector<input_arguments>& samples, progress& line) {
    if (a.speed <= 0 || !fs::is_regular_file(a.out)) return std::nullopt;
    bench_subject before{a.model, {}, {}}, after{a.out, {}, {}};
    if (samples.empty())
        before.inputs.random = true;
    else
        before.inputs = samples.front();
    after.inputs = before.inputs;
    before.session.quiet = after.session.quiet = true;
    bench_plan plan;
    plan.seconds = a.speed;
    return or_exit(exit_status::run_failed, [&] { return measure_in_turns(after, before, plan, line); });
}

json errors_json(const std::vector<layer_error>& errors) {
    json list = json::array();
    for (const layer_error& e : errors)
        list.push_back({{"value", e.value},
                        {"node", e.node},
                        {"op", e.op},
                        {"sqnr_db", std::isfinite(e.sqnr) ? json(e.sqnr) : json(nullptr)},
                        {"largest_difference", e.largest}});
    return list;
}
void print_json(const quantize_arguments& a, const quantized_model& q, const std::optional<duel>& speed) {
    json j{{"schema", "inlay.quantize"},
           {"version", 1},
           {"file", a.out},
           {"form", a.form},
           {"nodes", q.nodes},
           {"kept", json::array()},
           {"layers", errors_json(q.layers)},
           {"outputs", errors_json(q.outputs)},
           {"bytes", {{"before", q.bytes_before}, {"after", q.bytes_after}}},
           {"seconds", nullptr}};
    for (const float_node& n : q.float_nodes) j["kept"].push_back({{"node", n.node}, {"op", n.op}, {"why", n.reason}});
    if (speed) {
        const ratio r = ratio_of(speed->rounds);
        j["seconds"] = {{"before", speed->second.at(0.5)}, {"after", speed->first.at(0.5)}};
        j["times_as_fast"] = {{"median", r.median}, {"low", r.low}, {"high", r.high}};
    }
    print(j);
}
void print_errors(const std::vector<layer_error>& errors, std::string_view of) {
    if (errors.empty()) return;
    fmt::print("{:>8}  {:>10}  {}\n", "SQNR dB", "largest", of);
    for (const layer_error& e : errors) {
        const std::string maker = e.op.empty() ? "" : fmt::format(" {}", painted(printable(e.op), tint::faint));
        fmt::print("{:>8.1f}  {:>10.3g}  {}{}\n", e.sqnr, e.largest, printable(e.value), maker);
    }
}
void show(const quantize_arguments& a, const quantized_model& q, const std::optional<duel>& speed) {
    print_errors(q.layers, "layer");
    print_errors(q.outputs, "output");
    for (const float_node& n : q.float_nodes)
        fmt::print("stays float: {} ({}): {}\n", printable(n.node), printable(n.op), printable(n.reason));
    fmt::print("{}: {} quantized\n", printable(a.out), plural(q.nodes, "node"));
    fmt::print("size: {} before, {} after\n", size_text(q.bytes_before), size_text(q.bytes_after));
    if (!speed) return;
    const ratio r = ratio_of(speed->rounds);
    fmt::print("speed: {:.3g} ms before, {:.3g} ms after: {:.2f} times as fast ({:.2f} to {:.2f})\n",
               1e3 * speed->second.at(0.5), 1e3 * speed->first.at(0.5), r.median, r.low, r.high);
}

int quantize_model(const quantize_arguments& a) {
    check_arguments(a);
    const model m = load_model(a.model, a.quiet);
    const std::vector<input_arguments> samples = samples_of(a, m);
    quantize_options o = options_of(a);
    if (!samples.empty()) o.data = data_of(samples, m);
    progress line(a.quiet, "inlay quantize: ");
    o.progress = shown_on(line);
    const quantized_model q = or_exit(exit_status::bad_input, [&] { return quantize(a.model, o); });
    line.show("writing " + a.out);
    or_exit(exit_status::run_failed, [&] { update_file(a.out, q.file); });
    check_written(a.out);
    const std::optional<duel> speed = speed_of(a, samples, line);
    line.done();
    if (a.as_json)
        print_json(a, q, speed);
    else if (!a.quiet)
        show(a, q, speed);
    return exit_status::done;
}

void add_data_options(command& c, quantize_arguments& a) {
    c.add_option(
         "--data", a.data,
         "Calibration data: an .npz file, a folder with inputs as inlay run reads them, or a folder of such; of a "
         "model with one input also a folder of .npy files, each a sample")
        .type_name("PATH")
        .one_value_each();
    c.add_option("--samples", a.samples, "Take so many of them at most; 0: all").non_negative().type_name("N");
    c.add_option("--random", a.random, "Make up so many samples: for trying things out, not for models in use")
        .non_negative()
        .type_name("N");
    c.add_option("--seed", a.seed, "Of the first of the random samples").capture_default_str().type_name("N");
    add_shape_option(c, a.shapes, true);
    c.add_option("--compared", a.compared, "Samples on which layers are compared, at most; 0: they are not")
        .non_negative()
        .capture_default_str()
        .type_name("N");
}
void add_form_options(command& c, quantize_arguments& a) {
    c.add_option("--form", a.form,
                 "static: QuantizeLinear and DequantizeLinear; dynamic: MatMulInteger; weights: DequantizeLinear of "
                 "matrices; matmulnbits: these as com.microsoft's MatMulNBits")
        .member_of({"static", "dynamic", "weights", "matmulnbits"})
        .capture_default_str()
        .type_name("FORM");
    c.add_option("--method", a.method, "static: what is taken for the range of a value")
        .member_of({"minmax", "percentile", "entropy"})
        .capture_default_str()
        .type_name("METHOD");
    c.add_option("--percentile", a.percentile, "How much of a value --method percentile keeps, in percent")
        .range(0., 100.)
        .capture_default_str()
        .type_name("P");
    c.add_option("--activations", a.activations, "static: u8 with a zero point, or s8 without")
        .member_of({"u8", "s8"})
        .capture_default_str()
        .type_name("TYPE");
    c.add_flag("--per-tensor", a.per_tensor, "static and dynamic: one scale for all channels of a weight");
    c.add_option("--bits", a.bits, "weights and matmulnbits: 4 or 8").capture_default_str().type_name("4|8");
    c.add_option("--block-size", a.block_size, "weights and matmulnbits: rows that share a scale; 0: all")
        .non_negative()
        .capture_default_str()
        .type_name("N");
    c.add_option("--rounding", a.rounding, "weights and matmulnbits: feedback makes errors good by the rows behind")
        .member_of({"nearest", "feedback"})
        .capture_default_str()
        .type_name("ROUNDING");
    c.add_option("--damping", a.damping, "Of --rounding feedback").capture_default_str().type_name("PART");
}
}  // namespace

void add_quantize(command& app, action& task) {
    auto a = std::make_shared<quantize_arguments>();
    command c = app.add_command("quantize",
                                "Make a model of integers of one of floats, and show the error of each layer, and the "
                                "sizes and times before and after");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("--output,-o", a->out, "The file to write").required().type_name("FILE.onnx");
    add_form_options(c, *a);
    add_data_options(c, *a);
    c.add_option("--operators", a->operators, "Only these operators").delimiter(',').type_name("OP,OP...");
    c.add_option("--exclude", a->exclude, "Nodes that stay as they are, by name; * stands for any text")
        .type_name("NAME")
        .one_value_each();
    c.add_option("--keep-worst", a->keep_worst, "So many nodes stay float: those that alone do most harm")
        .non_negative()
        .capture_default_str()
        .type_name("N");
    c.add_option("--speed", a->speed, "Seconds to measure speed for; 0: it is not measured")
        .capture_default_str()
        .type_name("SECONDS");
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    c.footer(
        "The file is plain ONNX (with --form matmulnbits, of ONNX Runtime's domain), with all weights in it.\n"
        "docs/how-to/quantize.md explains forms and methods.");
    choose(c, task, quantize_model, a);
}
}  // namespace inlay::tool
