// External data: only from regular files inside the model's folder.
#include "proto.hpp"
#include "report/text.hpp"
#include <algorithm>
#include <charconv>

namespace inlay {
inline namespace v1 {
namespace loading {
static int64_t number(const std::string& text, const std::string& what) {
    int64_t n = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (fault != std::errc{} || end != text.data() + text.size() || n < 0)
        refuse(error_code::invalid_model, what + ": `" + one_line(text) + "` is no offset or length");
    return n;
}

static std::filesystem::path inside(const std::filesystem::path& folder, const std::string& location,
                                    const std::string& what) {
    namespace fs = std::filesystem;
    if (folder.empty())
        refuse(error_code::not_found,
               what + " is in the file `" + one_line(location) + "`, and the model was not read from a folder",
               "set model_options::folder");
    if (std::ranges::any_of(location, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
        refuse(error_code::invalid_model, what + ": the location `" + printable(location) +
                                              "` has a control character, as no name of a file should");
    const fs::path relative(location);
    const bool up = std::any_of(relative.begin(), relative.end(), [](const fs::path& p) { return p == ".."; });
    if (location.empty() || relative.is_absolute() || relative.has_root_name() || up)
        refuse(error_code::invalid_model,
               what + ": the location `" + one_line(location) + "` must be a relative path without `..`");
    std::error_code fault;
    const fs::path base = fs::canonical(folder, fault);
    if (fault) refuse(error_code::not_found, "cannot open the folder `" + folder.string() + "`: " + fault.message());
    const fs::path file = fs::canonical(base / relative, fault);  // follows every symbolic link
    if (fault)
        refuse(error_code::not_found, what + ": cannot open `" + (base / relative).string() + "`: " + fault.message());
    if (std::mismatch(base.begin(), base.end(), file.begin(), file.end()).first != base.end())
        refuse(error_code::invalid_model, what + ": `" + one_line(location) + "` leads out of the model's folder");
    return file;
}

file_bytes external_files::whole(const std::string& location, const std::string& what) {
    auto known = files_.find(location);
    if (known == files_.end()) {
        file_bytes f = map_file(inside(folder_, location, what), limits_.file_bytes, what);
        total_ += int64_t(f.data.size());
        if (total_ > limits_.total_bytes)
            refuse(error_code::limit_exceeded,
                   "the model's files have more than " + std::to_string(limits_.total_bytes) + " bytes",
                   "raise limits::total_bytes");
        known = files_.emplace(location, std::move(f)).first;
    }
    return known->second;
}
file_bytes external_files::find(const ::onnx::TensorProto& t, int64_t bytes) {
    const std::string what = "the external data of `" + one_line(t.name()) + "`";
    std::string location;
    int64_t offset = 0, length = -1;
    for (const auto& e : t.external_data()) {
        if (e.key() == "location") location = e.value();
        if (e.key() == "offset") offset = number(e.value(), what);
        if (e.key() == "length") length = number(e.value(), what);
    }
    const file_bytes f = whole(location, what);
    if (length < 0) length = bytes;
    if (length != bytes)
        refuse(error_code::invalid_model,
               what + " has " + std::to_string(length) + " bytes, its shape and type need " + std::to_string(bytes));
    if (offset > int64_t(f.data.size()) || length > int64_t(f.data.size()) - offset)
        refuse(error_code::invalid_model, what + " lies at bytes " + std::to_string(offset) + " to " +
                                              std::to_string(offset) + " + " + std::to_string(length) + " of `" +
                                              one_line(location) + "`, which has " + std::to_string(f.data.size()));
    return {f.data.subspan(std::size_t(offset), std::size_t(length)), f.keep, f.mapped};
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
