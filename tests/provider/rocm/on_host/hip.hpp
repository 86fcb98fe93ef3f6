// What a test reads and sets of the host implementation of HIP's library.
#pragma once

extern "C" struct hip_host_counts {
    int memory, streams, events, graphs;  // that are held now
    int copies, recorded, replayed;
    int launches;
    const char* last_kernel;  // its name, mangled
    const char* wrong;        // what was called as it must not be; null: nothing
    bool lacks_code;          // set: no kernel is known to the device
};
