#include "compile/depfile.hpp"
#include "support/text.hpp"
#include <inlay/error.hpp>
#include <algorithm>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace {
[[noreturn]] void refuse_name(const std::string& name, const std::string& reason) {
    error e(error_code::invalid_argument,
            "inlay: `" + printable(name) + "` cannot stand in a file that make and ninja read: it has " + reason);
    e.hint = "rename it, or leave --depfile out";
    raise(std::move(e));
}
// A backslash stands for itself, except right before an escaped character; make and ninja agree only on spaces there.
std::string escaped(const std::string& name) {
    std::string text;
    std::size_t backslashes = 0;
    for (const char c : name) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') refuse_name(name, "a control character");
        if (c == ';' || c == '|') refuse_name(name, std::string("a `") + c + "`");
        if ((c == '#' || c == ':') && backslashes > 0) refuse_name(name, std::string("a `\\") + c + "`");
        if (c == ' ') text.append(backslashes, '\\');
        if (c == ' ' || c == '#' || c == ':') text += '\\';
        text += c == '$' ? "$$" : std::string(1, c);
        backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    if (name.ends_with('\\') || name.ends_with(':')) refuse_name(name, "a backslash or a colon at its end");
    return text;
}
}  // namespace

std::string depfile_text(const std::string& target, std::span<const std::filesystem::path> files) {
    std::vector<std::string> names;
    for (const std::filesystem::path& f : files) names.push_back(std::filesystem::absolute(f).string());
    // `target: a=b` sets a variable in make, and `target: a!=b` runs b: such a name must not come first.
    const auto assigns = [](const std::string& name) { return name.find('=') != name.npos; };
    std::ranges::stable_partition(names, [&](const std::string& name) { return !assigns(name); });
    if (!names.empty() && assigns(names.front())) refuse_name(names.front(), "a `=`, and there is no other file");
    std::string text = escaped(target) + ":";
    for (const std::string& name : names) text += " \\\n  " + escaped(name);
    return text + "\n";
}
}  // namespace v1
}  // namespace inlay
