// A model that is a type and carries what an engine compiled, compared with the file that it was compiled from.
#pragma once
#include "engines.hpp"
#include <inlay/embedded.hpp>

namespace inlay::testing {
// Model: examples/digits for one image, compiled by P with its defaults; `file`: the model.
template <class Model, class P> void check_embedded(const std::string& file, const P& provider = {}) {
    const inlay::session plain{file, reference{}};
    const inlay::weights<Model, P, cpu> weights{provider, cpu{}};
    INFO(weights.why());
    REQUIRE(weights.status() == status::ok);
    embedded first{weights}, second{weights};
    const auto check = [&](auto& net, float scale) {
        const auto image = net.template input<"image">();
        for (std::size_t i = 0; i < image.size(); ++i) image[i] = scale * float(i % 7);
        const tensor x({1, 1, 8, 8}, std::span<const float>(image));
        REQUIRE(net.run() == status::ok);
        const auto scores = net.template output<"scores">();
        check_close({scores.begin(), scores.end()}, floats(plain.run({{"image", x}})[0]));
    };
    for (const float scale : {0.f, 0.1f, 2.f}) {
        check(first, scale);
        check(second, 1 - scale);
    }
}
}  // namespace inlay::testing
