# Headers and libraries of XIR, Vitis AI's graphs, and of VART, which runs them; and of what their headers include.
debian=(libxir-dev libvart-dev libunilog-dev libgoogle-glog-dev)
