// External data: only from regular files inside the model's folder, or the folder that the model's link leads to.
#include "proto.hpp"
#include "support/text.hpp"
#include <algorithm>
#include <charconv>

namespace inlay {
inline namespace v1 {
namespace loading {
static int64_t number(const std::string& text, const std::string& subject) {
    int64_t n = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (fault != std::errc{} || end != text.data() + text.size() || n < 0)
        refuse(error_code::invalid_model, subject + ": `" + one_line(text) + "` is no offset or length");
    return n;
}

namespace fs = std::filesystem;

model_folders folders_of(const fs::path& file) {
    model_folders folders{fs::absolute(file).parent_path()};
    std::error_code fault;
    const fs::path target = fs::canonical(file, fault);
    if (!fault && fs::is_symlink(file, fault)) folders.push_back(target.parent_path());
    return folders;
}

static fs::path relative_path(const std::string& location, const std::string& subject) {
    if (std::ranges::any_of(location, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
        refuse(error_code::invalid_model, subject + ": the location `" + printable(location) +
                                              "` has a control character, as no name of a file should");
    const fs::path relative(location);
    const bool up = std::any_of(relative.begin(), relative.end(), [](const fs::path& p) { return p == ".."; });
    if (location.empty() || relative.is_absolute() || relative.has_root_name() || up)
        refuse(error_code::invalid_model,
               subject + ": the location `" + one_line(location) + "` must be a relative path without `..`");
    return relative;
}
static bool lies_in(const fs::path& file, const fs::path& folder) {  // of canonical paths
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

data_file locate(const model_folders& folders, const std::string& location, const std::string& subject) {
    if (folders.empty())
        refuse(error_code::not_found,
               subject + " is in the file `" + one_line(location) + "`, and the model was not read from a folder",
               "set model_options::folder");
    const fs::path relative = relative_path(location, subject);
    std::error_code fault;
    model_folders bases;
    for (const fs::path& folder : folders) {
        bases.push_back(fs::canonical(folder, fault));
        if (fault)
            refuse(error_code::not_found, "cannot open the folder `" + folder.string() + "`: " + fault.message());
    }
    std::string problem;
    for (const fs::path& base : bases) {
        const data_file file{base / relative, fs::canonical(base / relative, fault)};  // follows every symbolic link
        if (!fault) {
            if (std::ranges::none_of(bases, [&](const fs::path& b) { return lies_in(file.target, b); }))
                refuse(error_code::invalid_model,
                       subject + ": `" + one_line(location) + "` leads out of the model's folder");
            return file;
        }
        if (problem.empty()) problem = "cannot open `" + file.name.string() + "`: " + fault.message();
    }
    refuse(error_code::not_found, subject + ": " + problem);
}

file_bytes external_files::whole(const std::string& location, const std::string& subject) {
    auto entry = files_.find(location);
    if (entry == files_.end()) {
        file_bytes f = map_file(locate(folders_, location, subject).target, limits_.file_bytes, subject);
        total_ += int64_t(f.data.size());
        if (total_ > limits_.total_bytes)
            refuse(error_code::limit_exceeded,
                   "the model's files have more than " + std::to_string(limits_.total_bytes) + " bytes",
                   "raise limits::total_bytes");
        entry = files_.emplace(location, std::move(f)).first;
    }
    return entry->second;
}
file_bytes external_files::find(const ::onnx::TensorProto& t, int64_t bytes) {
    const std::string subject = "the external data of `" + one_line(t.name()) + "`";
    std::string location;
    int64_t offset = 0, length = -1;
    for (const auto& e : t.external_data()) {
        if (e.key() == "location") location = e.value();
        if (e.key() == "offset") offset = number(e.value(), subject);
        if (e.key() == "length") length = number(e.value(), subject);
    }
    const file_bytes f = whole(location, subject);
    if (length < 0) length = bytes;
    if (length != bytes)
        refuse(error_code::invalid_model,
               subject + " has " + std::to_string(length) + " bytes, its shape and type need " + std::to_string(bytes));
    if (offset > int64_t(f.data.size()) || length > int64_t(f.data.size()) - offset)
        refuse(error_code::invalid_model, subject + " lies at bytes " + std::to_string(offset) + " to " +
                                              std::to_string(offset) + " + " + std::to_string(length) + " of `" +
                                              one_line(location) + "`, which has " + std::to_string(f.data.size()));
    return {f.data.subspan(std::size_t(offset), std::size_t(length)), f.keep, f.mapped};
}

void fetch(::onnx::TensorProto& t, external_files& files, const limits& l) {
    check_tensor(t, l, "the tensor `" + one_line(t.name()) + "`");
    shape dims;
    for (int64_t d : t.dims()) dims.push_back(d);
    const auto data = files.find(t, bytes_of(element(t.data_type()), dims.elements())).data;
    t.set_raw_data(data.data(), data.size());
    t.clear_external_data();
    t.clear_data_location();
}
void each_tensor(::onnx::GraphProto& g, const std::function<void(::onnx::TensorProto&)>& f) {
    const auto each_sparse = [&](::onnx::SparseTensorProto& t) {
        f(*t.mutable_values());
        f(*t.mutable_indices());
    };
    for (auto& t : *g.mutable_initializer()) f(t);
    for (auto& t : *g.mutable_sparse_initializer()) each_sparse(t);
    for (::onnx::NodeProto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute()) {
            if (a.has_t()) f(*a.mutable_t());
            for (auto& t : *a.mutable_tensors()) f(t);
            if (a.has_sparse_tensor()) each_sparse(*a.mutable_sparse_tensor());
            if (a.has_g()) each_tensor(*a.mutable_g(), f);
            for (auto& body : *a.mutable_graphs()) each_tensor(body, f);
        }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
