"""Conan's recipe of the C library."""

import os
import shutil

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get, rm, rmdir

required_conan_version = ">=2.0"


class Finch(ConanFile):
    name = "finch-clustering"
    version = "0.1.0"
    description = "Clustering without a parameter, by first neighbours"
    license = "MIT OR Apache-2.0"
    url = "https://github.com/finch-clustering/finch"
    homepage = url
    topics = ("clustering", "unsupervised", "nearest-neighbors", "hierarchical")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    languages = "C"

    def package_id(self):
        # The library is optimised Rust behind an interface in C, whatever the program is built as.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("finch-ffi/install is for Linux on x86-64 and ARM64")
        if shutil.which("cargo") is None:
            raise ConanInvalidConfiguration("building takes Rust 1.95 or later: https://rustup.rs")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def build(self):
        # Builds, and installs into a folder that package() takes from.
        staged = os.path.join(self.build_folder, "staged")
        script = os.path.join(self.source_folder, "finch-ffi", "install")
        self.run(f'"{script}" --prefix "{staged}"', cwd=self.source_folder)

    def package(self):
        copy(self, "LICENSE-*", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*", os.path.join(self.build_folder, "staged"), self.package_folder)
        libraries = os.path.join(self.package_folder, "lib")
        rm(self, "libfinch.a" if self.options.shared else "libfinch.so*", libraries)
        # Conan writes these for each consumer.
        rmdir(self, os.path.join(libraries, "cmake"))
        rmdir(self, os.path.join(libraries, "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["finch"]
        self.cpp_info.set_property("cmake_file_name", "finch")
        self.cpp_info.set_property("cmake_target_name", "finch::finch")
        self.cpp_info.set_property("pkg_config_name", "finch")
        if not self.options.shared:
            self.cpp_info.system_libs = ["pthread", "m", "dl"]
