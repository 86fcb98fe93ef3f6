// What rules answer about primitives, and how they say it.
#include "lowered.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
using namespace inlay::lowering::limits;
constexpr rule rows[]{
    {.of = kind::conv, .types = floats_only, .limits = {images, constant_weights, until("2.0", undilated)}},
    {.of = kind::unary, .functions = these(function::relu), .types = floats_only},
    {.of = kind::unary, .functions = these(function::exp), .since = "1.10", .types = floats_only},
    {.of = kind::softmax, .types = floats_only, .limits = {last_axis}},
    {.of = kind::transpose, .types = floats_only},
    {.of = kind::reshape, .types = floats_only}};
constexpr rule_set strict{
    .library = "Machine", .rules = rows, .tensors = {.most_rank = 4, .most_bytes = 4000, .empty = false}};

std::string of_conv(const std::string& attributes, const std::string& y) {
    return why_not_lowered("g (float[1,1,6,6] x) => (float[1,1," + y +
                               "] y) <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}> "
                               "{ y = Conv <" +
                               attributes + "> (x, w) }",
                           strict);
}
}  // namespace

TEST_CASE("A node is taken where a rule takes its primitives") {
    CHECK(of_conv("pads = [1,1,1,1]", "6,6") == "taken");
    CHECK(why_not_lowered("g (float[2] x) => (float[2] y) { y = Relu (x) }", strict) == "taken");
}
TEST_CASE("A limit that a later version lifted is reported with both versions") {
    CHECK(of_conv("dilations = [2,2]", "2,2") == "Machine has dilated convolutions from 2.0 on, and this is 1.0");
    CHECK(why_not_lowered("g (float[2] x) => (float[2] y) { y = Exp (x) }", strict) ==
          "Machine has the operation from 1.10 on, and this is 1.0");
}
TEST_CASE("Limits and types are reasons of their own") {
    CHECK(why_not_lowered("g (float[1,1,6,6] x, float[1,1,3,3] w) => (float[1,1,4,4] y) { y = Conv (x, w) }", strict) ==
          "the weights is not a constant, which Machine's operation requires");
    CHECK(why_not_lowered("g (float[2,3,2] x) => (float[2,3,2] y) { y = Softmax <axis = 1> (x) }", strict) ==
          "it is not along the last axis, as Machine's is");
    CHECK(why_not_lowered("g (double[2] x) => (double[2] y) { y = Relu (x) }", strict) ==
          "Machine gets no tensors of type double here");
}
TEST_CASE("Tensors that the library cannot have are reasons too") {
    CHECK(why_not_lowered("g (float[1,1,1,1,2] x) => (float[1,1,1,1,2] y) { y = Relu (x) }", strict) ==
          "a tensor has 5 dimensions, and Machine's operations take 4 at most");
    CHECK(why_not_lowered("g (float[0] x) => (float[0] y) { y = Relu (x) }", strict) ==
          "Machine gets no tensors without elements here, as that of shape [0]");
    CHECK(why_not_lowered("g (float[1001] x) => (float[1001] y) { y = Relu (x) }", strict) ==
          "a tensor of shape [1001] is too large for Machine");
}
TEST_CASE("Results may be of other types than what is compared") {
    static constexpr element_set truth = element_set::of({element::boolean});
    static constexpr rule pairs[]{
        {.of = kind::binary, .functions = these(arithmetic::add), .types = floats_only},
        {.of = kind::binary, .functions = these(arithmetic::less), .types = floats_only, .results = truth}};
    static constexpr rule_set compares{.library = "Machine", .rules = pairs};
    CHECK(why_not_lowered("g (float[2] x, float[2] z) => (bool[2] y) { y = Less (x, z) }", compares) == "taken");
    CHECK(why_not_lowered("g (bool[2] x, bool[2] z) => (bool[2] y) { y = Or (x, z) }", compares) ==
          "Machine has no operation for Or here");
    CHECK(why_not_lowered("g (int64[2] x, int64[2] z) => (bool[2] y) { y = Less (x, z) }", compares) ==
          "Machine gets no tensors of type int64 here");
}
TEST_CASE("A convolution's bias, a mean's padding and an image's factors have limits of their own") {
    static constexpr rule windows[]{{.of = kind::conv, .types = floats_only, .limits = {constant_bias}},
                                    {.of = kind::pool, .types = floats_only, .limits = {no_past_padding}},
                                    {.of = kind::layer_norm, .types = floats_only, .limits = {constant_weights}},
                                    {.of = kind::resize, .types = floats_only, .limits = {whole_factors}}};
    static constexpr rule_set machine{.library = "Machine", .rules = windows, .images = layout::plain};
    const auto answer = [](const std::string& graph) { return why_not_lowered(graph, machine, layout::plain); };
    const auto conv = [&](const std::string& bias) {
        return answer("g (float[1,1,2,2] x, float[1,1,1,1] w, float[1] b) => (float[1,1,2,2] y) { y = Conv (x, w" +
                      bias + ") }");
    };
    CHECK(conv("") == "taken");
    CHECK(conv(", b") == "the bias is not a constant, which Machine's operation requires");
    CHECK(answer("g (float[1,1,6] x) => (float[1,1,3] y) { y = AveragePool <kernel_shape = [3], strides = [2], "
                 "ceil_mode = 1, count_include_pad = 1> (x) }") ==
          "count_include_pad is set, and the last windows reach beyond the padding");
    const operand x{0, {2, 3}}, factors{1, {3}};
    CHECK(refusal_by({&machine, "1"}, layer_norm_prim{x, x, factors, {}, {1}, 1e-5f}, "LayerNormalization") ==
          "Scale or B is not a constant, which Machine's operation requires");
    const auto resize = [&](const std::string& attributes, const std::string& sizes) {
        return answer("g (float[1,1,2,2] x) => (float[" + sizes + "] y) <int64[4] s = {" + sizes + "}> { y = Resize <" +
                      attributes + "> (x, , , s) }");
    };
    CHECK(resize("mode = \"nearest\"", "1,1,4,6") == "taken");
    CHECK(resize("mode = \"nearest\"", "1,1,3,2") == "it does not enlarge the last two axes alone, by whole numbers");
    CHECK(resize("mode = \"nearest\", nearest_mode = \"ceil\"", "1,1,4,2") ==
          "Machine does not choose the nearest element as its attributes do");
}
TEST_CASE("Operands that broadcast, exponents, parts and centers of pixels have limits of their own") {
    static constexpr rule limited[]{
        {.of = kind::binary,
         .functions = these(arithmetic::add, arithmetic::sub),
         .types = floats_only,
         .limits = {one_whole}},
        {.of = kind::binary, .functions = these(arithmetic::pow), .types = floats_only, .limits = {number_exponent}},
        {.of = kind::slice, .types = floats_only, .limits = {unit_steps}},
        {.of = kind::resize,
         .functions = these(resizing::interpolation::nearest),
         .types = floats_only,
         .limits = {spatial_factors}},
        {.of = kind::resize,
         .functions = these(resizing::interpolation::linear),
         .types = floats_only,
         .limits = {pixel_centers}}};
    static constexpr rule_set machine{.library = "Machine", .rules = limited, .images = layout::plain};
    const auto answer = [](const std::string& graph) { return why_not_lowered(graph, machine, layout::plain); };
    const auto pair = [&](const std::string& node, const std::string& a, const std::string& y) {
        return answer("g (float[" + a + "] a, float[2,3] b) => (float[" + y + "] y) <float one = {1}> { y = " + node +
                      " }");
    };
    CHECK(pair("Add (a, b)", "3", "2,3") == "taken");
    CHECK(pair("Sub (b, a)", "3", "2,3") == "taken");
    CHECK(pair("Sub (one, b)", "3", "2,3") == "taken");
    CHECK(pair("Sub (a, b)", "3", "2,3") == "Machine broadcasts its second operand only");
    CHECK(pair("Add (a, b)", "4,1,1", "4,2,3") == "Machine broadcasts its second operand only");
    CHECK(pair("Pow (b, one)", "3", "2,3") == "taken");
    CHECK(pair("Pow (b, a)", "3", "2,3") == "its exponent is not one constant, which Machine's operation requires");
    CHECK(answer("g (float[4] x) => (float[2] y) <int64[1] b = {0}, int64[1] e = {4}, int64[1] a = {0}, int64[1] s = "
                 "{2}> { y = Slice (x, b, e, a, s) }") == "Machine's parts have steps of 1, not of 2");
    const auto resize = [&](const std::string& attributes, const std::string& sizes) {
        return answer("g (float[1,2,2] x) => (float[" + sizes + "] y) <int64[3] s = {" + sizes + "}> { y = Resize <" +
                      attributes + "> (x, , , s) }");
    };
    CHECK(resize("mode = \"nearest\"", "1,2,6") == "taken");
    CHECK(resize("mode = \"nearest\"", "1,4,6") ==
          "it does not enlarge the axes behind the channels alone, by whole numbers");
    CHECK(resize("mode = \"linear\"", "1,2,3") == "taken");
    CHECK(resize("mode = \"linear\"", "1,4,3") == "it resizes the batch or the channels");
    CHECK(resize("mode = \"linear\", coordinate_transformation_mode = \"align_corners\"", "1,2,3") ==
          "coordinate_transformation_mode is align_corners, and Machine resizes linearly at half_pixel");
}
TEST_CASE("A processor's windows, buffers, factors and operands have limits of their own") {
    static constexpr rule processor_rules[]{
        {.of = kind::conv, .types = floats_only, .limits = {one_group, window_sizes(9, 2), kernel_fits(16, 32)}},
        {.of = kind::conv, .types = floats_only, .limits = {depthwise}},
        {.of = kind::pool, .types = floats_only, .limits = {counted_padding}},
        {.of = kind::unary, .types = floats_only, .limits = {factors(0.5f, 0)}},
        {.of = kind::binary, .types = floats_only, .limits = {no_broadcast}},
        {.of = kind::resize, .types = floats_only, .limits = {whole_scales}}};
    static constexpr rule_set processor{.library = "Machine", .rules = processor_rules, .images = layout::plain};
    const auto answer = [](const std::string& graph) { return why_not_lowered(graph, processor, layout::plain); };
    const auto conv = [&](const std::string& weights, const std::string& attributes = "dilations = [1,1]",
                          const std::string& y = "1,8,9,9") {
        return answer("g (float[1,64,9,9] x, float[" + weights + "] w) => (float[" + y +
                      "] y) { y = Conv <auto_pad = \"SAME_UPPER\", " + attributes + "> (x, w) }");
    };
    CHECK(conv("4096,64,2,4", "dilations = [1,1]", "1,4096,9,9") == "taken");  // 8 places of 4 times 16 channels
    CHECK(conv("8,64,3,3") == "its kernel takes 36 rows of Machine's buffer, of 32");
    CHECK(conv("8,64,1,1", "dilations = [64,64]") == "taken");
    const std::string too_many = "it has more channels, or these times its dilation, than the 4096 of Machine";
    CHECK(conv("8,64,1,1", "dilations = [64,65]") == too_many);
    CHECK(conv("4097,64,1,1", "dilations = [1,1]", "1,4097,9,9") == too_many);
    CHECK(conv("8,64,1,10") == "the kernel is 10, and Machine takes 1 to 9");
    CHECK(conv("8,64,1,1", "strides = [3,1]", "1,8,3,9") == "the stride is 3, and Machine takes 1 to 2");
    CHECK(conv("64,1,9,9", "group = 64", "1,64,9,9") == "taken");
    const std::string groups = " groups, and Machine's operation one or one for each channel, with one result";
    CHECK(conv("64,2,3,3", "group = 32", "1,64,9,9") == "it has 32" + groups);
    CHECK(conv("128,1,3,3", "group = 64", "1,128,9,9") == "it has 64" + groups);
    const operand x{0, {1, 1, 4}};
    pool_prim padded{pooling::average, x, x, {{4, 4, 3, 1, 1, 1, 1}}, true};
    CHECK(refusal_by({&processor, "1"}, padded, "AveragePool").empty());
    padded.counts_padding = false;
    CHECK(refusal_by({&processor, "1"}, padded, "AveragePool") ==
          "it leaves pads out of means, and Machine counts them");
    CHECK(answer("g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha = 0.5> (x) }") == "taken");
    CHECK(answer("g (float[2] x) => (float[2] y) { y = Elu <alpha = 2.0> (x) }") ==
          "its alpha and beta are 2.000000 and 0.000000, and Machine's 0.500000 and 0.000000");
    CHECK(answer("g (float[2] x) => (float[2] y) { y = Add (x, x) }") == "taken");
    CHECK(answer("g (float[2] x, float[1] z) => (float[2] y) { y = Add (x, z) }") ==
          "it broadcasts, and Machine's operands are of one shape");
    const auto resize = [&](const std::string& sizes) {
        return answer("g (float[1,1,2] x) => (float[" + sizes + "] y) <int64[3] s = {" + sizes +
                      "}> { y = Resize (x, , , s) }");
    };
    CHECK(resize("1,1,4") == "taken");
    CHECK(resize("1,1,3") == "it resizes by no whole number, and Machine's scale is a float");
}
TEST_CASE("Of a library whose scales are powers of two, tensors and weights have no others") {
    static constexpr element_set signed_bytes = element_set::of({element::i8});
    static constexpr rule point_rules[]{{.of = kind::dense, .quantized = signed_bytes},
                                        {.of = kind::reshape, .quantized = signed_bytes}};
    static constexpr rule_set points{.library = "Machine", .rules = point_rules, .tensors = {.powers_of_two = true}};
    const auto answer = [](const quantisation& of_x, const quantisation& of_w) {
        const operand x{0, {1, 2}, element::i8, of_x}, w{1, {2, 2}, element::f32, of_w};
        return refusal_by({&points, "1"}, dense_prim{x, w, x, {}}, "Gemm");
    };
    const quantisation quarter{element::i8, 0, {0.25f}};
    CHECK(answer(quarter, quarter).empty());
    CHECK(answer(quarter, {element::u8, 128, {0.25f, 0.25f}}).empty());
    CHECK(answer({element::i8, 0, {0.3f}}, quarter) == "its scale is 0.300000, and Machine's are powers of two");
    CHECK(answer({element::i8, 1, {0.25f}}, quarter) == "its zero point is 1, and Machine has none");
    CHECK(answer(quarter, {element::u8, 0, {0.25f}}) == "its zero point is -128, and Machine has none");
    CHECK(answer(quarter, {element::i8, 0, {0.25f, 0.5f}}) ==
          "it has a scale for each channel, and Machine one for all");
}
TEST_CASE("What needs fp16 is refused where the processor is known to lack them") {
    static constexpr rule of_halves[]{{.of = kind::unary, .types = floats_only, .limits = {half_floats}}};
    static constexpr rule_set halves{.library = "Machine", .rules = of_halves};
    const operand x{0, {2}};
    const primitive p = unary_prim{function::abs, x, x};
    CHECK(refusal_by({&halves, "1"}, p, "Abs").empty());
    CHECK(refusal_by({&halves, "1", layout::plain, true}, p, "Abs").empty());
    CHECK(refusal_by({&halves, "1", layout::plain, false}, p, "Abs") ==
          "Machine has it for processors with fp16, and this is none");
}
TEST_CASE("Versions are ordered by their numbers") {
    CHECK(is_older("8.5", "10.0"));
    CHECK(is_older("2022-02-16", "2024-11-08"));
    CHECK(is_older("31", "1000006"));
    CHECK_FALSE(is_older("1.10", "1.9"));
    CHECK_FALSE(is_older("27", ""));
}
TEST_CASE("The table says of operators what the rules say of their primitives") {
    const std::vector<table_row> table = table_of(strict);
    REQUIRE(table[0].operators == "Conv");
    CHECK(table[0].demands == std::vector<std::string>{"2 spatial axes", "constant weights", "no dilation before 2.0"});
    CHECK(table[0].most_rank == 4);
    const auto exp = std::ranges::find(table, "Exp", &table_row::operators);
    REQUIRE(exp != table.end());
    CHECK(exp->since == "1.10");
}
