// A program that lists the processor's provider alone.
#include <inlay/inlay.hpp>
#include <iostream>

int main(int, char** arguments) {
    const inlay::session session{arguments[1], inlay::cpu{}};
    std::cout << session.plan();
}
