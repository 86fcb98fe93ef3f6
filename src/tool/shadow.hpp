// A shadow run: a run of one side, whose steps another side then computes again and compares, each by itself.
#pragma once
#include "data.hpp"
#include "engine/shadow_side.hpp"

namespace inlay::tool {
using shadows::as_type;
using shadows::compared;
using shadows::content_of;
using shadows::copy_of;
using shadows::describe;
using shadows::other_side;
using shadows::record_of;
using shadows::source_node;
using shadows::source_of;
using shadows::step_record;

// Values of a: its inputs, and in an unnamed temporary file, so that they need no memory, the tensors of its steps.
class value_store final : public shadows::step_values {
    struct entry {
        any_value object{};  // values other than tensors of numbers
        element type = element::undefined;
        shape dims{};
        std::int64_t offset = 0;
    };
    const std::map<int, any_value>& fed_;
    std::map<int, entry> entries_;
    std::int64_t end_ = 0;
    std::FILE* file_ = nullptr;

  public:
    explicit value_store(const std::map<int, any_value>& fed) : fed_(fed) {}  // which it refers to
    value_store(const value_store&) = delete;
    value_store& operator=(const value_store&) = delete;
    ~value_store() override { clear(); }
    void clear();
    std::int64_t bytes() const { return end_; }
    bool has(int id) const { return entries_.contains(id); }
    void put(int id, const lying_value&);  // raises errors
    any_value get(int id) const override;
    shape shape_of(int id) const override;
};

std::map<int, any_value> fed_values(const model& a, const values& inputs);  // by their ids
std::unique_ptr<other_side> computed_side(const model& a, const model& b, std::vector<provider_handle>,
                                          const session_options&, const values& inputs);
// Reads values from files: NAME.npy, NAME.pb (`_` stands for `/` in a name), and output_0.npy or .pb of the model's
// outputs.
std::unique_ptr<other_side> folder_side(const model& a, const fs::path& folder);

struct divergence {
    step_record step{};
    std::string name, words;  // of the value; how it differs
    std::optional<mismatch> numbers{};
    any_value actual{}, expected{};
    tolerance allowed{};
    std::map<std::string, any_value> inputs{};    // of the step
    std::map<std::string, tensor> from_shapes{};  // values that follow from the shapes of the model's inputs
};
struct value_error {
    double absolute = 0, relative = 0;
};
struct shadow_result {
    std::int64_t steps = 0, reached = 0, compared = 0;  // reached: steps that were compared; compared: values
    value_error largest{};
    std::string worst{};                                         // whose absolute error that is
    std::vector<std::pair<std::string, value_error>> outputs{};  // of the model, that were compared
    std::vector<std::string> left_out{};                         // values that were not compared, and why
    std::optional<divergence> difference{};
};
struct shadow_options {
    double relative = 1e-3;
    std::optional<double> absolute{};             // none: a part of each tensor's largest value, by its type
    std::int64_t window = std::int64_t(1) << 30;  // bytes of a's values that wait in a file; then a runs again
};
// Side a is open only while it runs, and b computes when it is closed: memory is that of one side at a time.
shadow_result run_shadow(const std::function<watched_session()>& open_a,
                         const std::function<std::unique_ptr<other_side>(const model& a)>& make_b, const values& inputs,
                         const shadow_options& = {});
}  // namespace inlay::tool
