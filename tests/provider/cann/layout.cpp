// Classes of CANN's compiler of graphs, in its headers and as they are handed to it.
#include "../../catch.hpp"
#include <graph/ascend_string.h>
#include <graph/ge_error_codes.h>
#include <graph/graph.h>
#include <provider/cann/library.hpp>
#include <type_traits>
using namespace inlay;

template <class Theirs, class Ours> constexpr bool lies_alike() {
    return sizeof(Theirs) == sizeof(Ours) && alignof(Theirs) == alignof(Ours) &&
           std::is_nothrow_move_constructible_v<Theirs> == std::is_nothrow_move_constructible_v<Ours> &&
           !std::is_polymorphic_v<Theirs> && !std::is_trivially_destructible_v<Theirs>;
}
TEST_CASE("Strings, graphs and options of CANN's compiler lie in memory as its headers say", "[cann]") {
    CHECK(lies_alike<ge::AscendString, cann_string>());
    CHECK(lies_alike<ge::Graph, cann_graph>());
    CHECK(sizeof(std::map<ge::AscendString, ge::AscendString>) == sizeof(cann_options));
    CHECK(sizeof(std::pair<const ge::AscendString, ge::AscendString>) == sizeof(cann_options::value_type));
    CHECK(std::is_same_v<ge::graphStatus, cann_graph_status>);
    CHECK(ge::GRAPH_SUCCESS == 0);
}
