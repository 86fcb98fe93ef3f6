// The error of a run that did not end well: for code that runs, and reports it as an error.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "kernel.hpp"
#include <inlay/error.hpp>

namespace inlay {
inline namespace v1 {
constexpr error_code code_of(status s) {
    switch (s) {
        case status::stopped: return error_code::stopped;
        case status::deadline_passed: return error_code::deadline_passed;
        case status::out_of_memory: return error_code::out_of_memory;
        case status::invalid_value: return error_code::invalid_value;
        case status::unsupported: return error_code::no_provider;
        case status::device_lost: return error_code::device_lost;
        default: return error_code::provider_failed;
    }
}
}  // namespace v1
}  // namespace inlay
