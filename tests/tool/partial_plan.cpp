// partial_plan MODEL PLAN.html MEMORY.html: the pages of a session over providers that the tool does not have: one
// whose memory is not the host's, one in the same memory as the CPU, then the CPU. The first two run a few operators
// only.
#include "../session/test_providers.hpp"
#include "platform/output_file.hpp"
#include "tool/memory.hpp"
#include "tool/plan.hpp"
#include <iostream>

int main(int count, char** words) try {
    if (count != 4) {
        std::cerr << "partial_plan MODEL PLAN.html MEMORY.html\n";
        return 2;
    }
    const inlay::session session{words[1], inlay::testing::board{}, inlay::testing::beta{}, inlay::cpu{.threads = 1}};
    inlay::update_file(words[2], inlay::tool::page_of(session.plan()));
    inlay::update_file(words[3], inlay::tool::page_of(session.memory()));
} catch (const inlay::error& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
