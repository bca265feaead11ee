#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns handwritten digits on several ranks, which are processes: each has all weights and a share of every batch, and the
ranks average their gradients. It fails if two ranks end with other weights.

    torchrun --nproc-per-node 2 digits_parallel.py

or by hand, in two shells:

    RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 python3 digits_parallel.py
    RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 python3 digits_parallel.py

Without these variables it is one rank. The device of a process is the one that --device names: "cuda:{local}" gives each
process of a host a GPU of its own.
"""

import argparse
import hashlib
import os
import random
from typing import List

import manyrt
from digits_curve import BATCH, EXAMPLES, Batch, Image, Network, read_images
from manyrt import comm


def dealt(images: List[Image], ranks: comm.Communicator) -> List[Image]:
    """This rank's share of a batch. All shares are equal, so that an average over ranks is one over images."""
    share = len(images) // ranks.size
    return images[ranks.rank * share:(ranks.rank + 1) * share]


def train(ranks: comm.Communicator, epochs: int, seed: int, stream: manyrt.Stream) -> Network:
    learn, _ = read_images(EXAMPLES / "data" / "digits.csv")
    network = Network(ranks.context, seed)  # one seed: the same weights on each rank
    batch = Batch(ranks.context, BATCH // ranks.size)
    for epoch in range(epochs):
        random.Random(seed + epoch).shuffle(learn)  # the same order on each rank
        for first in range(0, len(learn) - BATCH + 1, BATCH):
            batch.upload(dealt(learn[first:first + BATCH], ranks), stream)
            network.descend(batch, stream)
            ranks.all_reduce(network.gradients, reduction="average", stream=stream)  # in the stream: no host waits
            network.update(0.05, stream)
        ranks.synchronize(stream)
    return network


def accuracy(network: Network, ranks: comm.Communicator, stream: manyrt.Stream) -> float:
    """The part of the held-out images that is read right. Each rank reads every size-th image."""
    _, held_out = read_images(EXAMPLES / "data" / "digits.csv")
    own = held_out[ranks.rank::ranks.size]
    check = Batch(ranks.context, len(own))
    check.upload(own, stream)
    network.predict(check, None, stream)
    right = sum(said == digit for said, (_, digit) in zip(check.predictions.tolist(stream), own))
    total = ranks.context.array([right, len(own)], "int32")
    ranks.all_reduce(total, stream=stream)
    ranks.synchronize(stream)
    counts = total.tolist()
    return float(counts[0] / counts[1])


def hashes(network: Network, ranks: comm.Communicator, stream: manyrt.Stream) -> List[str]:
    """A hash of each rank's weights, by rank."""
    own = hashlib.blake2b(network.weights.tobytes(stream), digest_size=8).digest()
    each = ranks.context.empty((ranks.size, len(own)), "uint8")
    ranks.all_gather(each, ranks.context.array(own))
    return [bytes(row).hex() for row in each.tolist()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help='such as "cpu" or "cuda:{local}"; without it the best there is')
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    device = args.device and args.device.format(local=os.environ.get("LOCAL_RANK", "0"))
    with manyrt.Context(device) as context, context.stream() as stream:
        launched = "RANK" in os.environ
        ranks = comm.create_from_environment(context, label="digits") if launched else comm.create_all([context])[0]
        with ranks:
            if BATCH % ranks.size:
                parser.error(f"a batch of {BATCH} images does not divide by {ranks.size} ranks")
            network = train(ranks, args.epochs, args.seed, stream)
            right, each = accuracy(network, ranks, stream), hashes(network, ranks, stream)
            if ranks.rank == 0:
                for rank, value in enumerate(each):
                    print(f"rank {rank}: {value}{'' if value == each[0] else '   OTHER WEIGHTS'}")
                print(f"{right:.2%} of the held-out digits are right after {args.epochs} epochs on {ranks.size} ranks")
            ranks.barrier()  # no rank ends while another one still prints or waits
    return 0 if len(set(each)) == 1 and (args.epochs < 2 or right > 0.8) else 1


if __name__ == "__main__":
    raise SystemExit(main())
