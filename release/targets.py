"""Targets of a release: their wheels' platform tags, and an environment in which builds repeat."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

# The oldest systems that Rust's own standard library runs on.
GLIBC = "2.17"
TAGS = {
    "x86_64-unknown-linux-gnu": "manylinux_2_17_x86_64",
    "aarch64-unknown-linux-gnu": "manylinux_2_17_aarch64",
    "x86_64-unknown-linux-musl": "musllinux_1_2_x86_64",
    "aarch64-unknown-linux-musl": "musllinux_1_2_aarch64",
    "x86_64-apple-darwin": "macosx_10_12_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "x86_64-pc-windows-msvc": "win_amd64",
    "aarch64-pc-windows-msvc": "win_arm64",
}


def environment(target: str, *, static: bool = False) -> dict[str, str]:
    """The environment of a build for a target.

    The build tells neither its folder, nor its user, nor its hour, so that two builds of one commit
    in two folders can give the same bytes, which `reproduce` compares. `static` links musl's C library
    into a program; a library that Python opens shares the C library of Python.
    """
    variables = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    crates = Path(variables.get("CARGO_HOME", Path.home() / ".cargo"), "registry", "src")
    built = Path(variables.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    # Of several prefixes that fit, rustc and the C compiler take the last.
    folders = {REPOSITORY: "finch", built: "target", crates: "crates"}
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in folders.items()]
    # Of several units, rustc names what one has of another by numbers that are not the same in each build.
    flags.append("-Ccodegen-units=1")
    if "musl" in target and not static:
        flags.append("-Ctarget-feature=-crt-static")
    variables["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
    if "windows" not in target:
        of_c = " ".join(f"-ffile-prefix-map={folder}={name}" for folder, name in folders.items())
        for language in ("CFLAGS", "CXXFLAGS"):
            variables[f"{language}_{target.replace('-', '_')}"] = of_c
    if "SOURCE_DATE_EPOCH" not in variables:
        asked = ["git", "log", "-1", "--format=%ct"]
        told = subprocess.run(asked, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
        variables["SOURCE_DATE_EPOCH"] = told.stdout.strip()
    variables["CARGO_BUILD_TARGET"] = target
    if "darwin" in target:
        version = TAGS[target].split("_")[1:3]
        variables["MACOSX_DEPLOYMENT_TARGET"] = ".".join(version)
    # The tools of requirements.txt lie beside the Python that runs this.
    variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]])
    if "linux" in target:
        variables["CARGO"] = str(REPOSITORY / "release/cargo")
    return variables
