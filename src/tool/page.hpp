// Pages for a browser, each one file that needs nothing else: no network, no other file.
#pragma once
#include "common.hpp"

namespace inlay::tool {
namespace page_files {  // of src/tool/page
extern const std::string_view page_css, page_js, table_js, layout_js, plan_css, plan_groups_js, plan_graph_js,
    plan_view_js, plan_panel_js, plan_js, memory_css, memory_js, profile_css, profile_js;
}
std::string escaped(std::string_view untrusted);  // as text or as an attribute

struct page {
    std::string title;
    std::initializer_list<std::string_view> styles, scripts;  // styles: after page.css
    std::string body;
    json data = nullptr;  // for the scripts, in the element with the id `data`
};
std::string html_of(const page&);
}  // namespace inlay::tool
