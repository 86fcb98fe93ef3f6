// A text as JSON has it, for runners that answer in lines; control characters become spaces.
#pragma once
#include <string>
#include <string_view>

inline std::string json_text(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        json += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
    return json + '"';
}
