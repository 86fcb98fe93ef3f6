#pragma once
#include <inlay/ort/api/base.hpp>

struct OrtStatus {
    OrtErrorCode code;
    std::string text;
};
