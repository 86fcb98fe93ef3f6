// What VART opens in place of a device's library: it computes a part of a graph by primitives. Where the environment
// has INLAY_TEST_RUNNER_SAYS, each run says that number.
#include "graph.hpp"
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vart/runner.hpp>

namespace {
using namespace test_runner;

bool are_codes(const xir::Tensor* t) { return t->get_data_type().bit_width == 8; }

class plain_runner final : public vart::Runner {
    const xir::Subgraph* part_;
    std::vector<const xir::Op*> order_;
    std::vector<const xir::Tensor*> inputs_, outputs_;

    void compute(std::map<const xir::Op*, tensor>& values) const {
        const auto value_of = [&](const xir::Op* op) -> const tensor& { return values.at(op); };
        for (const xir::Op* op : order_) values.insert_or_assign(op, test_runner::compute({op, value_of}));
    }
    // Elements of the host's, all at once.
    template <class T> static std::span<T> all_of(vart::TensorBuffer* b) {
        const list dims = dims_of(b->get_tensor());
        const auto [address, bytes] = b->data(std::vector<std::int32_t>(dims.size(), 0));
        const auto count = std::size_t(elements(dims));
        if (bytes != count * sizeof(T)) throw std::runtime_error("a buffer of another size");
        return {reinterpret_cast<T*>(address), count};
    }
    template <class T> static numbers read_as(vart::TensorBuffer* b) {
        const std::span<T> elements = all_of<T>(b);
        return {elements.begin(), elements.end()};
    }
    static tensor read(vart::TensorBuffer* b) {
        const bool codes = are_codes(b->get_tensor());
        return {dims_of(b->get_tensor()), codes ? read_as<signed char>(b) : read_as<float>(b)};
    }
    static void write(vart::TensorBuffer* b, const tensor& y) {
        if (are_codes(b->get_tensor()))
            std::ranges::copy(y.elements, all_of<signed char>(b).begin());
        else
            std::ranges::copy(y.elements, all_of<float>(b).begin());
    }

  public:
    explicit plain_runner(const xir::Subgraph* part)
        : part_(part),
          order_(part->topological_sort()),
          inputs_(part->get_sorted_input_tensors()),
          outputs_(part->get_sorted_output_tensors()) {}
    std::pair<std::uint32_t, int> execute_async(const std::vector<vart::TensorBuffer*>& inputs,
                                                const std::vector<vart::TensorBuffer*>& outputs) override {
        if (const char* says = std::getenv("INLAY_TEST_RUNNER_SAYS")) return {1, std::atoi(says)};
        if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) return {1, -1};
        std::map<const xir::Op*, tensor> values;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            values.insert_or_assign(part_->get_graph()->get_tensor_producer(inputs_[k]), read(inputs[k]));
        compute(values);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            write(outputs[k], values.at(part_->get_tensor_producer(outputs_[k])));
        return {1, 0};
    }
    int wait(int, int) override { return 0; }
    std::vector<const xir::Tensor*> get_input_tensors() override { return inputs_; }
    std::vector<const xir::Tensor*> get_output_tensors() override { return outputs_; }
};
}  // namespace

extern "C" vart::Runner* create_runner(const xir::Subgraph* part) { return new plain_runner(part); }
