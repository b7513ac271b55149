"""The C library: its header in the words of ctypes, and how it is found."""

import ctypes
import ctypes.util
import doctest
import inspect
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np
from common import PACKAGES, ROOT, finch, python
from finch_clustering._c import header as _header
from finch_clustering._c import library as _library
from finch_clustering._c import options as _options
from finch_clustering._c.names import (
    ELEMENTS,
    FATES,
    LINK_BOUNDS,
    LINKAGES,
    METRICS,
    ORDERS,
    SEARCHES,
    STAGES,
    TREE_FORMATS,
)


class Library(unittest.TestCase):
    def setUp(self):
        self.header = (ROOT / "include/finch.h").read_text()

    def test_numbers_are_those_of_the_header(self):
        numbers = {k: int(v) for k, v in re.findall(r"\b(FINCH_\w+) = (\d+),", self.header)}
        tables = (
            ("", METRICS),
            ("", ORDERS),
            ("LINK_BOUND_", LINK_BOUNDS),
            ("SEARCH_", SEARCHES),
            ("LINKAGE_", LINKAGES),
            ("STAGE_", STAGES),
            ("FATE_", FATES),
            ("TREE_", TREE_FORMATS),
            ("CLUSTERED_", ("no", "yes", "too few")),
        )
        for prefix, names in tables:
            for number, name in enumerate(names):
                constant = "FINCH_" + prefix + name.upper().replace("-", "_").replace(" ", "_")
                self.assertEqual(number, numbers[constant], constant)
        elements = [numbers[f"FINCH_{name}"] for name in ("F32", "F64", "U8", "F16", "BF16", "I8")]
        self.assertEqual(elements, list(range(6)))
        names = ("float32", "float64", "uint8", "float16", "bfloat16", "int8")
        self.assertEqual(ELEMENTS, names)
        for name in ("OK", "CANCELLED", "OUT_OF_MEMORY", "IO", "CSR"):
            self.assertEqual(numbers[f"FINCH_{name}"], getattr(_header, name))
        self.assertIn(f"#define FINCH_ABI {_header.ABI}\n", self.header)

    def test_structs_are_those_of_the_header(self):
        c_types = {
            "size_t": ctypes.c_size_t,
            "ptrdiff_t": ctypes.c_ssize_t,
            "int32_t": ctypes.c_int32,
            "uint32_t": ctypes.c_uint32,
            "uint64_t": ctypes.c_uint64,
            "double": ctypes.c_double,
            "void *": ctypes.c_void_p,
            "int32_t *": ctypes.c_void_p,
            "finch_progress_fn": _header.ProgressFn,
        }
        structs = {
            "matrix": _header.Matrix,
            "progress": _header.Progress,
            "options": _header.Options,
            "constraints": _header.Constraints,
            "scores": _header.Scores,
            "csr": _header.Csr,
            "refined": _header.Refined,
        }
        for name, struct in structs.items():
            body = re.search(rf"typedef struct finch_{name} {{(.*?)\n}}", self.header, re.S)[1]
            fields = re.findall(r"^ +(?:const )?(\w+ \*?)(\w+);(?: +///<.*)?$", body, re.M)
            fields = [(field, c_types[c_type.strip()]) for c_type, field in fields]
            self.assertEqual([(f.rstrip("_"), t) for f, t in struct._fields_], fields)

    def test_prototypes_are_those_of_the_header(self):
        declared = dict(re.findall(r"^\w.*?\b(finch_\w+)\(([^()]*)\);", self.header, re.M))
        self.assertGreater(len(declared), 25)
        # What is not called: the package copies labels of its own accord, and makes matrices; it has batches.
        left = {name for name in declared if name not in _header.PROTOTYPES}
        self.assertLessEqual(
            left,
            {
                "finch_matrix_row_major",
                "finch_matrix_column_major",
                "finch_matrix_csr",
                "finch_hierarchy_copy_labels",
                "finch_hierarchy_suggest",
                "finch_hierarchy_refine_constrained",
                "finch_model_predict_into",
                "finch_keep_labels_into",
                "finch_labels",
                "finch_last_warning",
            },
        )
        for name, (_, arguments) in _header.PROTOTYPES.items():
            expected = 0 if declared[name] == "void" else declared[name].count(",") + 1
            self.assertEqual(len(arguments), expected, name)

    def test_defaults_are_those_of_the_library(self):
        options = _options.search_options("euclidean", "auto", 0, 0.99, 0)
        defaults = _options.default_options()
        for name, _ in _header.Options._fields_:
            if name in ("progress", "user_data"):
                continue
            self.assertEqual(getattr(options, name), getattr(defaults, name), name)
        linkage = inspect.signature(finch.Hierarchy.refine).parameters["linkage"].default
        self.assertEqual(linkage, LINKAGES[defaults.linkage])

    def test_is_found_in_the_folder_of_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder).resolve() / "finch_clustering"
            shutil.copytree(PACKAGES / "finch_clustering", package)
            library = package / _library.file_names()[-1]
            library.symlink_to(_library.lib._name)
            done = python(
                "from finch_clustering._c import library as _library; print(_library.lib._name)",
                PYTHONPATH=folder,
                FINCH_LIBRARY="",
            )
            self.assertEqual(done.stdout.strip(), str(library), done.stderr)

    def test_says_what_to_do_where_there_is_none(self):
        done = python("import finch_clustering", FINCH_LIBRARY="/nowhere/libfinch.so")
        self.assertIn("ImportError: the finch library could not be loaded", done.stderr)
        self.assertIn("set FINCH_LIBRARY", done.stderr)
        self.assertIn("/nowhere/libfinch.so", done.stderr)

    def test_refuses_other_libraries(self):
        libc = ctypes.util.find_library("c")
        done = python("import finch_clustering", FINCH_LIBRARY=libc)
        self.assertIn("is not a finch library", done.stderr)
        abi, _library.ABI = _library.ABI, 2
        self.addCleanup(setattr, _library, "ABI", abi)
        with self.assertRaisesRegex(ImportError, "has ABI 1 where this package takes 2"):
            _library.load()


def load_tests(loader, tests, pattern):
    examples = doctest.DocTestSuite(finch, extraglobs={"np": np})
    # Of the package, of a class and of twelve functions.
    assert examples.countTestCases() == 14, examples
    tests.addTests(examples)
    return tests
