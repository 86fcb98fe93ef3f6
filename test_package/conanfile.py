"""Builds tests/consumer with the package, a program for each of its libraries, and compares what they print."""
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
            scores = {name: self.printed(f"./{name} {self.digits}") for name in ("session", "embedded", "built", "ort", "c")}
            if len(set(scores.values())) != 1 or not scores["session"].startswith("0: "):
                raise ConanException(f"programs print different scores: {scores}")
            shared = self.dependencies["inlay"].options.shared  # then the engine is within inlay::onnx
            for name in ("provider_conformance",) if shared else ("provider_conformance", "engine"):
                self.printed(f"./{name}")

    def printed(self, command):
        output = StringIO()
        self.run(command, stdout=output, env="conanrun", cwd=self.build_folder)
        return output.getvalue()
