# Headers and libraries; on other processors, those that programs built for Arm's run with.
[ "$(dpkg --print-architecture 2> /dev/null)" != arm64 ] || debian=(libarm-compute-dev)
arm64=(libarm-compute-dev libarm-compute20)
