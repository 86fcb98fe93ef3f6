// What VART opens in place of a device's library: it computes a part of a graph by plain loops. Where the environment
// has INLAY_TEST_RUNNER_SAYS, each run says that number.
#include "graph.hpp"
#include <cstdlib>
#include <cstring>
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
        for (const xir::Op* op : order_) {
            rule f = nullptr;
            for (auto find : {find_window_rule, find_element_rule, find_movement_rule})
                if (!f) f = find(op->get_type());
            if (!f) throw std::runtime_error("no plain loop for " + op->get_type());
            values.insert_or_assign(op, f({op, value_of}));
        }
    }
    // Bytes of the host's, all at once.
    static char* all_of(vart::TensorBuffer* b) {
        const auto [address, bytes] = b->data(integers(b->get_tensor()->get_shape().size(), 0));
        const std::size_t size = are_codes(b->get_tensor()) ? 1 : 4;
        if (bytes != size * std::size_t(tensor::count(b->get_tensor()->get_shape())))
            throw std::runtime_error("a buffer of another size");
        return reinterpret_cast<char*>(address);
    }
    static tensor read(vart::TensorBuffer* b) {
        tensor x(b->get_tensor()->get_shape());
        const char* const from = all_of(b);
        if (are_codes(b->get_tensor())) {
            for (std::size_t k = 0; k < x.elements.size(); ++k) x.elements[k] = static_cast<signed char>(from[k]);
            return x;
        }
        std::memcpy(x.elements.data(), from, x.elements.size() * sizeof(float));
        return x;
    }
    static void write(vart::TensorBuffer* b, const tensor& y) {
        char* const to = all_of(b);
        if (are_codes(b->get_tensor())) {
            for (std::size_t k = 0; k < y.elements.size(); ++k) to[k] = char(int(y.elements[k]));
            return;
        }
        std::memcpy(to, y.elements.data(), y.elements.size() * sizeof(float));
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
