"""Seconds an epoch: `finch train` and PyTorch, on the same samples, network, batch, optimizer, dropout
and threads, one after the other, several times.

    cargo build --release -p finch-deep
    python finch-deep/benches/torch_speed.py       # needs torch and numpy

Both train 784-512-512-K on MNIST-10k (of the folder FINCH_DATA, default ../shared/data). What finch
does beside epochs is not counted; both read their samples from memory, shuffle them and gather each
batch on the processor.
"""

import argparse
import gzip
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FINCH_DATA", ROOT.parent / "shared" / "data")) / "mnist"
IMAGES = [DATA / "t10k-images-idx3-ubyte.gz"]
FEATURES, WIDTH, BATCH = 784, 512, 256

# Name: options of finch, and the same for PyTorch.
SETTINGS = {
    "paper: SGD": ("--preset paper --pseudo-labels 385", {"outputs": 385}),
    "SGD, no dropout, 10 labels": ("--preset paper --pseudo-labels 10", {"outputs": 10}),
    "Adam, dropout 0.2, 0.3": (
        "--adversarial-weight 0",
        {"outputs": 10, "adam": True, "dropout": (0.2, 0.3)},
    ),
    "the default: Adam, dropout, adversarial": (
        "",
        {"outputs": 10, "adam": True, "dropout": (0.2, 0.3), "adversarial": 1.0},
    ),
}


def of_finch(finch, options, threads, epochs):
    """Seconds of each epoch."""
    with tempfile.TemporaryDirectory() as folder:
        command = [finch, "train", *IMAGES, "--clusters", "10", "--quiet", "--cut", "neighbor"]
        command += ["--epochs", str(epochs), "--relabel-every", str(epochs)]
        command += ["--threads", str(threads), "--out", f"{folder}/run", *options.split()]
        subprocess.run(command, check=True)
        lines = [json.loads(line) for line in open(f"{folder}/run/metrics.jsonl")]
    seen = 10_000 // BATCH * BATCH
    return [seen / line["samples_per_second"] for line in lines if line["event"] == "epoch"]


def of_torch(samples, outputs, epochs, adam=False, dropout=(0.0, 0.0), adversarial=0.0):
    """Seconds of each epoch."""
    layers = [torch.nn.Linear(FEATURES, WIDTH), torch.nn.Linear(WIDTH, WIDTH)]
    network = torch.nn.ModuleList([*layers, torch.nn.Linear(WIDTH, outputs)])
    parameters = list(network.parameters())
    if adam:
        optimizer = torch.optim.Adam(parameters, lr=1e-3, foreach=True)
    else:
        optimizer = torch.optim.SGD(parameters, lr=1e-2, momentum=0.9, foreach=True)
    labels = torch.randint(outputs, (len(samples),))
    radii = torch.ones(len(samples), 1)

    def forward(x, share=0.0):
        for layer in list(network)[:-1]:
            x = F.relu(layer(x))
            x = F.dropout(x, share) if share else x
        return network[-1](x)

    def divergence(x, radius):
        with torch.no_grad():
            answer = forward(x).log_softmax(1)
        probe = F.normalize(torch.rand_like(x) - 0.5) * (0.1 * radius.mean())
        probe.requires_grad_()
        change = -(answer.exp() * forward(x + probe).log_softmax(1)).sum()
        (direction,) = torch.autograd.grad(change, probe)
        there = forward(x + F.normalize(direction) * radius).log_softmax(1)
        return (answer.exp() * (answer - there)).sum() / len(x)

    times = []
    for _ in range(epochs):
        began = time.perf_counter()
        order = torch.randperm(len(samples))
        for rows in order[: len(order) // BATCH * BATCH].split(BATCH):
            x = samples[rows]
            scores = forward(F.dropout(x, dropout[0]) if dropout[0] else x, dropout[1])
            loss = F.cross_entropy(scores, labels[rows])
            if adversarial:
                loss = loss + adversarial * divergence(x, radii[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            loss.item()
            (scores.detach().argmax(1) == labels[rows]).sum().item()
        times.append(time.perf_counter() - began)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--finch", default=ROOT / "target" / "release" / "finch")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--epochs", type=int, default=6, help="in a turn; the first is not counted")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="", help="settings with this in their name")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    pixels = [np.frombuffer(gzip.open(path).read(), np.uint8, offset=16) for path in IMAGES]
    samples = torch.from_numpy(np.concatenate(pixels).reshape(-1, FEATURES).astype(np.float32))
    samples *= 28 / samples.norm(dim=1).mean()
    print(f"{arguments.threads} threads, torch {torch.__version__}, median seconds an epoch of 9,984 samples\n")
    print("| setting | finch | PyTorch | finch / PyTorch |\n|---|--:|--:|--:|")
    for name, (options, same) in SETTINGS.items():
        if arguments.only not in name:
            continue
        times = {"finch": [], "torch": []}
        for _ in range(arguments.turns):
            epochs = arguments.epochs
            times["finch"] += of_finch(arguments.finch, options, arguments.threads, epochs)[1:]
            times["torch"] += of_torch(samples, epochs=epochs, **same)[1:]
        finch, torch_ = (statistics.median(times[side]) for side in ("finch", "torch"))
        print(f"| {name} | {finch:.2f} | {torch_:.2f} | {finch / torch_:.2f} |", flush=True)


if __name__ == "__main__":
    main()
