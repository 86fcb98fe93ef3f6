// One run of a node whose subgraphs the engine runs: what goes in, what comes out, and how many bytes it may use.
// The operators are in src/subgraphs.
#pragma once
#include "session_core.hpp"

namespace inlay {
inline namespace v1 {
shape shape_of(const any_value&);        // unknown: not a tensor
std::int64_t size_of(const any_value&);  // in bytes

class subgraph_run {
  protected:
    const session_setup& setup_;
    graph_bodies& bodies_;
    run_context& c_;
    const exec_step& e_;
    const run_options& o_;
    const graph_view& g_;
    const step& s_;
    const node& n_;
    const node_view view_;
    std::vector<any_value> in_, captured_;

    [[noreturn]] void refuse(std::string_view reason) const;
    const tensor& tensor_in(const any_value&) const;  // refuses values other than tensors
    const tensor& tensor_at(std::size_t k) const { return tensor_in(in_[k]); }
    bool has_body(std::string_view name) const;
    session_core& body_named(std::string_view name) const;
    std::vector<any_value> call(session_core& body, std::vector<any_value> arguments) const;
    void take_bytes(std::int64_t) const;  // for the rest of the run
    void end_if_stopped(const context&) const;
    context base() const;

  public:
    std::vector<any_value> out;
    std::size_t unstacked;  // the first outputs, whose bytes are not counted yet

    subgraph_run(const session_setup&, graph_bodies&, run_context&, const exec_step&, const run_options&);
    subgraph_run(const subgraph_run&) = delete;
    subgraph_run& operator=(const subgraph_run&) = delete;
    virtual ~subgraph_run() = default;
    virtual void run() = 0;
};
// The function of the node's operator: src/subgraphs has them.
std::unique_ptr<subgraph_run> make_subgraph_run(const session_setup&, graph_bodies&, run_context&, const exec_step&,
                                                const run_options&);
}  // namespace v1
}  // namespace inlay
