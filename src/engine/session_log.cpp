#include "session_log.hpp"
#include <iostream>

namespace inlay {
inline namespace v1 {
void note_log(const session_options& o, severity s, std::string_view text) {
    if (!logs(o, s)) return;
    if (o.log)
        o.log(s, text);
    else
        std::cerr << "inlay: " << name_of(s) << ": " << text << '\n';
}
}  // namespace v1
}  // namespace inlay
