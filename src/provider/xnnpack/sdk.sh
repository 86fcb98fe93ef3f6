# Headers and shared libraries.
debian=(libxnnpack-dev libpthreadpool-dev)
