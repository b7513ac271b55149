"""MNIST-70k in each element type: seconds of all cores, memory, and what rounding does to the labels.

FINCH_DATA has the folder mnist; bfloat16 takes ml_dtypes. Types take turns, each in a process of its own:
`PYTHONPATH=python python finch-core/benches/elements.py`. Data are pixels divided by 255 in float64 and
rounded to the type (int8: pixels halved, downwards; uint8: pixels), beside float32 of the same numbers
before rounding to 16 bits.
"""

import gzip
import json
import os
import subprocess
import sys

import numpy as np

ROUNDS = 2


def pixels():
    folder = os.path.join(os.environ["FINCH_DATA"], "mnist")
    parts = []
    for part in ("train", "t10k"):
        with gzip.open(os.path.join(folder, f"{part}-images-idx3-ubyte.gz")) as file:
            parts.append(np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784))
    return np.concatenate(parts)


def in_type(kind):
    X = pixels()
    if kind == "uint8":
        return X
    if kind == "int8":
        return (X // 2).astype(np.int8)
    scaled = (X / 255).astype(np.float32)
    if kind == "bfloat16":
        from ml_dtypes import bfloat16

        return scaled.astype(bfloat16)
    return scaled.astype(kind)


def run(kind, path):
    import finch_clustering as finch

    X = in_type(kind)
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
    print(json.dumps([seconds, peak / 1024, X.nbytes / 2**20, hierarchy.n_clusters]))


def main():
    kinds = ("float32", "float16", "bfloat16", "uint8", "int8")
    seconds = {kind: [] for kind in kinds}
    found = {}
    folder = sys.argv[1] if len(sys.argv) > 1 else "/tmp"
    for _ in range(ROUNDS):
        for kind in kinds:
            path = os.path.join(folder, f"{kind}.npy")
            done = subprocess.run(
                [sys.executable, __file__, kind, path], capture_output=True, text=True, check=True
            )
            time, *found[kind] = json.loads(done.stdout)
            seconds[kind].append(time)
            print(kind, time, found[kind], file=sys.stderr, flush=True)
    reference = np.load(os.path.join(folder, "float32.npy"))
    print("| type | CPU s | ratio | peak MB | data MB | clusters | same first neighbours |")
    print("|---|--:|--:|--:|--:|---|--:|")
    for kind in kinds:
        labels = np.load(os.path.join(folder, f"{kind}.npy"))
        same = (labels[0] == reference[0]).mean()
        time = min(seconds[kind])
        peak, size, clusters = found[kind]
        ratio = time / min(seconds["float32"])
        print(f"| {kind} | {time:.1f} | {ratio:.2f} | {peak:.0f} | {size:.0f} | {clusters} | {same:.2%} |")


if __name__ == "__main__":
    run(*sys.argv[1:]) if len(sys.argv) == 3 else main()
