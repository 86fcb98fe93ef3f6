// The program in C++ of ONNX Runtime's documents, word for word but for its #include. documents/program.hpp is taken
// out of them by extract.py when this is built.
#include "../ort/programs.hpp"
#include <inlay/built_providers.hpp>
#include <documents/program.hpp>
#include <filesystem>
using namespace inlay::testing;

TEST_CASE("The documents' program in C++ compiles and appends the CUDA provider", "[documents]") {
    namespace fs = std::filesystem;
    const fs::path before = fs::current_path(), folder = fs::temp_directory_path() / "inlay-test-documents";
    fs::create_directories(folder);
    fs::copy_file(DIGITS, folder / "model.onnx", fs::copy_options::overwrite_existing);
    fs::current_path(folder);
    const thrown t = thrown_by(documents_program);
    fs::current_path(before);
    fs::remove_all(folder);
    // Without CUDA's provider or a device it ends as it does with ONNX Runtime: in an exception that says so.
    const bool built =
        std::ranges::count(inlay::built_providers(), "CUDAExecutionProvider", &inlay::provider_factory::name) > 0;
    CAPTURE(t.text);
    if (!built) CHECK(t.code == ORT_INVALID_ARGUMENT);
    if (t.code != ORT_OK) CHECK(has_text(t.text, "CUDA"));
}
