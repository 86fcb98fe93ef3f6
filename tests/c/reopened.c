/* libinlay.so is opened and closed a thousand times: what it is linked with, as a shared protobuf, must stand that. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
    int k;
    if (count != 2) {
        fprintf(stderr, "usage: reopened libinlay.so\n");
        return 2;
    }
    for (k = 0; k < 1000; ++k) {
        const char* (*version)(void);
        void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "opening %d: %s\n", k, dlerror());
            return 1;
        }
        *(void**)&version = dlsym(library, "inlay_version");
        if (!version || !version()[0] || dlclose(library) != 0) {
            fprintf(stderr, "opening %d: no version, or it cannot be closed\n", k);
            return 1;
        }
    }
    return 0;
}
