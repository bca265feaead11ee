#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns handwritten digits with the kernels of examples/digits and draws the learning curve.

    digits_curve.py --device cpu --epochs 20 --output curve.png
    manyrt cc digits.cl -DCLASSES=10 -o digits.rtm --target cpu:avx2 && digits_curve.py --kernels digits.rtm

With an image of the kernels no compiler is needed where it runs. With matplotlib the curve becomes a picture, without it a
table of text. A training step of seven kernels is captured once and launched as a graph.
"""

import argparse
import array
import pathlib
import random
from typing import List, Optional, Tuple

import manyrt
from progress import Progress

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE if (HERE / "digits").is_dir() else HERE.parents[2] / "examples"  # installed; in the source tree
PIXELS, HIDDEN, CLASSES, BATCH = 64, 64, 10, 32
WEIGHTS = (PIXELS + 1) * HIDDEN + (HIDDEN + 1) * CLASSES  # a layer ends with its biases
OUTPUT_LAYER = (PIXELS + 1) * HIDDEN

Image = Tuple[List[float], int]  # pixels from 0 to 1, and the digit


def read_images(path: pathlib.Path) -> Tuple[List[Image], List[Image]]:
    """The images to learn from, and those that are held out, which is every fifth."""
    rows = [[int(value) for value in line.split(",")] for line in path.read_text(encoding="ascii").splitlines()]
    images = [([value / 16 for value in row[:PIXELS]], row[PIXELS]) for row in rows]
    return ([image for at, image in enumerate(images) if at % 5 != 4],
            [image for at, image in enumerate(images) if at % 5 == 4])


class Batch:
    """Images on the device, and what the network says of them."""

    def __init__(self, context: manyrt.Context, count: int) -> None:
        self.count = count
        self.images, self.labels = context.empty((count, PIXELS)), context.empty(count, "int32")
        self.hidden, self.hidden_delta = context.empty((count, HIDDEN)), context.empty((count, HIDDEN))
        self.logits, self.logits_delta = context.empty((count, CLASSES)), context.empty((count, CLASSES))
        self.losses, self.predictions = context.empty(count), context.empty(count, "int32")

    def upload(self, images: List[Image], stream: manyrt.Stream) -> None:
        self.images.copy_from(array.array("f", [value for pixels, _ in images for value in pixels]), stream)
        self.labels.copy_from(array.array("i", [digit for _, digit in images]), stream)


class Network:
    """64 pixels, 64 hidden neurons with ReLU, 10 classes; momentum 0.9."""

    def __init__(self, context: manyrt.Context, seed: int, image: Optional[pathlib.Path] = None) -> None:
        if image is None:
            module = context.load_module(EXAMPLES / "digits" / "digits.cl", f"-DCLASSES={CLASSES}", "opencl_c")
        else:
            module = context.load_module(image)
        self.kernels = {name: module[name] for name in module.kernels}
        uniform = random.Random(seed).uniform
        limits = ((6 / PIXELS) ** 0.5, (6 / HIDDEN) ** 0.5)  # He's range for ReLU; biases begin at 0
        start = ([uniform(-limits[0], limits[0]) for _ in range(PIXELS * HIDDEN)] + [0.0] * HIDDEN
                 + [uniform(-limits[1], limits[1]) for _ in range(HIDDEN * CLASSES)] + [0.0] * CLASSES)
        self.weights = context.array(start, "float32")
        self.gradients, self.velocity = context.zeros(WEIGHTS), context.zeros(WEIGHTS)

    def predict(self, batch: Batch, delta: Optional[manyrt.Array], stream: manyrt.Stream) -> None:
        forward, local = self.kernels["forward"], manyrt.Local(4 * max(PIXELS, HIDDEN))
        forward[batch.count, HIDDEN](stream, batch.images, self.weights, batch.hidden, PIXELS, 1, local)
        forward[batch.count, CLASSES](stream, batch.hidden, self.weights[OUTPUT_LAYER:], batch.logits, HIDDEN, 0, local)
        loss = self.kernels["softmax_cross_entropy"]
        loss[loss.shape(batch.count, 8)](stream, batch.logits, batch.labels, delta, batch.losses, batch.predictions,
                                         batch.count)

    def descend(self, batch: Batch, stream: manyrt.Stream) -> None:
        """Forward, loss, backward: the gradients of the batch's mean loss."""
        self.predict(batch, batch.logits_delta, stream)
        self.kernels["backward"][batch.count, HIDDEN](stream, batch.logits_delta, self.weights[OUTPUT_LAYER:], batch.hidden,
                                                      batch.hidden_delta, CLASSES)
        gradient = self.kernels["gradient"]
        gradient[PIXELS + 1, HIDDEN](stream, batch.images, batch.hidden_delta, self.gradients, PIXELS, batch.count)
        gradient[HIDDEN + 1, CLASSES](stream, batch.hidden, batch.logits_delta, self.gradients[OUTPUT_LAYER:], HIDDEN,
                                      batch.count)

    def update(self, rate: float, stream: manyrt.Stream) -> None:
        update = self.kernels["update"]
        update[update.shape(WEIGHTS, 256)](stream, self.weights, self.gradients, self.velocity, WEIGHTS, rate, 0.9, 1e-4)


