# A compiler for AMD's devices, the functions that its code calls there, and HIP's headers with their library.
debian=(clang-15 clang-tools-15 lld-15 rocm-device-libs libamdhip64-dev)
