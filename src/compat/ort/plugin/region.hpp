// A compiled region that Inlay took: a session over it, whose runs read and write ONNX Runtime's memory.
#pragma once
#include "message.hpp"
#include <list>

namespace inlay::ep {
class region {
    struct session : handle_session {
        using handle_session::handle_session;
        static void set_memory(binding&, std::span<const tensor> inputs, std::span<const tensor> outputs);
        [[noreturn]] static void raise_failure(const binding&, status);
    };
    struct bound {
        binding run;
        std::vector<shape> inputs;   // that it is bound for
        std::vector<char> late;      // of each output: its memory is requested after the run
        std::vector<shape> outputs;  // of those without data-dependent sizes
    };
    const runtime& ort_;
    session session_;
    std::vector<int> input_ports_;   // of each of the session's inputs: which of the kernel's it is
    std::vector<int> output_ports_;  // likewise
    std::mutex lock_;
    std::list<bound> free_;  // the newest first

    std::list<bound> take(const std::vector<shape>& inputs);
    void give_back(std::list<bound>) noexcept;
    tensor input(const OrtKernelContext*, std::size_t k, std::vector<shape>& shapes) const;
    OrtValue* output(OrtKernelContext*, std::size_t k, const shape&) const;

  public:
    // fused: the node that represents the region, whose inputs and outputs are those of its kernel.
    region(const runtime&, const OrtGraph*, const OrtNode* fused, std::vector<provider_handle>, session_options);
    // Raises errors. Several threads may run one region.
    void run(OrtKernelContext*);
};
}  // namespace inlay::ep
