// A custom provider: its own memory, whose transfers are counted, one kernel written for it and one reused.
#include <inlay/inlay.hpp>
#include <inlay/onnx/gemm.hpp>
#include <inlay/onnx/unary.hpp>
#include <atomic>
#include <iostream>

// 1. Its memory: a tag, how to allocate there, and how bytes get there and back. A real device would call its driver.
struct board_memory {};
static std::atomic<int> sent, received;
template <> struct inlay::memory_space<board_memory> : inlay::memory_space<inlay::memory::host> {
    static constexpr std::string_view name = "board";
};
template <> struct inlay::transfer<inlay::memory::host, board_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++sent;
        std::memcpy(to, from, bytes);
        return true;
    }
};
template <> struct inlay::transfer<board_memory, inlay::memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++received;
        std::memcpy(to, from, bytes);
        return true;
    }
};

// 2. Its kernels: specialisations for a tag of its own. Relu is written out, Gemm is the reference kernel.
struct board_device {
    static constexpr std::string_view name = "board";
};
template <> struct inlay::kernel<inlay::op::relu, board_device, inlay::types<float>> : inlay::simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        for (std::int64_t i = 0; i < p.count; ++i) a.out<float>(0)[i] = a.in<float>(0)[i] < 0 ? 0 : a.in<float>(0)[i];
        return status::ok;
    }
};
template <>
struct inlay::kernel<inlay::op::gemm, board_device, inlay::types<float>>
    : inlay::kernel<inlay::op::gemm, inlay::device::reference, inlay::types<float>> {};

// 3. The provider: the members are its options, the object is the configured provider.
struct board {
    int device_id = 0;
    static constexpr std::string_view name = "BoardExecutionProvider";
    using memory = board_memory;
    static constexpr auto devices = inlay::hana::tuple_t<board_device>;
    static constexpr auto kernels = inlay::hana::tuple_t<inlay::op::relu, inlay::op::gemm>;
    constexpr inlay::verdict accepts(
        const inlay::node_view& n) const {  // optional: refusals, with the reason, that no single kernel can decide
        return n.input(0).dims.rank == 2 ? inlay::yes() : inlay::no("the board takes matrices only");
    }
};
BOOST_HANA_ADAPT_STRUCT(board, device_id);
static_assert(inlay::provider<board>);

int main(int count, char** words) {
    const inlay::model model{count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx"};
    inlay::session session{model, board{}, inlay::cpu{.threads = 1}};
    inlay::binding bound = session.bind({{"image", {1, 1, 8, 8}}});
    std::cout << session.plan();

    sent = received = 0;  // the weights are there already
    if (bound.run() != inlay::status::ok) return 1;
    const inlay::plan_report plan = session.plan();
    std::cout << "transfers of one run: " << sent << " to the board, " << received << " back\n";
    return plan.count(board::name) == 3 && sent + received == int(plan.transfers.size()) ? 0 : 1;
}
