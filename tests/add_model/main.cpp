// Prints the first weight of the model, from the program or from the file next to it.
#include <inlay/models/digits.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

int main(int, char** words) {
    using model = inlay::models::digits;
    float first = 0;
    if (model::place == inlay::weights_place::embedded)
        std::memcpy(&first, model::weights(), sizeof(first));
    else
        std::ifstream(std::filesystem::path(words[0]).parent_path() / model::weights_file, std::ios::binary)
            .read(reinterpret_cast<char*>(&first), sizeof(first));
    std::printf("%s %d %g\n", model::name.data(), int(model::graph.values[0].dims[0]), double(first));
}
