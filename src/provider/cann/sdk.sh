# The headers of CANN, for the build alone; they come with their own license, and no library of CANN's is in it.
python_packages=(torch-npu==2.14.0)
