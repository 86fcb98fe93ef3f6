// In the place of the GPUs' driver: one device, whose memory is the host's and whose streams are done at once.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int context;
int cuInit(unsigned flags) { return (int)flags; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorString(int status, const char** text) { return *text = "the stand-in's error", status == 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDeviceGetName(char* name, int most, int device) { return strncpy(name, "stand-in", (size_t)most), device; }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = 1 << 30, device; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { return *value = attribute == 75 ? 9 : 0, device; }
int cuDevicePrimaryCtxRetain(void** to, int device) { return *to = &context, device; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxPushCurrent_v2(void* pushed) { return pushed != &context; }
int cuCtxPopCurrent_v2(void** popped) { return *popped = &context, 0; }
int cuStreamCreate(void** stream, unsigned flags) { return *stream = malloc(1), flags != 1; }
int cuStreamDestroy_v2(void* stream) { return free(stream), 0; }
int cuStreamSynchronize(void* stream) { return stream == NULL; }
int cuMemAlloc_v2(uintptr_t* at, size_t bytes) { return (*at = (uintptr_t)malloc(bytes)) == 0; }
int cuMemFree_v2(uintptr_t at) { return free((void*)at), 0; }
int cuMemcpyHtoDAsync_v2(uintptr_t to, const void* from, size_t bytes, void* stream) {
    return memcpy((void*)to, from, bytes), stream == NULL;
}
int cuMemcpyDtoHAsync_v2(void* to, uintptr_t from, size_t bytes, void* stream) {
    return memcpy(to, (const void*)from, bytes), stream == NULL;
}