def train(context: manyrt.Context, epochs: int, seed: int, image: Optional[pathlib.Path] = None) -> List[Tuple[float, float]]:
    """Mean loss and accuracy on the held-out images after each epoch."""
    learn, held_out = read_images(EXAMPLES / "data" / "digits.csv")
    curve: List[Tuple[float, float]] = []
    with context.stream() as stream, Progress("Epochs", epochs) as progress:
        network, batch, check = Network(context, seed, image), Batch(context, BATCH), Batch(context, len(held_out))
        check.upload(held_out, stream)
        batch.upload(learn[:BATCH], stream)
        with stream.capture() as graph:
            network.descend(batch, stream)
            network.update(0.05, stream)
        step = graph.instantiate()
        for _ in range(epochs):
            random.Random(seed + len(curve)).shuffle(learn)
            for first in range(0, len(learn) - BATCH + 1, BATCH):
                batch.upload(learn[first:first + BATCH], stream)
                step.launch(stream)
            network.predict(check, None, stream)
            losses, predictions = check.losses.tolist(stream), check.predictions.tolist(stream)
            right = sum(said == digit for said, (_, digit) in zip(predictions, held_out))
            curve.append((sum(losses) / len(losses), right / len(held_out)))
            progress()
    return curve


def draw(curve: List[Tuple[float, float]], output: pathlib.Path) -> None:
    try:
        import matplotlib
    except ImportError:
        for epoch, (loss, accuracy) in enumerate(curve, 1):
            print(f"{epoch:4} {loss:8.4f} {accuracy:7.2%} {'#' * round(50 * accuracy)}")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axis = pyplot.subplots()
    axis.plot(range(1, len(curve) + 1), [loss for loss, _ in curve], label="mean loss")
    axis.plot(range(1, len(curve) + 1), [accuracy for _, accuracy in curve], label="accuracy")
    axis.set_xlabel("epoch")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend()
    figure.savefig(output)
    print(f"the curve is in {output}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help='such as "cuda:0"; without it the best there is')
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=pathlib.Path, metavar="IMAGE", help="an image of digits.cl made by manyrt cc")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("digits.png"))
    args = parser.parse_args()
    with manyrt.Context(args.device) as context:
        curve = train(context, args.epochs, args.seed, args.kernels)
    draw(curve, args.output)
    print(f"{curve[-1][1]:.2%} of the held-out digits are right after {args.epochs} epochs")
    return 0 if args.epochs < 2 or curve[-1][1] > 0.8 else 1


if __name__ == "__main__":
    raise SystemExit(main())
