# Headers of the C interface, runtime and compiler are all in the two wheels.
python_packages=(apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15)
