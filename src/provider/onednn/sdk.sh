# The library and its headers; its threads are those of libgomp.
python_packages=(onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0)
