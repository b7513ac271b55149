"""MNIST-70k in each element type: seconds of all cores, memory, and what rounding does to the labels.

FINCH_DATA has the folder mnist; bfloat16 takes ml_dtypes. Types take turns, each in a process of its own:
`PYTHONPATH=python python benches/elements.py`. Data are pixels divided by 255 in float64 and
rounded to the type (int8: pixels halved, downwards; uint8: pixels), beside float32 of the same numbers
before rounding to 16 bits. With `--data X.npy`, float32, rows of that file (int8: 127 for the largest
magnitude; no uint8).
"""

import argparse
import gzip
import json
import os
import subprocess
import sys

import numpy as np


def pixels():
    folder = os.path.join(os.environ["FINCH_DATA"], "mnist")
    parts = []
    for part in ("train", "t10k"):
        with gzip.open(os.path.join(folder, f"{part}-images-idx3-ubyte.gz")) as file:
            parts.append(np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784))
    return np.concatenate(parts)


def in_type(kind, data):
    if data is not None:
        X = np.load(data)
        if kind == "int8":
            return np.round(X * (127 / np.abs(X).max())).astype(np.int8)
        return X.astype(dtype_of(kind))
    X = pixels()
    if kind == "uint8":
        return X
    if kind == "int8":
        return (X // 2).astype(np.int8)
    return (X / 255).astype(np.float32).astype(dtype_of(kind))


def dtype_of(kind):
    if kind == "bfloat16":
        from ml_dtypes import bfloat16

        return bfloat16
    return kind


def run(kind, path, data):
    import finch_clustering as finch

    X = in_type(kind, data)
    np.save(path + ".X.npy", X.view(np.uint8))
    dtype, shape = X.dtype, X.shape
    del X
    X = np.fromfile(path + ".X.npy", np.uint8, offset=128).view(dtype).reshape(shape)
    before = os.times()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    hierarchy = finch.cluster(X)
    after = os.times()
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    np.save(path, np.vstack([hierarchy.first_neighbors, *(hierarchy[i] for i in range(len(hierarchy)))]))
    seconds = after.user + after.system - before.user - before.system
    told = [peak / 1024, X.nbytes / 2**20, hierarchy.n_clusters, hierarchy.recall]
    os.remove(path + ".X.npy")
    print(json.dumps([seconds, *told]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a file of rows; MNIST-70k without one")
    parser.add_argument("--folder", default="/tmp", help="for what comes between")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.kind:
        run(given.kind, os.path.join(given.folder, f"{given.kind}.npy"), given.data)
        return
    kinds = ["float32", "float16", "bfloat16", "uint8", "int8"]
    if given.data:
        kinds.remove("uint8")
    seconds = {kind: [] for kind in kinds}
    found = {}
    folder = given.folder
    for _ in range(given.rounds):
        for kind in kinds:
            command = [sys.executable, __file__, *sys.argv[1:], "--kind", kind]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            time, *found[kind] = json.loads(done.stdout)
            seconds[kind].append(time)
            print(kind, time, found[kind], file=sys.stderr, flush=True)
    reference = np.load(os.path.join(folder, "float32.npy"))
    print("| type | CPU s | ratio | peak MB | data MB | recall | clusters | same first neighbours |")
    print("|---|--:|--:|--:|--:|--:|---|--:|")
    for kind in kinds:
        labels = np.load(os.path.join(folder, f"{kind}.npy"))
        same = (labels[0] == reference[0]).mean()
        time = min(seconds[kind])
        peak, size, clusters, recall = found[kind]
        ratio = time / min(seconds["float32"])
        numbers = f"{time:.1f} | {ratio:.2f} | {peak:.0f} | {size:.0f} | {recall:.3f}"
        print(f"| {kind} | {numbers} | {clusters} | {same:.2%} |")


if __name__ == "__main__":
    main()
