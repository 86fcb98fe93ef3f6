#include "tool_main.hpp"

int main(int count, char** words) { return inlay::tool::tool_main(count, words); }
