// Runs that are observed step by step.
#pragma once
#include <inlay/session.hpp>
#include <functional>
#include <map>

namespace inlay {
inline namespace v1 {
struct run_context;
struct exec_step;

// A value as it lies in the memory of a run.
struct lying_value {
    any_value value{};
    layout order = layout::plain;
    std::int64_t pitch = 0;  // as in node_view

    // A tensor's bytes in the order of ONNX, in parts; not of strings.
    void read(const std::function<void(std::span<const std::byte>)>&) const;
};

// A step of a run: a node, a fused node, a region or control flow; else it changes where or how a value lies.
class watched_step {
    const std::vector<provider_handle>* handles_;
    const run_context* c_;
    const exec_step* e_;
    std::vector<int> values(bool outputs) const;
    lying_value value(bool outputs, int id) const;

  public:
    watched_step(const std::vector<provider_handle>& handles, const run_context& c, const exec_step& e)
        : handles_(&handles), c_(&c), e_(&e) {}
    int number() const;
    const graph_view& graph() const;      // the model's, with the shapes of this run
    std::vector<int> nodes() const;       // of the graph, which the step represents; none: it moves a value
    std::string provider() const;         // empty: the session itself
    std::string what() const;             // the operator of the kernel: that of a fused node, not of its sources
    std::vector<int> inputs() const;      // values of the graph, each once, without constants and absent ones
    std::vector<int> outputs() const;     // likewise
    lying_value input(int value) const;   // before the step; valid until it runs
    lying_value output(int value) const;  // after it; valid until the next one
    std::map<std::string, tensor> follow_from_shapes() const;  // the constants that only the inputs' shapes determine
};
std::vector<watched_step> watched_steps(const std::vector<provider_handle>&,
                                        const run_context&);  // all, in the order of the run
struct step_watcher {
    virtual ~step_watcher() = default;
    virtual void begin(std::span<const watched_step>) {}       // all of them, before the first
    virtual bool before(const watched_step&) { return true; }  // false: the run ends here
    virtual bool after(const watched_step&) { return true; }
};

// A session whose runs may be watched. Devices finish each step before the next begins, and nothing is recorded.
class watched_session : public handle_session {
  public:
    using handle_session::handle_session;
    void watch(std::span<const feed> inputs, step_watcher&, const run_options& = {}) const;  // raises errors
};

// Parts of a model's graph, each run separately over a list of providers, with values that the caller has. What a part
// packs or allocates is released with it, and so are the pages of the weights that it read.
class graph_pieces {
  public:
    struct piece {
        std::vector<int> nodes, inputs, outputs;
    };
    // `inputs`: the shapes of the model's inputs.
    graph_pieces(const model&, std::vector<provider_handle>, const session_options&, std::span<const shape> inputs);
    ~graph_pieces();
    graph_pieces(const graph_pieces&) = delete;
    graph_pieces& operator=(const graph_pieces&) = delete;

    const graph_view& graph() const;  // with these shapes, and what follows from them as constants
    // What produces `outputs` from known values; none: that needs an input of the model which is not known.
    std::optional<piece> find(std::span<const int> outputs, const std::vector<char>& is_known) const;
    // `input`: the k-th, requested once there is memory for the rest; `shapes`: of those that are tensors. `use` sees
    // the outputs where they lie. Raises errors.
    void run(const piece&, std::span<const shape> shapes, const std::function<any_value(std::size_t)>& input,
             const std::function<void(std::span<const any_value>)>& use);
    tensor constant(int value) const;

  private:
    struct impl;
    std::unique_ptr<impl> impl_;
};
}  // namespace v1
}  // namespace inlay
