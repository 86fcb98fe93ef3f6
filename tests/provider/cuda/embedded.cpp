// A model as a type over CUDA and the CPU: the compiler makes the plan that a session makes.
#include "../../models.hpp"
#include "../../skip.hpp"
#include "engine/erased_providers.hpp"
#include <inlay/cuda/onnx/conv.hpp>
#include <inlay/cuda/onnx/gemm.hpp>
#include <inlay/cuda/onnx/matmul.hpp>
#include <inlay/cuda/onnx/pool.hpp>
#include <inlay/cuda/onnx/reshape.hpp>
#include <inlay/cuda/onnx/softmax.hpp>
#include <inlay/cuda/onnx/unary.hpp>
#include <inlay/cuda/support/relayout.hpp>
#include <inlay/embedded.hpp>
#include <inlay/models/digits.hpp>
#include <inlay/plan/plan.hpp>
#include <inlay/provider/cuda.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The compiler plans digits over CUDA and the CPU as a session does", "[cuda]") {
    constexpr auto& fixed = embedded<models::digits, cuda, cpu>::plan;
    const std::vector<provider_handle> handles{make_handle(cuda{}), make_handle(cpu{})};
    const fallback policy;
    const erased_providers list(handles, policy, {});
    const plan live = make_plan(models::digits::graph, list, 1);
    CHECK(fixed.step_count == live.steps.size());
    CHECK(fixed.transfers == live.transfers);
    CHECK(fixed.transfers == 2);
    CHECK(fixed.conversions == live.conversions);
    CHECK(fixed.arena_total() == live.arena_total());
    for (std::size_t i = 0; i < live.assigned.owners.size(); ++i) CHECK(fixed.owners[i] == live.assigned.owners[i]);
}
TEST_CASE("Where CUDA cannot be used an embedded model keeps that, and run returns it", "[cuda]") {
    if (find_cuda().unusable.empty()) SKIP("CUDA can be used here");
    embedded<models::digits, cuda, cpu> net;
    CHECK(net.status() != status::ok);
    CHECK(!net.why().empty());
    CHECK(net.run() == net.status());
}
