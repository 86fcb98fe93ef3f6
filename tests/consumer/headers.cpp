#include <inlay/shape.hpp>

int main() {
    constexpr inlay::shape dims{2, 3};
    static_assert(dims.elements() == 6);
}
