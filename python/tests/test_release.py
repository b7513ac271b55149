"""The scripts of release/, without a build: their help, their workflow, the recipes that they write, and faults
that release/check finds."""

import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "release"
if os.name == "nt" or not RELEASE.is_dir():
    pytest.skip("release/ is in a clone, and its shell scripts run on Unix", allow_module_level=True)

SCRIPTS = sorted(file.name for file in RELEASE.iterdir() if os.access(file, os.X_OK) and file.is_file())
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.M)[1]

sys.path.insert(0, str(RELEASE))
import targets  # noqa: E402

sys.path.remove(str(RELEASE))


def run(*command):
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    )


def script(name):
    # By this Python, which has what the tests have.
    of_python = (RELEASE / name).read_text().startswith("#!/usr/bin/env python3\n")
    return [sys.executable, str(RELEASE / name)] if of_python else [str(RELEASE / name)]


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_says_what_it_does(name):
    told = run(*script(name), "--help")
    assert told.returncode == 0, told.stderr
    assert len(told.stdout) > 100


def test_the_workflow_runs_each_script_for_each_target():
    workflow = (ROOT / ".github/workflows/release.yml").read_text()
    assert set(re.findall(r"\{ target: ([\w-]+),", workflow)) == set(targets.TAGS)
    called = set(re.findall(r"\brelease/([a-z-]+)(?= )", workflow))
    # The workflow tries packages on bare machines, and cargo is for the other scripts.
    assert called == set(SCRIPTS) - {"bare-root", "cargo"}


def test_workflows_name_each_action_by_its_hash():
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        actions = re.findall(r"uses: (.*)", file.read_text())
        assert actions, file
        for action in actions:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), f"{file}: {action}"


def test_the_citation_has_the_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", citation, re.M)[1] == VERSION


def version_in(file, pattern):
    [found] = set(re.findall(pattern, (RELEASE / "recipes" / file).read_text(), re.M))
    return found


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("conan/conandata.yml", r'^  "([\d.]+)":$'),
        ("conan/conandata.yml", r"/finch-([\d.]+)\.tar\.gz"),
        ("conan/conanfile.py", r'^    version = "(.+)"$'),
        ("conda/recipe.yaml", r'^  version: "(.+)"$'),
        ("debian/changelog", r"\A[a-z-]+ \((.+)-\d+\)"),
        ("debian/libfinch1.symbols", r"^ \S+ ([\d.]+)$"),
        ("vcpkg/vcpkg.json", r'^  "version": "(.+)",$'),
    ],
)
def test_the_recipes_have_the_version(file, pattern):
    assert version_in(file, pattern) == VERSION


def test_the_recipes_of_debian_have_the_number_of_the_interface():
    header = (ROOT / "include/finch.h").read_text()
    abi = re.search(r"^#define FINCH_ABI (\d+)$", header, re.M)[1]
    symbols = (RELEASE / f"recipes/debian/libfinch{abi}.symbols").read_text()
    assert symbols.startswith(f"libfinch.so.{abi} libfinch{abi} ") and f"(symver)FINCH_{abi} " in symbols
    assert f"\nPackage: libfinch{abi}\n" in (RELEASE / "recipes/debian/control").read_text()


def test_the_recipes_get_the_checksums_of_an_archive(tmp_path):
    archive = tmp_path / f"finch-{VERSION}.tar.gz"
    archive.write_bytes(b"not looked into")
    told = run(*script("recipe"), str(archive), "--out", str(tmp_path / "recipes"))
    assert told.returncode == 0, told.stderr
    sums = {name: hashlib.new(name, archive.read_bytes()).hexdigest() for name in ("sha256", "sha512")}
    written = {file: file.read_text() for file in (tmp_path / "recipes").rglob("*") if file.is_file()}
    with_sums = [file.name for file, text in written.items() if any(one in text for one in sums.values())]
    assert sorted(with_sums) == ["conandata.yml", "portfile.cmake", "recipe.yaml"]
    assert not any("0" * 64 in text for text in written.values())


def test_recipes_are_of_this_version_alone(tmp_path):
    archive = tmp_path / "finch-0.0.1.tar.gz"
    archive.write_bytes(b"")
    told = run(*script("recipe"), str(archive), "--out", str(tmp_path / "recipes"))
    assert told.returncode == 1 and f"not of {archive.name}" in told.stderr
    assert not (tmp_path / "recipes").exists()


