// Runs a model with two providers in both orders of priority. The code between the marks opens README.md.
#include <inlay/inlay.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>

int main(int count, char** words) {
    const std::string file = count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx";
    // >>>
    inlay::session session{file, inlay::cpu{.threads = 4}, inlay::reference{}};  // providers in order of priority
    inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
    for (int row = 1; row < 7; ++row) image.as<float>()[row * 8 + 4] = 1;  // a one
    const inlay::tensor scores = session.run({{"image", image}}).at("scores");
    const auto values = scores.as<float>();
    std::cout << "it is a " << std::ranges::max_element(values) - values.begin() << '\n';
    std::cout << session.plan();  // which node runs where, and why not elsewhere
    // <<<
    inlay::session other_order{session.model(), inlay::reference{}, inlay::cpu{}};  // the model stays loaded
    const inlay::tensor expected = other_order.run({{"image", image}}).at("scores");
    for (int digit = 0; digit < 10; ++digit)
        std::printf("%d: %.4f %.4f\n", digit, values[digit], expected.as<float>()[digit]);
}
