// The same as session.cpp, without the file: the model is a type.
#include <inlay/embedded.hpp>
#include <inlay/models/digits.hpp>
#include <cstdio>

int main() {
    inlay::embedded<inlay::models::digits, inlay::cpu> net;
    std::span image = net.input<"image">();
    for (int row = 0; row < 8; ++row) image[row * 8 + 3] = image[row * 8 + 4] = 1;
    if (net.run() != inlay::status::ok) return std::puts(net.why().data()), 1;
    for (int digit = 0; digit < 10; ++digit) std::printf("%d: %.3f\n", digit, double(net.output<"scores">()[digit]));
}
