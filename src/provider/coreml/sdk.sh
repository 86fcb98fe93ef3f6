# For its tests: reads packages back, and checks programs. Nothing that is built needs it.
python_packages=(coremltools==9.0 attrs cattrs mpmath pyaml pyyaml sympy tqdm typing_extensions)
