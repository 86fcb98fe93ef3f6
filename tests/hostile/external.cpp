// External data that lies elsewhere, is not there, or is no file.
#include "attempt.hpp"
#include <fstream>
#include <sys/stat.h>

using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
// 2,000 numbers of float32 at `location`; the model itself is model.onnx in the folder.
std::string external_model(const std::string& location, const std::string& offset = "",
                           const std::string& length = "") {
    auto m = message("g (float[2000] x) => (float[2000] y) { y = Add(x, w) }");
    auto& t = *m.mutable_graph()->add_initializer();
    t.set_name("w");
    t.set_data_type(onnx::TensorProto::FLOAT);
    t.add_dims(2000);
    t.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, text] :
         {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
        if (text.empty()) continue;
        auto& e = *t.add_external_data();
        e.set_key(key);
        e.set_value(text);
    }
    return m.SerializeAsString();
}
const std::string data(8000, '\0');

void check_external(const std::string& sentence, const std::string& location, const std::string& offset,
                    const std::string& length, std::string_view expected) {
    INFO(sentence);
    const hostile_folder folder;
    folder.write("model.onnx", external_model(location, offset, length));
    folder.write("w.bin", data);
    folder.write("short.bin", data.substr(0, 7999));
    folder.write("empty.bin", "");
    fs::create_directory(folder.path / "inside");
    const fs::path outside = folder.path.string() + ".secret";
    fs::create_directory(outside);
    std::ofstream(outside / "w.bin", std::ios::binary).write(data.data(), std::streamsize(data.size()));
    fs::create_symlink(outside / "w.bin", folder.path / "link.bin");
    fs::create_directory_symlink(outside, folder.path / "linked");
    fs::create_symlink("loop.bin", folder.path / "loop.bin");
    fs::create_symlink("/dev/zero", folder.path / "zero.bin");
    REQUIRE(mkfifo((folder.path / "pipe.bin").c_str(), 0600) == 0);
    check_attempt(folder.load(sentence), expected);
    fs::remove_all(outside);
}
}  // namespace

TEST_CASE("External data inside the folder is read", "[hostile]") {
    check_external("external data next to the model", "w.bin", "0", "8000", "load: ok; cpu: ok");
    check_external("external data next to the model, with a dot", "./inside/.././w.bin", "", "",
                   "must be a relative path");
}

TEST_CASE("External data outside the folder is refused", "[hostile]") {
    for (const char* location :
         {"../0.secret/w.bin", "..", "/etc/passwd", "/dev/zero", "inside/../../w.bin", "//etc/passwd", ""})
        check_external(std::string("external data at `") + location + "`", location, "", "", "load: invalid_model");
    check_external("a symbolic link to a file outside", "link.bin", "", "", "leads out of the model's folder");
    check_external("a symbolic link to a folder outside", "linked/w.bin", "", "", "leads out of the model's folder");
    check_external("a symbolic link to a device", "zero.bin", "", "", "leads out of the model's folder");
    check_external("a symbolic link to itself", "loop.bin", "", "", "load: not_found");
    check_external("a pipe that no process writes to", "pipe.bin", "", "", "load: not_found");
    check_external("a folder", "inside", "", "", "load: not_found");
    check_external("the folder itself", ".", "", "", "load: not_found");
    check_external("a file that is not there", "nothing.bin", "", "", "load: not_found");
    check_external("a name of a megabyte", std::string(1 << 20, 'a'), "", "", "load: not_found");
    check_external("a name that ends early", std::string("w.bin\0/../x", 11), "", "", "load: ");
}

TEST_CASE("External data that its file does not hold is refused", "[hostile]") {
    check_external("an offset behind the end", "w.bin", "8001", "", "load: invalid_model");
    check_external("an offset from which too little is left", "w.bin", "4", "", "load: invalid_model");
    check_external("an offset of 2^63 - 1", "w.bin", "9223372036854775807", "", "load: invalid_model");
    check_external("an offset of 2^64", "w.bin", "18446744073709551616", "", "load: invalid_model");
    check_external("an offset that wraps round with the length", "w.bin", "9223372036854775000", "8000",
                   "load: invalid_model");
    check_external("a negative offset", "w.bin", "-8000", "", "load: invalid_model");
    check_external("an offset that is no number", "w.bin", "0x10", "", "load: invalid_model");
    check_external("a length other than the shape's", "w.bin", "0", "4000", "load: invalid_model");
    check_external("a length of 2^63 - 1", "w.bin", "0", "9223372036854775807", "load: invalid_model");
    check_external("a file that is one byte short", "short.bin", "", "", "load: invalid_model");
    check_external("an empty file", "empty.bin", "", "", "load: invalid_model");
}
