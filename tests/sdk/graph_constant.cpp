#include "../catch.hpp"
#include "../models.hpp"
#include <inlay/sdk/graph_data.hpp>
#include <atomic>
#include <thread>
using namespace inlay;

namespace {
struct counted_constant {
    std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
    graph_constant constant{element::f32, {3}, [n = calls] {
                                ++*n;
                                return tensor({3}, {1.f, 2.f, 3.f});
                            }};
};
}  // namespace

TEST_CASE("A constant on demand is known by its type and shape, and made when it is read") {
    const counted_constant c;
    CHECK(c.constant.is_made_on_demand());
    CHECK(c.constant.type() == element::f32);
    CHECK(c.constant.shape() == shape{3});
    CHECK(c.constant.elements() == 3);
    CHECK(c.constant.bytes() == 12);
    graph_data g;
    const int id = g.add_constant("c", c.constant);
    CHECK(g.values[std::size_t(id)].is_constant());
    CHECK(g.values[std::size_t(id)].kind == contents::none);
    CHECK(*c.calls == 0);
    CHECK(tensor_view(c.constant.get()).as<float>()[2] == 3);
    CHECK(*c.calls == 1);
}
TEST_CASE("What is made stays while a holder has it, for all copies of the constant, and is made again after that") {
    const counted_constant c;
    const graph_constant copy = c.constant;
    CHECK(copy.identity() == c.constant.identity());
    {
        const tensor first = c.constant.get(), second = copy.get();
        CHECK(first.data() == second.data());
        CHECK(*c.calls == 1);
    }
    CHECK(tensor_view(copy.get()).as<float>()[0] == 1);
    CHECK(*c.calls == 2);
}
TEST_CASE("Threads that read a constant on demand together have it made once") {
    const counted_constant c;
    const tensor value = c.constant.get();
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] { right += tensor_view(c.constant.get()).as<float>()[1] == 2; });
    for (std::thread& t : threads) t.join();
    CHECK(right == 4);
    CHECK(*c.calls == 1);
}
TEST_CASE("A constant on demand that cannot be made says why, each time") {
    const graph_constant c(element::f32, {3}, []() -> tensor { raise({error_code::out_of_memory, "no room"}); });
    for (int k = 0; k < 2; ++k) CHECK_THROWS_AS(c.get(), error);
}
TEST_CASE("A tensor is a constant that shares its memory") {
    const tensor t({2}, {1.f, 2.f});
    const graph_constant c = t;
    CHECK(!c.is_made_on_demand());
    CHECK(c.identity() == graph_constant(t).identity());
    CHECK(c.identity() != graph_constant(tensor::borrow(element::f32, {1}, t.data())).identity());  // a part of it
    CHECK(c.get().data() == t.data());
}
