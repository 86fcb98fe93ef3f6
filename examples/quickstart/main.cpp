// Runs a model with two providers in both orders of priority. What stands between the marks opens README.md.
#include <inlay/inlay.hpp>
#include <cstdio>
#include <iostream>

int main(int count, char** words) {
    const std::string file = count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx";
    // >>>
    inlay::session session{file, inlay::cpu{.threads = 4},
                           inlay::reference{}};  // fast kernels first, plain loops for the rest
    for (auto& in : session.inputs()) std::cout << in.name << ' ' << in.type_text << ' ' << to_string(in.shape) << '\n';
    for (auto& out : session.outputs())
        std::cout << out.name << ' ' << out.type_text << ' ' << to_string(out.shape) << '\n';

    inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
    auto scores = session.run({{"image", image}}).at("scores");

    inlay::session plain{session.model(), inlay::reference{}, inlay::cpu{}};  // the other order; the model stays loaded
    auto expected = plain.run({{"image", image}}).at("scores");

    std::cout << session.plan();  // which node runs where, and why not elsewhere
    // <<<
    for (int digit = 0; digit < 10; ++digit)
        std::printf("%d: %.4f %.4f\n", digit, scores.as<float>()[digit], expected.as<float>()[digit]);
}
