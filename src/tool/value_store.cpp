#include "shadow.hpp"
#include <cerrno>
#include <cstring>

namespace inlay::tool {
namespace {
[[noreturn]] void raise_file(const char* action) {
    raise({error_code::invalid_argument, fmt::format("cannot {} the values of a run in a temporary file: {}; TMPDIR "
                                                     "names another folder for it",
                                                     action, std::strerror(errno))});
}
std::FILE* open_temporary() {  // in TMPDIR, which std::tmpfile() does not read
    const fs::path folder = fs::temp_directory_path();
    std::string name = (folder / "inlay_XXXXXX").string();
    const int file = ::mkstemp(name.data());
    if (file < 0) raise_file("keep");
    ::unlink(name.c_str());
    return ::fdopen(file, "w+b");
}
}  // namespace

void value_store::clear() {
    if (file_) std::fclose(std::exchange(file_, nullptr));
    entries_.clear();
    end_ = 0;
}
void value_store::put(int id, const lying_value& v) {
    if (entries_.contains(id)) return;
    const tensor* t = v.value.as_tensor();
    if (!t || t->type() == element::string) {
        entries_[id].object = t ? any_value(t->clone()) : v.value;
        return;
    }
    if (!file_ && !(file_ = open_temporary())) raise_file("keep");
    if (::fseeko(file_, end_, SEEK_SET) != 0) raise_file("keep");
    v.read([&](std::span<const std::byte> part) {
        if (std::fwrite(part.data(), 1, part.size(), file_) != part.size()) raise_file("keep");
    });
    entries_[id] = {{}, t->type(), t->shape(), end_};
    end_ += t->bytes();
}
shape value_store::shape_of(int id) const {
    const auto at = entries_.find(id);
    if (at != entries_.end() && at->second.type != element::undefined) return at->second.dims;
    const tensor* t = (at == entries_.end() ? fed_.at(id) : at->second.object).as_tensor();
    return t && *t ? t->shape() : shape::unknown();
}
any_value value_store::get(int id) const {
    const auto at = entries_.find(id);
    if (at == entries_.end()) return fed_.at(id);
    const entry& e = at->second;
    if (e.type == element::undefined) return e.object;
    tensor t = tensor::uninitialized(e.type, e.dims);
    const auto bytes = std::size_t(t.bytes());
    if (::fseeko(file_, e.offset, SEEK_SET) != 0 || std::fread(t.data(), 1, bytes, file_) != bytes) raise_file("read");
    return t;
}
}  // namespace inlay::tool
