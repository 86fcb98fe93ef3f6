#include "claim.hpp"
#include "guarded.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace ort {
namespace {
class host_allocator final : public IAllocator {
  public:
    host_allocator() : IAllocator(OrtMemoryInfo()) {}
    void* Alloc(size_t size) override { return memory_space<memory::host>::allocate(size); }
    void Free(void* p) override { memory_space<memory::host>::release(p); }
};
// Where an argument comes from, or goes to: an argument of the region, or memory of its own.
struct argument {
    int position = -1;               // of the region's; -1: a constant, or an output that nothing else reads
    std::optional<Tensor> tensor{};  // without a value: it is absent
};
using arguments_list = std::vector<argument>;

class compiled_claim : public compiled_region {
  protected:
    std::shared_ptr<opened_provider> of_;
    graph_copy graph_;
    arguments_list inputs_, outputs_;

    Status prepare(const region& r, const Node& node);

  public:
    compiled_claim(std::shared_ptr<opened_provider> of, const region& r, lending when)
        : of_(std::move(of)), graph_(r.graph, r.nodes, r.nodes, r.constants, when) {}
    virtual Status compute(OpKernelContext& context) const = 0;
    result<std::unique_ptr<executable>> instance() const override;

    Status run(OpKernelContext& context) const {
        std::unique_lock<std::mutex> turn;
        if (!of_->provider->ConcurrentRunSupported()) turn = std::unique_lock(of_->one_at_a_time);
        Status outcome = compute(context);
        if (outcome.IsOK() && of_->memory) outcome = of_->provider->Sync();
        return outcome;
    }

  private:
    OrtMemoryInfo location() const { return of_->memory ? of_->memory->allocator->Info() : OrtMemoryInfo(); }
    Status find_input(const region& r, const NodeArg& a, argument& to) const;
    Status find_output(const region& r, const NodeArg& a, argument& to) const;
    Status find_constant(const region& r, int value, argument& to) const;
};

class call final : public executable {
    const compiled_claim& claim_;
    const arguments_list &from_, &to_;
    OpKernelContext context_;

