// Each operator of floats in the mode `ref`, through XIR and VART, compared with the reference kernels.
#include "../operator_cases.hpp"
#include "tested.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("XIR has the operator, and its numbers are those of the reference kernels", "[vitisai]") {
    check_operators(by_reference(), {{"Conv", "it has 2 groups, and XIR's operation one or one for each channel"},
                                     {"Resize", "it resizes by no whole number"},
                                     {"Abs", "XIR has no operation for Abs"},
                                     {"Floor", "XIR has no operation for Floor"},
                                     {"PRelu", "XIR has no operation for PRelu"},
                                     {"LogSoftmax", "XIR has no operation for LogSoftmax"},
                                     {"InstanceNormalization", "XIR has no operation for InstanceNormalization"},
                                     {"LRN", "XIR has no operation for LRN"},
                                     {"Gather", "XIR has no operation for Gather"},
                                     {"DepthToSpace", "XIR has no operation for DepthToSpace"},
                                     {"SpaceToDepth", "XIR has no operation for SpaceToDepth"},
                                     {"ArgMax", "XIR has no operation for ArgMax"},
                                     {"ArgMin", "XIR has no operation for ArgMin"}});
}
