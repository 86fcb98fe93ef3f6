// The program that is built in every mode: two files, two models and more.
#pragma once
inline bool near(float a, float b) { return a - b < 1e-6f && b - a < 1e-6f; }
bool windows_hold();
