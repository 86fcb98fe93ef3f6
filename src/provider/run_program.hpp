// Programs of others that work on files.
#pragma once
#include <cerrno>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace inlay {
inline namespace v1 {
// Runs a program that $PATH has, to its end: its status, as waitpid() returns it; -1: it could not be started, or was
// lost.
inline int run_program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return -1;
    int status = -1;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}
}  // namespace v1
}  // namespace inlay
