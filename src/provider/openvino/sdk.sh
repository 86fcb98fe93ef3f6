# Library, headers and plugins are all in the wheel.
python_packages=(openvino==2026.4.1)
