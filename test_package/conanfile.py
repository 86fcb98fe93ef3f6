"""Builds tests/consumer with the package and compares what its two programs print."""
from io import StringIO
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class Consumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    @property
    def digits(self):
        return Path(self.recipe_folder).parent / "examples/digits/digits.onnx"

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"DIGITS": str(self.digits)}, build_script_folder="../tests/consumer")
        cmake.build()

    def test(self):
        if can_run(self):
            printed = []
            for command in (f"./session {self.digits}", "./embedded"):
                output = StringIO()
                self.run(command, stdout=output, env="conanrun", cwd=self.build_folder)
                printed.append(output.getvalue())
            if printed[0] != printed[1] or not printed[0].startswith("0: "):
                raise ConanException(f"session and embedded print different scores:\n{printed[0]}\n{printed[1]}")
