// inlay demo: a small network of the program's own classifies handwritten digits, so that there is something to see,
// and with --output a model to try the other commands with, before there is a model of one's own.
#include "platform/output_file.hpp"
#include "runner.hpp"

namespace inlay::tool {
namespace demo_files {  // of examples/digits
extern const std::span<const std::byte> digits_onnx, heldout_bin;
}
namespace {
struct demo_arguments {
    std::string output;
    bool as_json = false;
    session_arguments session;
};
struct image {  // as examples/digits/train.py writes it: 0 is paper, 16 full ink
    std::array<unsigned char, 64> pixels;
    unsigned char label;
};
struct answer {
    int digit;
    float certainty;
};
constexpr std::size_t shown_images[] = {9, 10, 12, 14};
constexpr double lowest_accuracy = 0.97;

std::vector<image> held_out_images() {
    std::vector<image> images(demo_files::heldout_bin.size() / sizeof(image));
    std::memcpy(images.data(), demo_files::heldout_bin.data(), images.size() * sizeof(image));
    return images;
}
tensor as_batch(std::span<const image> images) {
    tensor batch(element::f32, {std::int64_t(images.size()), 1, 8, 8});
    std::size_t k = 0;
    for (const image& i : images)
        for (const unsigned char ink : i.pixels) batch.as<float>()[k++] = float(ink) / 16;
    return batch;
}
std::vector<answer> answers_from(const tensor& scores) {
    std::vector<answer> answers;
    const std::span<const float> numbers = scores.as<float>();
    for (std::size_t at = 0; at < numbers.size(); at += 10) {
        const auto row = numbers.subspan(at, 10);
        const auto best = std::ranges::max_element(row);
        answers.push_back({int(best - row.begin()), *best});
    }
    return answers;
}

void show(std::span<const image> images, std::span<const answer> answers) {
    static constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};  // two characters per pixel
    for (std::size_t row = 0; row < 8; ++row) {
        for (const std::size_t k : shown_images) {
            fmt::print("   ");
            for (std::size_t column = 0; column < 8; ++column)
                fmt::print("{}", shades[(images[k].pixels[row * 8 + column] + 3) / 4]);
        }
        fmt::print("\n");
    }
    for (const std::size_t k : shown_images)
        fmt::print("   a {}, {:3.0f} % sure   ", answers[k].digit, answers[k].certainty * 100);
    fmt::print("\n\n");
}

int demo(const demo_arguments& a) {
    const model m = model::from_memory(demo_files::digits_onnx);
    const any_session session = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session); });
    const std::vector<image> images = held_out_images();
    const tensor batch = as_batch(images);
    const stopwatch clock;
    const fetched results = or_exit(exit_status::run_failed, [&] { return session.run({{"image", batch}}); });
    const double seconds = clock.seconds();
    const std::vector<answer> answers = answers_from(results.at("scores"));
    std::size_t right = 0;
    for (std::size_t k = 0; k < images.size(); ++k) right += answers[k].digit == images[k].label;
    const double accuracy = double(right) / double(images.size());
    if (!a.output.empty()) {
        output_file file(a.output);
        file.write(demo_files::digits_onnx);
        file.finish();
    }
    if (a.as_json)
        print({{"schema", "inlay.demo"},
               {"version", 1},
               {"images", images.size()},
               {"right", right},
               {"seconds", seconds}});
    else if (!a.session.quiet) {
        show(images, answers);
        fmt::print("{} of {} handwritten digits right, {:.1f} %, in {:.2f} ms\n", right, images.size(), 100 * accuracy,
                   1e3 * seconds);
        if (a.output.empty())
            fmt::print("`inlay demo --output digits.onnx` writes the network, to try other commands with\n");
        else
            print_written(a.output);
    }
    return accuracy >= lowest_accuracy ? exit_status::done : exit_status::differs;
}
}  // namespace

void add_demo(command& app, action& task) {
    auto a = std::make_shared<demo_arguments>();
    command c = app.add_command("demo", "Classify handwritten digits by a network that the program brings");
    c.add_option("-o,--output", a->output, "Write the network there, to try other commands with")
        .type_name("FILE.onnx");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, task, demo, a);
}
}  // namespace inlay::tool
