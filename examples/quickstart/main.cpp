// Loads a model, says what it takes and gives, and runs it with two providers in both orders.
#include <cstdio>
#include <inlay/inlay.hpp>
#include <iostream>

int main(int count, char** words) {
    const inlay::model model{count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx"};
    for (const inlay::port& p : model.inputs()) std::cout << "input  " << p.name << ' ' << p.type_text << ' ' << to_string(p.shape) << '\n';
    for (const inlay::port& p : model.outputs()) std::cout << "output " << p.name << ' ' << p.type_text << ' ' << to_string(p.shape) << '\n';

    // The order of the providers is their priority: the fast kernels of the CPU first, plain loops for what it refuses.
    inlay::session fast{model, inlay::cpu{.threads = 1}, inlay::reference{}};
    const inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});  // zeros: an empty sheet
    const inlay::tensor scores = fast.run({{"image", image}}).at("scores");

    // The other order, over the same loaded model: plain loops run everything.
    inlay::session plain{model, inlay::reference{}, inlay::cpu{.threads = 1}};
    const inlay::tensor expected = plain.run({{"image", image}}).at("scores");

    for (int digit = 0; digit < 10; ++digit) std::printf("%d: %.4f %.4f\n", digit, scores.as<float>()[digit], expected.as<float>()[digit]);
    std::cout << fast.plan();
}
