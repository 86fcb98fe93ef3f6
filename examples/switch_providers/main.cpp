// Providers chosen by name: runs a model, changes their priority, runs it again and compares.
#include <inlay/inlay.hpp>
#include <cmath>
#include <iostream>

static void show(const inlay::plan_report& plan) {
    for (const std::string& name : plan.providers)
        std::cout << "  " << name << ": " << plan.count(name) << " of " << plan.nodes.size() << " nodes\n";
}

int main(int count, char** words) {
    inlay::any_session session{count > 1 ? words[1] : INLAY_EXAMPLE_DIR "/../digits/digits.onnx", {"reference", "cpu"}};
    inlay::tensor image(inlay::element::f32, {1, 1, 8, 8});
    for (int row = 1; row < 7; ++row) image.as<float>()[row * 8 + 4] = 1;  // a one

    const inlay::tensor before = session.run({{"image", image}}).at("scores");
    std::cout << "reference before cpu:\n";
    show(session.plan());

    session.set_providers({{"CPUExecutionProvider", {{"threads", "1"}}}, "ReferenceExecutionProvider"});
    const inlay::tensor after = session.run({{"image", image}}).at("scores");
    std::cout << "cpu before reference:\n";
    show(session.plan());

    float largest = 0;
    for (std::int64_t i = 0; i < after.elements(); ++i)
        largest = std::max(largest, std::abs(after.as<float>()[i] - before.as<float>()[i]));
    std::cout << "largest difference between the two: " << largest << '\n';
    return largest < 1e-5f ? 0 : 1;
}
