// A region as QNN's tensors and operations: what a graph is made of, and what QNN is queried about.
#pragma once
#include "library.hpp"
#include <inlay/sdk/engine.hpp>
#include <inlay/shape.hpp>
#include <inlay/tensor.hpp>
#include <deque>
#include <lowering/quantisation.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
struct qnn_program {
    struct tensor_facts {
        std::string name;
        qnn_abi::tensor_kind kind = qnn_abi::tensor_kind::native;
        qnn_abi::data_type type = qnn_abi::data_type::float_32;
        shape dims;                   // at least one
        std::vector<float> scales{};  // of codes: one, or one for each index of `axis`
        std::int32_t zero = 0, axis = 0;
        const void* elements = nullptr;  // of a constant
        std::size_t bytes = 0;
    };
    struct parameter {
        std::string_view name;
        int tensor = -1;  // or, if there is none:
        qnn_abi::scalar scalar{};
    };
    struct operation {
        std::string name;
        std::string_view type;
        std::vector<parameter> parameters{};
        std::vector<int> inputs{}, outputs{};
    };
    std::vector<tensor_facts> tensors;
    std::vector<operation> operations;
    std::vector<int> inputs, outputs;  // the region's, as tensors
    std::deque<tensor> constants;      // elements that were made for it
};

// The tensors of a program as QNN reads them. Nothing moves while it lives.
class qnn_tensors {
    struct sizes {
        std::vector<std::uint32_t> dims;
        std::vector<qnn_abi::scale_offset> encodings;
    };
    std::deque<sizes> sizes_;
    std::vector<qnn_abi::tensor> native_;

  public:
    explicit qnn_tensors(std::span<const qnn_program::tensor_facts>);
    qnn_tensors(const qnn_tensors&) = delete;
    qnn_tensors& operator=(const qnn_tensors&) = delete;
    std::span<qnn_abi::tensor> all() { return native_; }
    qnn_abi::tensor& at(int k) { return native_[std::size_t(k)]; }
};

// Throws refused_node with what QNN says of the first operation that it does not take.
void validate(const qnn_backend&, const qnn_program&);

std::size_t size_of(qnn_abi::data_type);  // of an element, in bytes

class qnn_run;
constexpr const char* qnn_graph_name = "region";
// A graph that was made, in a context of its own.
class qnn_graph {
    std::shared_ptr<const qnn_backend> backend_;
    qnn_abi::handle context_ = nullptr, graph_ = nullptr;
    std::vector<qnn_program::tensor_facts> arguments_;  // inputs, then outputs
    std::vector<std::uint32_t> ids_;                    // of the arguments
    std::size_t inputs_ = 0;
    mutable std::mutex one_at_a_time_;  // a graph has memory of its own for what is between its nodes

    void add(const qnn_program&);

  public:
    explicit qnn_graph(std::shared_ptr<const qnn_backend> b) : backend_(std::move(b)) {}
    qnn_graph(const qnn_graph&) = delete;
    qnn_graph& operator=(const qnn_graph&) = delete;
    ~qnn_graph();
    // These throw refused_node.
    static std::shared_ptr<const qnn_graph> make(std::shared_ptr<const qnn_backend>, const qnn_program&);
    static std::shared_ptr<const qnn_graph> restored(std::shared_ptr<const qnn_backend>, std::string_view bytes,
                                                     std::vector<qnn_program::tensor_facts> arguments,
                                                     std::size_t inputs);
    std::string saved() const;

    const qnn_backend& backend() const { return *backend_; }
    std::span<const qnn_program::tensor_facts> arguments() const { return arguments_; }
    std::span<const std::uint32_t> ids() const { return ids_; }
    std::size_t input_count() const { return inputs_; }
    // arguments: with their buffers. What QNN says if it fails.
    std::string execute(std::span<qnn_abi::tensor> arguments) const;
    qnn_run instance() const;
};
// Runs of one caller, of a graph that lives longer.
class qnn_run {
    const qnn_graph& graph_;
    qnn_tensors tensors_;

  public:
    explicit qnn_run(const qnn_graph&);
    std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&);
};
inline qnn_run qnn_graph::instance() const { return qnn_run(*this); }
}  // namespace v1
}  // namespace inlay
