// A file that is written as a whole or not at all.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace inlay {
inline namespace v1 {
// Data goes into a draft next to the file; finish() moves it into the file's place once it is on the
// disk, so that the file stays unchanged if anything fails before. Its mode stays, too. A link stays a link: the
// file that it leads to is written; a device or a pipe gets the bytes as they come. Errors, of the code
// invalid_argument, name the file and the system's reason.
class output_file {
    std::filesystem::path name_, target_, draft_;  // as requested; where links lead; empty: what is written is in place
    int descriptor_ = -1;

    [[noreturn]] void fail(int reason) const;
    void open_draft(unsigned mode);

  public:
    explicit output_file(std::filesystem::path name);
    output_file(const output_file&) = delete;
    ~output_file();
    void write(std::span<const std::byte>);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void finish();
};
inline void write_file(const std::filesystem::path& file, std::string_view bytes) {
    output_file out(file);
    out.write(bytes);
    out.finish();
}
// For files that a build generates, so that it does not redo work: left alone where nothing changes. True if the file
// was written, false if it held these bytes already.
bool update_file(const std::filesystem::path& file, std::span<const std::span<const std::byte>> pieces);
bool update_file(const std::filesystem::path& file, std::string_view text);
}  // namespace v1
}  // namespace inlay