  public:
    call(const compiled_claim& claim, const arguments_list& from, const arguments_list& to, OpKernelContext context)
        : claim_(claim), from_(from), to_(to), context_(std::move(context)) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override {
        if (c.stopped()) return c.end_of_run();
        for (std::size_t k = 0; k < from_.size(); ++k)
            if (const int at = from_[k].position; at >= 0) context_.SetInput(k, inputs[std::size_t(at)].data);
        for (std::size_t k = 0; k < to_.size(); ++k)
            if (const int at = to_[k].position; at >= 0) context_.SetOutput(k, outputs[std::size_t(at)].data);
        try {
            const Status outcome = guarded("Compute()", [&] { return claim_.run(context_); });
            if (outcome.IsOK()) return status::ok;
            const std::string message =
                outcome.ErrorMessage().empty() ? "Compute() failed: " + outcome.ToString() : outcome.ErrorMessage();
            return c.fail(message, status_of(outcome));
        } catch (...) {
            return status::out_of_memory;  // for the text
        }
    }
};

result<std::unique_ptr<executable>> compiled_claim::instance() const {
    std::vector<std::optional<Tensor>> inputs, outputs;
    const Status outcome = guarded("its allocator", [&] {
        for (const argument& a : inputs_) inputs.push_back(a.tensor);
        for (const argument& a : outputs_) {
            outputs.push_back(a.tensor);
            if (a.tensor && a.position < 0)  // each call at a time writes its own
                outputs.back().emplace(a.tensor->DataType(), a.tensor->Shape(), of_->allocator());
        }
        return Status::OK();
    });
    if (!outcome.IsOK()) return error(error_code::out_of_memory, outcome.ErrorMessage());
    return std::make_unique<call>(*this, inputs_, outputs_, OpKernelContext(std::move(inputs), std::move(outputs)));
}

Tensor tensor_of(const region& r, int id, void* data, const OrtMemoryInfo& location) {
    const value& v = r.graph.values[std::size_t(id)];
    return Tensor(DataTypeImpl::Of(v.type), TensorShape(v.dims), data, location);
}
int position_of(std::span<const int> values, int id) {
    const auto at = std::ranges::find(values, id);
    return at == values.end() ? -1 : int(at - values.begin());
}
Status refuse(std::string reason) { return Status(common::ONNXRUNTIME, common::NOT_IMPLEMENTED, std::move(reason)); }

Status compiled_claim::find_constant(const region& r, int id, argument& to) const {
    const auto& name = std::string(r.graph.values[std::size_t(id)].name);
    void* const elements = const_cast<void*>(r.constant(id));
    to.tensor = tensor_of(r, id, elements, OrtMemoryInfo());
    if (!elements && to.tensor->SizeInBytes() > 0)
        return refuse("the elements of the constant `" + name + "` are not there");
    if (!of_->memory || to.tensor->SizeInBytes() == 0) return Status::OK();
    Tensor copy(to.tensor->DataType(), to.tensor->Shape(), of_->allocator());
    ORT_RETURN_IF_ERROR(of_->memory->transfer->CopyTensor(*to.tensor, copy));
    to.tensor = std::move(copy);
    return Status::OK();
}
Status compiled_claim::find_input(const region& r, const NodeArg& a, argument& to) const {
    if (!a.Exists()) return Status::OK();
    to.position = position_of(r.inputs, a.Value());
    to.tensor = tensor_of(r, a.Value(), nullptr, location());
    if (to.position >= 0) return Status::OK();
    if (r.graph.values[std::size_t(a.Value())].is_constant()) return find_constant(r, a.Value(), to);
    return refuse("`" + a.Name() + "` is made inside the sub-graph, and its MetaDef has it as an input");
}
Status compiled_claim::find_output(const region& r, const NodeArg& a, argument& to) const {
    if (!a.Exists()) return Status::OK();
    to.position = position_of(r.outputs, a.Value());
    to.tensor = tensor_of(r, a.Value(), nullptr, location());
    if (position_of(r.inputs, a.Value()) >= 0)
        return refuse("`" + a.Name() + "` is not made in the sub-graph, and its MetaDef has it as an output");
    return Status::OK();
}
// The node's arguments; checks that they are all that the region reads and produces.
Status compiled_claim::prepare(const region& r, const Node& node) {
    for (const NodeArg* a : node.InputDefs()) ORT_RETURN_IF_ERROR(find_input(r, *a, inputs_.emplace_back()));
    for (const NodeArg* a : node.OutputDefs()) ORT_RETURN_IF_ERROR(find_output(r, *a, outputs_.emplace_back()));
    const auto lacks = [](const arguments_list& list, int position) {
        return std::ranges::find(list, position, &argument::position) == list.end();
    };
    for (int k = 0; k < int(r.inputs.size()); ++k)
        if (lacks(inputs_, k))
            return refuse("its MetaDef lacks the input `" +
                          std::string(r.graph.values[std::size_t(r.inputs[std::size_t(k)])].name) + "`");
    for (int k = 0; k < int(r.outputs.size()); ++k)
        if (lacks(outputs_, k))
            return refuse("its MetaDef lacks the output `" +
                          std::string(r.graph.values[std::size_t(r.outputs[std::size_t(k)])].name) + "`");
    return Status::OK();
}

class compiled_kernel final : public compiled_claim {
    std::unique_ptr<OpKernel> kernel_;

