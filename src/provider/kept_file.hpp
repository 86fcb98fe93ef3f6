// Files that a session keeps for later ones: processes may share their folder, so that whole files appear at once.
#pragma once
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>
#include <unistd.h>

namespace inlay {
inline namespace v1 {
// `write` gets the stream. False: the file could not be written, and is not there.
inline bool keep_file(const std::filesystem::path& file, const auto& write) {
    std::filesystem::path unfinished = file;
    unfinished += '.' + std::to_string(::getpid()) + '.' + std::to_string(reinterpret_cast<std::uintptr_t>(&file));
    bool good = false;
    {
        std::ofstream out(unfinished, std::ios::binary);
        out.imbue(std::locale::classic());  // whatever the program's own is
        write(out);
        good = bool(out.flush());
    }
    std::error_code failed;
    if (good) std::filesystem::rename(unfinished, file, failed);
    if (!good || failed) std::filesystem::remove(unfinished, failed);
    return good && !failed;
}
}  // namespace v1
}  // namespace inlay
