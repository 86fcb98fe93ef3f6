// What QNN gets of a graph, as its library Saver reads it out of our structures and writes it down: each tensor with
// its type, dimensions and encoding, each operation with its parameters, inputs and outputs. A wrong layout of one of
// these structures, or another graph, is another record.
#include "../byte_cases.hpp"
#include <inlay/provider/qnn.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
std::string content(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}
// Of the C program that the library writes: a line for each tensor and operation of the last graph that was made.
std::string facts_of(const std::string& program) {
    const std::regex dims(R"x(_dims\[\] = \{([0-9, ]*)\};)x"), encoding(R"x(_quantizeParams = \{.*?, \.(.*)\};)x"),
        offsets(R"x(Qnn_ScaleOffset_t .*\[\] = \{(.*)\};)x"),
        tensor_line(R"x(_v1 = \{[^"]*"(\w+)", \(Qnn_TensorType_t\)(\d+), 0, \(Qnn_DataType_t\)(\d+), .*\};)x"),
        scalar(R"x(Qnn_Param_t .* = \{\(Qnn_ParamType_t\)0, "(\w+)", (.*)\};)x"),
        list(R"x(Qnn_Param_t .* = \{\(Qnn_ParamType_t\)1, "(\w+)")x"), value(R"x(Qnn_Scalar_t .* = \{(.*)\};)x"),
        operation(R"x(Qnn_OpConfigV1_t .* = \{"(\w+)", "qti.aisw", "(\w+)", (\d+), .*, (\d+), .*, (\d+), .*\};)x");
    std::string facts, shape, codes, axis_offsets, number;
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);) {
        std::smatch m;
        if (line.find("interface.graphCreate") != line.npos) facts.clear();
        if (std::regex_search(line, m, dims)) shape = m[1];
        if (std::regex_search(line, m, offsets)) axis_offsets = m[1];
        if (std::regex_search(line, m, encoding)) codes = m[1];
        if (std::regex_search(line, m, value)) number = m[1];
        if (std::regex_search(line, m, tensor_line)) {
            facts += "  " + m[1].str() + " kind " + m[2].str() + " type " + m[3].str() + " [" + shape + "] " + codes +
                     (axis_offsets.empty() ? "" : " of " + axis_offsets) + '\n';
            axis_offsets.clear();
        } else if (std::regex_search(line, m, scalar))
            facts += "  " + m[1].str() + " = " + m[2].str() + (number.empty() ? "" : " of " + number) + '\n';
        else if (std::regex_search(line, m, list))
            facts += "  is " + m[1].str() + '\n';
        else if (std::regex_search(line, m, operation))
            facts += m[1].str() + " " + m[2].str() + ": " + m[3].str() + " parameters, " + m[4].str() + " inputs, " +
                     m[5].str() + " outputs\n";
    }
    return facts;
}
}  // namespace

TEST_CASE("What the library reads of a graph of floats and codes is what was recorded before", "[qnn]") {
    const fs::path folder = fs::temp_directory_path() / ("inlay-qnn-record-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    const fs::path before = fs::current_path();
    fs::current_path(folder);  // where it writes
    std::string text = conv_in_bytes(4, 4, "0.02,0.01,0.03,0.005", ", strides = [2,1]");
    const std::string tail = " y = QuantizeLinear(r, so, z) }";
    text.replace(text.find(tail), tail.size(),
                 " q = QuantizeLinear(r, so, z) e = DequantizeLinear(q, so, z) p = GlobalAveragePool(e) "
                 "f = Flatten(p) y = Softmax(f) }");
    const std::string type = "(uint8[2,4,6,5] y)";
    text.replace(text.find("(uint8[2,4,6,5] y)"), type.size(), "(float[2,4] y)");
    {
        const inlay::session s{model_of(text), quiet(), inlay::qnn{.backend_type = qnn_backend_type::saver}, cpu{}};
        CHECK(s.plan().steps == 1);
        const auto run = s.try_run(std::vector<feed>{{"x", byte_ramp(element::u8, {2, 4, 6, 5})}});
        REQUIRE_FALSE(run);
        CHECK(has_text(run.why().text, "records its calls, and computes nothing"));
    }
    fs::current_path(before);
    const std::string facts = facts_of(content(folder / "saver_output" / "saver_output.c"));
    const std::string expected = content(fs::path(RECORDS) / "network.txt");
    if (facts != expected) std::ofstream("qnn_network.txt") << facts;  // next to the program, to be looked at
    CHECK(facts == expected);
    CHECK(facts.size() > 500);
    fs::remove_all(folder);
}
