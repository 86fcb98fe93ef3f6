// What this process holds: memory, open files, threads.
#pragma once
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

namespace inlay::testing {
struct holding {
    long kilobytes = 0, files = 0, threads = 0;
};
inline long entries_of(const char* folder) {
    DIR* const list = opendir(folder);
    long count = 0;
    while (list && readdir(list)) ++count;
    if (list) closedir(list);
    return count;
}
inline holding held() {
    malloc_trim(0);  // what is free is no growth
    holding h;
    long pages = 0, resident = 0;
    if (std::FILE* const f = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
        std::fclose(f);
    }
    h.kilobytes = resident * (sysconf(_SC_PAGESIZE) / 1024);
    h.files = entries_of("/proc/self/fd");
    h.threads = entries_of("/proc/self/task");
    return h;
}
// Prints one phase; true: nothing has grown.
inline bool steady(const char* phase, long count, const holding& before, const holding& after,
                   long most_kilobytes = 1024) {
    const long grown = after.kilobytes - before.kilobytes;
    const bool good = grown <= most_kilobytes && after.files <= before.files && after.threads <= before.threads;
    std::printf(
        "%-34s %9ld times: %6ld kB resident, grown by %5ld kB; open files %ld, then %ld; threads %ld, then %ld%s\n",
        phase, count, after.kilobytes, grown, before.files, after.files, before.threads, after.threads,
        good ? "" : "  GROWN");
    std::fflush(stdout);
    return good;
}
}  // namespace inlay::testing
