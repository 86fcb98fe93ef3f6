#include "page.hpp"

namespace inlay::tool {
std::string escaped(std::string_view untrusted) {
    std::string text;
    for (char c : printable(untrusted)) switch (c) {
            case '&': text += "&amp;"; break;
            case '<': text += "&lt;"; break;
            case '>': text += "&gt;"; break;
            case '"': text += "&quot;"; break;
            default: text += c;
        }
    return text;
}
namespace {
std::string script_data(const json& data) {  // in a script element nothing is escaped, so that no `<` may stand there
    std::string text;
    for (char c : data.dump(-1, ' ', true, json::error_handler_t::replace))
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    return text;
}
}  // namespace
std::string html_of(const page& p) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<title>{}</title>\n<style>\n{}",
        escaped(p.title), page_files::page_css);
    for (std::string_view s : p.styles) text += s;
    text += "</style>\n</head>\n<body>\n" + p.body;
    if (!p.data.is_null())
        text += "<script type=\"application/json\" id=\"data\">" + script_data(p.data) + "</script>\n";
    for (std::string_view s : p.scripts) text += fmt::format("<script>\n{}</script>\n", s);
    return text + "</body>\n</html>\n";
}
}  // namespace inlay::tool
