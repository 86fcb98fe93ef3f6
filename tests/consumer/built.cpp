// built MODEL: what session.cpp does, with a provider by its name.
#include <inlay/built_providers.hpp>
#include <cstdio>

int main(int, char** words) {
    const inlay::any_session session(inlay::model(words[1]), {"cpu"}, {}, inlay::built_providers());
    inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
    for (int row = 0; row < 8; ++row) image.as<float>()[row * 8 + 3] = image.as<float>()[row * 8 + 4] = 1;
    const auto scores = session.run({{"image", image}}).at("scores");
    for (int digit = 0; digit < 10; ++digit) std::printf("%d: %.3f\n", digit, double(scores.as<float>()[digit]));
}
