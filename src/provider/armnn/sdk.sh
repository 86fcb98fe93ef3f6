# Headers, the library, and its backends: one runs on every processor, and one is made for Arm's.
debian=(libarmnn-dev libarmnn-cpuref-backend22)
[ "$(dpkg --print-architecture 2> /dev/null)" != arm64 ] || debian+=(libarmnn-cpuacc-backend22)
arm64=(libarmnn-dev libarmnn22 libarmnnaclcommon22 libarmnn-cpuref-backend22 libarmnn-cpuacc-backend22 libarm-compute20)
