#include "../catch.hpp"
#include "platform/output_file.hpp"
#include <inlay/error.hpp>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
using namespace inlay;
namespace fs = std::filesystem;

namespace {
struct scratch_folder {
    fs::path path;
    scratch_folder() {
        std::string name = (fs::temp_directory_path() / "inlay-test-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~scratch_folder() { fs::remove_all(path); }
    auto entries() const { return std::distance(fs::directory_iterator(path), {}); }
};
std::string text_in(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
mode_t mode_of(const fs::path& file) {
    struct stat s {};
    REQUIRE(::stat(file.c_str(), &s) == 0);
    return s.st_mode & 0777;
}
std::string refusal_of(const fs::path& file, std::string_view text) {
    try {
        write_file(file, text);
    } catch (const error& e) {
        return e.text;
    }
    return "written";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// What this process may write into one file, as a disk that is full allows no more.
class size_limit {
    rlimit before_{};
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);

  public:
    explicit size_limit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~size_limit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
};
}  // namespace

TEST_CASE("A file is there as a whole once it is finished, and is what it was before", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f";
    write_file(file, "before");
    {
        output_file out(file);
        out.write("half");
        CHECK(text_in(file) == "before");
    }
    CHECK(text_in(file) == "before");
    CHECK(folder.entries() == 1);
    output_file out(file);
    out.write("all of ");
    out.write("it");
    out.finish();
    CHECK(text_in(file) == "all of it");
    CHECK(folder.entries() == 1);
}
TEST_CASE("A link stays a link, and the file that it leads to is written", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f", link = folder.path / "link", chain = folder.path / "deep" / "chain",
                   early = folder.path / "early";
    fs::create_directory(folder.path / "deep");
    write_file(file, "before");
    fs::create_symlink("f", link);
    fs::create_symlink("../link", chain);
    fs::create_symlink("later", early);
    write_file(chain, "after");
    CHECK(text_in(file) == "after");
    CHECK(fs::read_symlink(chain) == "../link");
    CHECK(fs::read_symlink(link) == "f");
    write_file(early, "new");
    CHECK(fs::read_symlink(early) == "later");
    CHECK(text_in(folder.path / "later") == "new");
    fs::create_symlink("circle", folder.path / "circle");
    CHECK(has(refusal_of(folder.path / "circle", "x"), "symbolic links"));
}
TEST_CASE("A device and a pipe get the bytes and stay what they are", "[output_file]") {
    write_file("/dev/null", "nothing");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(has(refusal_of("/dev/full", "x"), "cannot write `/dev/full`: No space left on device"));
    CHECK(fs::is_character_file("/dev/full"));
    const scratch_folder folder;
    const fs::path pipe = folder.path / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
    REQUIRE(reader >= 0);
    write_file(pipe, "through");
    char text[16] = "";
    CHECK(::read(reader, text, sizeof text) == 7);
    CHECK(std::string_view(text) == "through");
    ::close(reader);
    CHECK(fs::is_fifo(pipe));
    CHECK(folder.entries() == 1);
}
TEST_CASE("The mode of a file stays, and that of a new one is as the process requires it", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f";
    const mode_t mask = ::umask(027);
    write_file(file, "new");
    CHECK(mode_of(file) == 0640);
    for (const mode_t mode : {0600, 0666, 0751}) {
        REQUIRE(::chmod(file.c_str(), mode) == 0);
        write_file(file, "again");
        CHECK(mode_of(file) == mode);
    }
    ::umask(mask);
}
TEST_CASE("A file that its mode protects is written by root alone", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f";
    write_file(file, "before");
    REQUIRE(::chmod(file.c_str(), 0444) == 0);
    const std::string refusal = refusal_of(file, "after");
    CHECK(refusal == (::geteuid() == 0 ? "written" : "inlay: cannot write `" + file.string() + "`: Permission denied"));
    CHECK(text_in(file) == (::geteuid() == 0 ? "after" : "before"));
    CHECK(mode_of(file) == 0444);
}
TEST_CASE("Where the disk is full the old file stays whole and nothing is left next to it", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f";
    write_file(file, "before");
    const std::string large(64 << 10, 'x');
    std::string refusal;
    {
        const size_limit limit(4096);
        refusal = refusal_of(file, large);
    }
    CHECK(refusal == "inlay: cannot write `" + file.string() + "`: File too large");
    CHECK(text_in(file) == "before");
    CHECK(folder.entries() == 1);
    write_file(file, large);
    CHECK(text_in(file) == large);
}
TEST_CASE("Two writers of a file do not disturb each other, nor files of like names", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f", link = folder.path / "f.new", target = folder.path / "other";
    write_file(target, "other");
    fs::create_symlink("other", link);
    output_file first(file), second(file);
    first.write("first ");
    second.write("second");
    first.write("writer");
    first.finish();
    CHECK(text_in(file) == "first writer");
    second.write(" writer");
    second.finish();
    CHECK(text_in(file) == "second writer");
    CHECK(fs::is_symlink(link));
    CHECK(text_in(target) == "other");
    CHECK(folder.entries() == 3);
}
TEST_CASE("What cannot be written is reported with the system's reason", "[output_file]") {
    const scratch_folder folder;
    CHECK(has(refusal_of(folder.path / "no" / "f", "x"), "`: No such file or directory"));
    CHECK(has(refusal_of(folder.path, "x"), "`: Is a directory"));
    CHECK(has(refusal_of("", "x"), "`: No such file or directory"));
    write_file(folder.path / "f", "x");
    CHECK(has(refusal_of(folder.path / "f" / "g", "x"), "`: Not a directory"));
    CHECK(has(refusal_of(folder.path / std::string(300, 'n'), "x"), "`: File name too long"));
    write_file(folder.path / std::string(255, 'n'), "as long as a name may be");
    CHECK(folder.entries() == 2);
}
TEST_CASE("A file that a build makes is written only where it changes", "[output_file]") {
    const scratch_folder folder;
    const fs::path file = folder.path / "f";
    CHECK(update_file(file, "one"));
    CHECK_FALSE(update_file(file, "one"));
    CHECK(update_file(file, "two"));
    CHECK(update_file(file, "two more"));
    CHECK(text_in(file) == "two more");
    CHECK(update_file(file, ""));
    CHECK_FALSE(update_file(file, ""));
    CHECK(folder.entries() == 1);
    std::string reason;
    try {
        update_file(folder.path / "none" / "f", "x");
    } catch (const error& e) {
        reason = e.text;
    }
    CHECK(has(reason, "cannot write"));
}
