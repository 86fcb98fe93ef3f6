// A model that is a type, with what OpenVINO compiled of it.
#include "../embedded_engine.hpp"
#include <inlay/models/digits_openvino.hpp>
#include <inlay/provider/openvino.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("An embedded model restores what OpenVINO compiled, and runs it", "[openvino][contexts]") {
    check_embedded<models::digits_openvino, openvino>(DIGITS);
}

TEST_CASE("An embedded model over OpenVINO with other options than it was compiled with names them",
          "[openvino][contexts]") {
    const inlay::weights<models::digits_openvino, openvino, cpu> w{openvino{.num_of_threads = 3}, cpu{}};
    CHECK(w.status() == status::unsupported);
    CHECK(has_text(w.why(), "`option num_of_threads` is `0` in the file and `3` here"));
}
