#!/usr/bin/env python3
"""Writes a memory trace (docs/memory-trace.md) of a transformer that generates text; use it as
transformer.py [--seed N] [--steps N] [--layers N] [--batches N] >transformer.json

Several batches of texts are generated at once. A batch has a number of texts, a prompt and an answer of random lengths. Its
keys and its values are one block each in every layer, as long as the texts so far. They grow as a concatenation does: a longer
block is allocated, the old one is copied and freed. Batches begin and end at different times, and a new one takes the place of
one that has ended. So memory is full of blocks of many sizes, each a little larger than the hole of the last one. Each step
also needs activations. The same arguments give the same bytes."""
import argparse

WIDTH, HEADS, HALF, ALIGNMENT = 512, 8, 2, 16  # of the model; bytes of a number; tokens by which caches grow
MOST_TEXTS, MOST_PROMPT, MOST_ANSWER = 16, 512, 512


class Random:
    """A generator of its own (Knuth's MMIX): what Python's gives for a range has changed from version to version."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


class Trace:
    def __init__(self):
        self.events, self.count = [], 0

    def allocate(self, size):
        self.events.append(f'{{"allocate": {self.count}, "bytes": {size}, "stream": 1}}')
        self.count += 1
        return self.count - 1

    def free(self, block):
        self.events.append(f'{{"free": {block}}}')


class Batch:
    """Keys and values of all layers for some texts."""

    def __init__(self, trace, layers, random):
        self.trace, self.texts = trace, 1 + random.below(MOST_TEXTS)
        self.tokens, self.left = 16 + random.below(MOST_PROMPT), 16 + random.below(MOST_ANSWER)
        self.capacity, self.caches = 0, [None] * (2 * layers)

    def step(self):
        """One more token for each text. False: that was the last one."""
        self.tokens += 1
        self.left -= 1
        capacity = -(-self.tokens // ALIGNMENT) * ALIGNMENT
        for index, old in enumerate(self.caches):
            if capacity != self.capacity:
                self.caches[index] = self.trace.allocate(self.texts * capacity * WIDTH * HALF)
                if old is not None:
                    self.trace.free(old)
            if index % 2 == 1:
                self.layer()
        self.capacity = capacity
        return self.left > 0

    def layer(self):
        """The activations of one layer: projections, scores, the feed-forward network."""
        trace, row = self.trace, self.texts * WIDTH * HALF
        projected = trace.allocate(3 * row)
        scores = trace.allocate(self.texts * HEADS * self.tokens * 4)
        attended = trace.allocate(row)
        trace.free(scores)
        trace.free(projected)
        wide = trace.allocate(4 * row)
        trace.free(attended)
        narrow = trace.allocate(row)
        trace.free(wide)
        trace.free(narrow)

    def end(self):
        for block in self.caches:
            self.trace.free(block)


def run(seed, steps, layers, most_batches):
    random, trace, batches = Random(seed), Trace(), []
    weights = [trace.allocate(size * HALF) for _ in range(layers)
               for size in (3 * WIDTH * WIDTH, WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH)]
    for _ in range(steps):
        while len(batches) < most_batches:
            batches.append(Batch(trace, layers, random))
        for batch in list(batches):
            if not batch.step():
                batches.remove(batch)
                batch.end()
    for batch in batches:
        batch.end()
    for block in weights:
        trace.free(block)
    return trace


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(";", maxsplit=1)[0])
    for name, default in (("seed", 1), ("steps", 600), ("layers", 2), ("batches", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    trace = run(given.seed, given.steps, given.layers, given.batches)
    print('{"format": "manyrt-memory-trace", "version": 1, '
          f'"name": "transformer, seed {given.seed}", "events": [')
    print(",\n".join(trace.events))
    print("]}")


if __name__ == "__main__":
    main()
