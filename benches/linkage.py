"""How to make K clusters, and which K: the measurements behind neighbour linkage, as Markdown.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 finch-clust==0.2.3 \\
        pynndescent==0.7.0
    cargo build --release -p finch-ffi
    venv/bin/python benches/linkage.py candidates --out candidates.md
    venv/bin/python benches/linkage.py peers --repeat 3 --out peers.md
    venv/bin/python benches/linkage.py suggest --out suggest.md

`candidates` compares the rules that neighbour linkage was chosen from, in plain Python; `peers` the
library, through the package in python/, with other programs. Both ask for K, the true number of
classes, and score against the classes. `suggest` compares criteria that recommend K, or a
partition, without the classes, in plain Python. `--sets iris,moons` takes only those of
`data_sets.py`; `--keep results.jsonl` notes each result, and does not run again what it finds noted
there. The tables are written again after each set. `candidates --parts 3` evens out chance: one
merge more or less of two classes is worth 10 points of ACC.

The data is as data_sets.py says; it takes the folder FINCH_DATA. Needs Python 3.11 on Linux.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import data_sets
from peers import PEERS


def names_of(what: str, known: Iterable[str]) -> Callable[[str], list[str]]:
    """What reads names with commas between them."""
    known = list(known)

    def read(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"there is no {what} {name!r}: it is one of {', '.join(known)}"
                )
        return names

    return read


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument(
        "--sets",
        type=names_of("set", data_sets.NAMES),
        default=list(data_sets.NAMES),
        help="sets, with commas between them [default: all]",
    )
    both.add_argument("--out", type=Path, help="file to write instead of the terminal")
    both.add_argument("--keep", type=Path, help="file of results, to go on with later")

    candidates = commands.add_parser("candidates", parents=[both], help="compare rules")
    candidates.set_defaults(comparison="compare_candidates")
    candidates.add_argument(
        "--parts",
        type=int,
        default=0,
        help="take the mean of so many random parts of 75 %%, to even out chance"
        " [default: 0, the whole sets]",
    )

    suggest = commands.add_parser("suggest", parents=[both], help="compare criteria for K")
    suggest.set_defaults(comparison="compare_criteria")

    peers = commands.add_parser("peers", parents=[both], help="compare with other programs")
    peers.set_defaults(comparison="compare_peers")
    peers.add_argument(
        "--peers",
        type=names_of("peer", PEERS),
        default=list(PEERS),
        help="peers, with commas between them [default: all]",
    )
    peers.add_argument("--limit", type=float, default=600, help="seconds [default: 600]")
    peers.add_argument("--memory", type=float, default=16, help="GB of 10⁹ bytes [default: 16]")
    peers.add_argument("--threads", type=int, default=2, help="[default: 2]")
    peers.add_argument("--repeat", type=int, default=1, help="rounds over all peers [default: 1]")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    tables = ""
    # Only what a comparison takes has to be installed.
    compare = import_module(arguments.comparison).compare
    for tables in compare(arguments):
        if arguments.out is not None:
            arguments.out.write_text(tables + "\n")
    if arguments.out is None:
        print(tables)


if __name__ == "__main__":
    main()
