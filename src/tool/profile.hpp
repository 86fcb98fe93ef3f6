// The output of inlay profile, in its formats.
#pragma once
#include "common.hpp"
#include "report/profile_table.hpp"

namespace inlay::tool {
profile_peaks measure_peaks(isa::level, int threads);
void show(const profile_table&);                     // as text
std::string page_of(const profile_table&);           // one HTML file
std::string note_of_roofline(const profile_table&);  // of times below what the peaks allow; empty: there are none
}  // namespace inlay::tool
