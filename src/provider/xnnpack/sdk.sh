# Headers and shared libraries; for Arm's processors, also what they are opened with.
debian=(libxnnpack-dev libpthreadpool-dev)
arm64=(libxnnpack-dev libxnnpack0 libpthreadpool-dev libpthreadpool0 libcpuinfo0)
