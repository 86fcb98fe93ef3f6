# Headers, the library, and the backend that runs on every processor. On arm64 Debian has libarmnn-cpuacc-backend22 too.
debian=(libarmnn-dev libarmnn-cpuref-backend22)
