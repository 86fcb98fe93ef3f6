// session MODEL: reads the classifier of digits and prints what it takes for a vertical bar.
#include <inlay/inlay.hpp>
#include <cstdio>

int main(int, char** words) {
    try {
        inlay::session session{words[1], inlay::cpu{}};
        inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
        for (int row = 0; row < 8; ++row) image.as<float>()[row * 8 + 3] = image.as<float>()[row * 8 + 4] = 1;
        const auto scores = session.run({{"image", image}}).at("scores");
        for (int digit = 0; digit < 10; ++digit) std::printf("%d: %.3f\n", digit, double(scores.as<float>()[digit]));
        inlay::session{"no such file", inlay::cpu{}};
    } catch (const inlay::error& e) {  // of a shared library, perhaps
        return e.code == inlay::error_code::not_found ? 0 : (std::puts(e.what()), 1);
    }
    return 1;
}