@pytest.mark.parametrize("package", ["python", "finch-ffi", "release/finch-cli"])
def test_the_readme_of_a_package_links_to_no_file_beside_it(package):
    links = re.findall(r"\]\(([^()\s]+)\)", (ROOT / package / "README.md").read_text())
    assert links and all(link.startswith("https://") for link in links)


def test_a_build_tells_no_path_of_its_machine(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setenv("CARGO_HOME", "/somewhere/cargo")
    monkeypatch.setenv("CARGO_TARGET_DIR", "/somewhere/else")
    variables = targets.environment("aarch64-unknown-linux-musl")
    flags = variables["CARGO_ENCODED_RUSTFLAGS"].split("\x1f")
    assert f"--remap-path-prefix={ROOT}=finch" in flags
    assert "--remap-path-prefix=/somewhere/else=target" in flags
    assert "--remap-path-prefix=/somewhere/cargo/registry/src=crates" in flags
    # A library shares musl with its Python; a program has its own.
    assert "-Ctarget-feature=-crt-static" in flags
    alone = targets.environment("aarch64-unknown-linux-musl", static=True)
    assert "crt-static" not in alone["CARGO_ENCODED_RUSTFLAGS"]


def wheel_of(folder, files, tag="win_amd64"):
    """A wheel of files in a folder."""
    information = f"finch_clustering-{VERSION}.dist-info"
    path = folder / f"finch_clustering-{VERSION}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            if not name.startswith(information):
                wheel.writestr(name, content)
        for name in ("licenses/LICENSE-MIT", "licenses/LICENSE-APACHE", "METADATA", "RECORD"):
            wheel.writestr(f"{information}/{name}", files.get(f"{information}/{name}", ""))
    return path


def of_package():
    package = ROOT / "python/finch_clustering"
    names = [file.relative_to(ROOT / "python").as_posix() for file in package.rglob("*.py")]
    return {name: b"" for name in [*names, "finch_clustering/py.typed", "finch_clustering/finch.dll"]}


def test_a_good_wheel_passes_and_gets_a_checksum(tmp_path):
    path = wheel_of(tmp_path, of_package())
    told = run(*script("check"), str(tmp_path))
    assert told.returncode == 0, told.stdout
    assert f"  {path.name}\n" in (tmp_path / "SHA256SUMS").read_text()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"finch_clustering/_model.py": None}, "lacks finch_clustering/_model.py"),
        ({"finch_clustering/finch.dll": None}, "lacks finch_clustering/finch.dll"),
        ({"finch_clustering/notes.txt": b""}, "has finch_clustering/notes.txt"),
        ({"tests/test_files.py": b""}, "has tests/test_files.py"),
        ({"finch_clustering/finch.dll": f"at {ROOT}/x".encode()}, "tells a path of the build"),
        ({f"finch_clustering-{VERSION}.dist-info/METADATA": "[a](../docs)"}, "METADATA links to ../docs"),
        ({"finch_clustering/finch.dll": os.urandom(3_000_001)}, "bytes, above 3,000,000"),
    ],
)
def test_check_finds_a_fault_of_a_wheel(tmp_path, change, fault):
    files = {**of_package(), **change}
    wheel_of(tmp_path, {name: content for name, content in files.items() if content is not None})
    told = run(*script("check"), str(tmp_path))
    assert told.returncode == 1 and fault in told.stdout, told.stdout
    assert not (tmp_path / "SHA256SUMS").exists()


def test_check_finds_a_platform_that_is_none_of_a_release(tmp_path):
    wheel_of(tmp_path, of_package(), tag="win32")
    told = run(*script("check"), str(tmp_path))
    assert told.returncode == 1 and "has the platform win32" in told.stdout, told.stdout


def test_the_package_lists_each_of_its_folders():
    # setup.py packs those that pyproject.toml names, and no other.
    listed = re.search(r"^packages = \[(.*?)\]", (ROOT / "python/pyproject.toml").read_text(), re.M | re.S)
    names = re.findall(r'"(.*?)"', listed[1])
    folders = {file.parent for file in (ROOT / "python/finch_clustering").rglob("*.py")}
    found = {folder.relative_to(ROOT / "python").as_posix().replace("/", ".") for folder in folders}
    assert set(names) == found
