"""Conan 2 recipe: consumers use the CMake package that Inlay installs, with its targets and inlay_add_model()."""
import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Inlay(ConanFile):
    name = "inlay"
    description = "Runs ONNX models; execution providers are C++ types in an ordered list"
    license = "Apache-2.0"
    topics = ("onnx", "inference")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "onnx": [True, False], "tool": [True, False]}
    default_options = {"shared": False, "fPIC": True, "onnx": True, "tool": True, "boost/*:header_only": True}
    exports_sources = "CMakeLists.txt", "LICENSE", "NOTICE", "cmake/*", "include/*", "kernels/*", "src/*", "bindings/*", "examples/digits/*"

    def set_version(self):
        lists = Path(self.recipe_folder, "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(inlay VERSION ([0-9.]+)", lists).group(1)

    def configure(self):
        if self.options.shared:
            del self.options.fPIC
        if not self.options.onnx:
            del self.options.tool  # it reads models

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]", transitive_headers=True)
        self.requires("xsimd/[>=8.1 <15]", transitive_headers=True)  # INLAY_HEADER_ONLY includes it
        if self.options.onnx:
            self.requires("protobuf/[>=3.21.12 <8]")
            self.requires("onnx/[>=1.23 <2]")
        if self.options.get_safe("tool"):
            for tools_own in ("cli11/[>=2.1 <3]", "fmt/[>=9 <13]", "nlohmann_json/[>=3.11 <4]"):
                self.requires(tools_own, visible=False)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration("inlay: the CPU kernels are written for Linux on x86-64")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["INLAY_BUILD_ONNX"] = bool(self.options.onnx)
        toolchain.cache_variables["INLAY_BUILD_TOOL"] = bool(self.options.get_safe("tool"))
        # A shared library in either package, for which the static ones need position-independent code.
        toolchain.cache_variables["INLAY_BUILD_C"] = bool(self.options.onnx and self.options.get_safe("fPIC", True))
        for library in ("RE2", "IMAGES"):  # which are no requirements of the package
            toolchain.cache_variables[f"INLAY_{library}"] = "OFF"
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"INLAY_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/inlay"]
        engine = [] if self.options.shared and self.options.onnx else ["inlay_engine"]
        self.cpp_info.libs = [*(["inlay_onnx"] if self.options.onnx else []), *engine, "inlay_kernels"]