  public:
    // The kernel may read its node whenever it runs.
    compiled_kernel(std::shared_ptr<opened_provider> of, const region& r)
        : compiled_claim(std::move(of), r, lending::at_once) {}
    Status make(const region& r) {
        const Node& node = *graph_.viewer.GetNode(NodeIndex(r.nodes.front()));
        ORT_RETURN_IF_ERROR(prepare(r, node));
        const KernelCreateInfo* kernel_info = nullptr;
        ORT_RETURN_IF_ERROR(of_->registry->TryFindKernel(node, of_->provider->Type(), &kernel_info));
        auto constants = std::make_shared<std::vector<std::optional<Tensor>>>();
        for (const argument& a : inputs_) constants->push_back(a.position < 0 ? a.tensor : std::optional<Tensor>());
        FuncManager functions;
        const OpKernelInfo info(node, *kernel_info->kernel_def, *of_->provider, std::move(constants));
        ORT_RETURN_IF_ERROR(kernel_info->kernel_create_func(functions, info, kernel_));
        ORT_RETURN_IF_NOT(kernel_, "the kernel of ", node.OpType(), " was not made");
        return Status::OK();
    }
    Status compute(OpKernelContext& context) const override { return kernel_->Compute(&context); }
};

void* allocate_for_state(AllocatorHandle, size_t alignment, size_t bytes) {
    return alignment <= 64 ? memory_space<memory::host>::allocate(bytes) : nullptr;
}
void release_of_state(AllocatorHandle, void* p) { memory_space<memory::host>::release(p); }

class compiled_fused final : public compiled_claim {
    NodeComputeInfo functions_;
    FunctionState state_ = nullptr;
    bool has_state_ = false;

  public:
    compiled_fused(std::shared_ptr<opened_provider> of, const region& r)
        : compiled_claim(std::move(of), r, lending::later) {}
    ~compiled_fused() override {
        if (has_state_ && functions_.release_state_func)
            (void)guarded("release_state_func", [&] {
                functions_.release_state_func(state_);
                return Status::OK();
            });
    }
    Status make(const region& r, const IndexedSubGraph::MetaDef& meta, const std::string& name) {
        auto fused = graph_.fuse(meta, name);
        if (!fused) return refuse(fused.why().text);
        ORT_RETURN_IF_ERROR(prepare(r, **fused));
        std::vector<NodeComputeInfo> compute_infos;
        ORT_RETURN_IF_ERROR(of_->provider->Compile({{**fused, graph_.viewer}}, compute_infos));
        if (compute_infos.size() != 1 || !compute_infos[0].compute_func)
            return Status(common::ONNXRUNTIME, common::FAIL, "Compile() gave no function for the sub-graph");
        functions_ = std::move(compute_infos[0]);
        if (!functions_.create_state_func) return Status::OK();
        ComputeContext context{&allocate_for_state, &release_of_state, nullptr, (*fused)->Name().c_str()};
        if (const int code = functions_.create_state_func(&context, &state_))
            return Status(common::ONNXRUNTIME, common::FAIL, "create_state_func gave " + std::to_string(code));
        has_state_ = true;
        return Status::OK();
    }
    Status compute(OpKernelContext& context) const override {
        static constexpr OrtApi api;
        return functions_.compute_func(state_, &api, &context);
    }
};
template <class Claim, class... A>
result<std::shared_ptr<const compiled_region>> compiled(std::string_view step, std::shared_ptr<opened_provider> of,
                                                        const region& r, const A&... a) {
    auto claim = std::make_shared<Claim>(std::move(of), r);
    const Status outcome = guarded(step, [&] { return claim->make(r, a...); });
    if (!outcome.IsOK()) return error_of(outcome, step);
    return std::shared_ptr<const compiled_region>(std::move(claim));
}
}  // namespace

AllocatorPtr opened_provider::allocator() const {
    static const auto host = std::make_shared<host_allocator>();
    return memory ? memory->allocator : host;
}
result<std::shared_ptr<const compiled_region>> compile_kernel(std::shared_ptr<opened_provider> of, const region& r) {
    return compiled<compiled_kernel>("the kernel's constructor", std::move(of), r);
}
result<std::shared_ptr<const compiled_region>> compile_fused(std::shared_ptr<opened_provider> of, const region& r,
                                                             const IndexedSubGraph::MetaDef& meta,
                                                             const std::string& name) {
    return compiled<compiled_fused>("Compile()", std::move(of), r, meta, name);
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay
