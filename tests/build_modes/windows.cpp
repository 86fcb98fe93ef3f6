#include "models.hpp"
#include "program.hpp"
#include <inlay/embedded.hpp>

using namespace inlay;
bool windows_hold() {
    embedded<testing::windows, cpu> net;
    embedded<testing::two_nodes, cpu> second;  // main.cpp has it too
    for (float& x : net.input<"image">()) x = 1;
    if (net.run() != status::ok || second.run() != status::ok) return false;
    // Four pixels see a corner, eight an edge: 4, 6 or 9 of the image's ones.
    constexpr float corner = 0.98201379f, edge = 0.99752738f, inside = 0.99987661f;
    constexpr float expected[] = {corner, edge,   edge,   corner, edge,   inside, inside, edge,
                                  edge,   inside, inside, edge,   corner, edge,   edge,   corner};
    const auto shares = net.output<"shares">();
    bool good = true;
    for (std::size_t i = 0; i < 16; ++i)
        good = good && near(shares[i], expected[i]) && near(shares[16 + i], 1 - expected[i]);
    return good && second.output<"scores">()[0] == 1;
}
