"""Builds the package with the finch library in it: pip and Rust are all that it takes.

The Rust sources are those of the clone that this folder is in; a source distribution carries the two
crates that the library is made of in its folder `rust`.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Command, Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
CARRIED = HERE / "rust"
RUST = CARRIED if CARRIED.is_dir() else HERE.parent
CRATES = ("finch-core", "finch-ffi")


def version():
    """The version of the workspace, which the library tells as its own."""
    manifest = (RUST / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^\[workspace\.package\]\s+version = "(.+)"$', manifest, re.M)
    return found[1]


def cargo(*arguments, **options):
    try:
        return subprocess.run([os.environ.get("CARGO", "cargo"), *arguments], check=True, **options)
    except FileNotFoundError:
        raise SystemExit(
            "building finch-clustering takes Rust, of which there is no cargo here: install it from"
            " https://rustup.rs"
        ) from None


def build_library():
    """Compiles the shared library, without its symbols, and returns its path."""
    arguments = ["rustc", "--release", "--locked", "--package", "finch-ffi", "--lib"]
    arguments += ["--crate-type", "cdylib", "--message-format", "json-render-diagnostics"]
    # Of the last crate alone: with a profile of its own everything would be compiled anew.
    told = cargo(*arguments, "--", "-C", "strip=symbols", cwd=RUST, stdout=subprocess.PIPE).stdout
    messages = [json.loads(line) for line in told.splitlines() if line.startswith(b"{")]
    files = [
        file
        for message in messages
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "finch"
        for file in message["filenames"]
        if file.endswith((".so", ".dylib", ".dll"))
    ]
    [library] = files
    return Path(library)


class BuildLibrary(Command):
    """Puts the library into the package."""

    description = "compile the finch library with cargo"
    user_options = []
    editable_mode = False

    def initialize_options(self):
        self.build_lib = None

    def finalize_options(self):
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self):
        # An editable package finds the library in the `target` folder of the clone.
        library = build_library()
        if not self.editable_mode:
            folder = Path(self.build_lib, "finch_clustering")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, folder)

    def get_source_files(self):
        return []

    def get_outputs(self):
        return []

    def get_output_mapping(self):
        return {}


class Build(build):
    sub_commands = [*build.sub_commands, ("build_library", None)]

    def run(self):
        # What an earlier build left would be in the wheel, too.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class Wheel(bdist_wheel):
    """One wheel for every Python on a platform: the library is called through ctypes."""

    def get_tag(self):
        # On macOS, setuptools would have the platform of this Python instead of the one that is asked for.
        asked = self.plat_name if self.plat_name_supplied else super().get_tag()[2]
        return "py3", "none", asked.replace("-", "_").replace(".", "_")

    def write_wheelfile(self, information, *arguments, **options):
        """Puts the bill of materials FINCH_SBOM where PEP 770 has installers look for it."""
        super().write_wheelfile(information, *arguments, **options)
        bill = os.environ.get("FINCH_SBOM")
        if bill:
            folder = Path(information, "sboms")
            folder.mkdir(exist_ok=True)
            shutil.copy(bill, folder)


class WithLibrary(Distribution):
    def has_ext_modules(self):
        """Whether the package is for one platform."""
        return True


class Sources(sdist):
    """Carries the crates, with a workspace of these crates alone."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        carried = Path(base_dir, "rust")
        left_out = shutil.ignore_patterns("target", "tests", "benches", "fuzz", "examples")
        for crate in CRATES:
            shutil.copytree(RUST / crate, carried / crate, ignore=left_out)
            self._without_tests(carried / crate / "Cargo.toml")
        manifest = (RUST / "Cargo.toml").read_text(encoding="utf-8")
        members = "members = " + json.dumps(CRATES)
        manifest = re.sub(r"^members = .*$", members, manifest, flags=re.M)
        (carried / "Cargo.toml").write_text(manifest, encoding="utf-8")
        shutil.copy2(RUST / "Cargo.lock", carried)
        # Drops from Cargo.lock what only the crates took that are not here, and changes no version.
        cargo("update", "--workspace", "--quiet", cwd=carried)

    @staticmethod
    def _without_tests(path):
        """Takes out of a manifest the targets whose sources are left out, and what only they use."""
        sections = re.split(r"^(?=\[)", path.read_text(encoding="utf-8"), flags=re.M)
        dropped = ("[dev-dependencies]", "[[bench]]", "[[test]]", "[[example]]")
        kept = [section for section in sections if not section.startswith(dropped)]
        path.write_text("".join(kept), encoding="utf-8")


setup(
    version=version(),
    distclass=WithLibrary,
    cmdclass={
        "bdist_wheel": Wheel,
        "build": Build,
        "build_library": BuildLibrary,
        "sdist": Sources,
    },
)
