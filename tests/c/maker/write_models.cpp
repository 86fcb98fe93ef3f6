// write_models FOLDER FILE.txt...: writes FOLDER/FILE.onnx of each model in ONNX's text form. A program of its own:
// tests of libinlay.so must not have a second onnx in their process.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <onnx/defs/parser.h>

int main(int count, char** words) {
    const std::filesystem::path folder = words[1];
    for (int k = 2; k < count; ++k) {
        const std::filesystem::path from = words[k];
        std::ifstream in(from);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        onnx::ModelProto model;
        if (const auto status = onnx::OnnxParser::Parse(model, text.c_str()); !status.IsOK()) {
            std::cerr << from << ": " << status.ErrorMessage() << '\n';
            return 1;
        }
        std::ofstream out(folder / from.stem().concat(".onnx"), std::ios::binary);
        if (!model.SerializeToOstream(&out) || !out.flush()) {
            std::cerr << "cannot write " << from.stem() << ".onnx in " << folder << '\n';
            return 1;
        }
    }
}
