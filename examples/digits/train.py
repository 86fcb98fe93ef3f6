#!/usr/bin/env python3
"""Train the small digit classifier of this example and write digits.onnx and heldout.bin next to this file.

  pip install numpy onnx scikit-learn
  python train.py            # about 15 seconds on one core
  python train.py --out DIR  # write elsewhere

Data: the 1,797 images of 8x8 pixels that scikit-learn bundles, the test part of "Optical Recognition of Handwritten
Digits" (E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0).  Every image whose index leaves the
remainder 4 when divided by 5 is held out: it is never trained on, and no setting was chosen by looking at it.  The
same 13 people wrote both parts, so strangers' handwriting will fare worse.

digits.onnx: opset 17; input `image`, float [batch, 1, 8, 8], ink from 0 (paper) to 1; output `scores`, float
[batch, 10], the probability of each digit.
heldout.bin: one record of 65 bytes per held-out image and nothing else: 64 pixels, row by row from the top left, each
a byte from 0 (paper) to 16 (full ink), then the label, a byte from 0 to 9.  Divide pixels by 16 to feed the model.
"""
from __future__ import annotations

import argparse
import os
import pathlib

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # reductions in one order: a second run agrees

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

SEED, EPOCHS, BATCH, RATE = 17, 100, 32, 2e-3
FULL_INK = 16
WEIGHT_DECAY = 1e-3
FEATURES_1, FEATURES_2, HIDDEN, DIGITS = 16, 32, 64, 10


# --- data --------------------------------------------------------------------------------------------------------------

def split_digits():
    """((images, labels) to train on, (images, labels) held out); images are uint8 [n, 8, 8] from 0 to 16."""
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    held_out = np.arange(len(labels)) % 5 == 4
    return (images[~held_out], labels[~held_out]), (images[held_out], labels[held_out])


def to_input(images: np.ndarray) -> np.ndarray:
    return images[:, None].astype(np.float32) / FULL_INK


def shifted(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each image moved by up to one pixel, fractions included, in both directions."""
    def blend(x, axis):
        by = rng.uniform(-1, 1, (len(x), 1, 1, 1)).astype(np.float32)
        padded = np.pad(x, [(0, 0)] * axis + [(1, 1)] + [(0, 0)] * (3 - axis))
        left, right = (np.take(padded, range(start, start + 8), axis) for start in (0, 2))
        return x * (1 - abs(by)) + np.where(by < 0, left, right) * abs(by)
    return blend(blend(x, 2), 3)


# --- layers: forward(x) keeps what backward(gradient) needs; `values` and `gradients` are what Adam updates -------------

class Dense:
    def __init__(self, rng, inputs: int, outputs: int):
        weight = rng.normal(0, np.sqrt(2 / inputs), (outputs, inputs))
        self.values = [weight.astype(np.float32), np.zeros(outputs, np.float32)]

    def forward(self, x):
        self.x = x
        return x @ self.values[0].T + self.values[1]

    def backward(self, gradient):
        self.gradients = [gradient.T @ self.x, gradient.sum(0)]
        return gradient @ self.values[0]


class Conv3x3:
    """A convolution as one matmul over all 3x3 windows."""

    def __init__(self, rng, inputs: int, outputs: int, pad: int):
        self.inputs, self.outputs, self.pad = inputs, outputs, pad
        self.product = Dense(rng, inputs * 9, outputs)
        self.values = self.product.values

    def forward(self, x):
        pad = self.pad
        windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad))), (3, 3), (2, 3))
        n, _, height, width = windows.shape[:4]
        rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, -1)
        self.shape = n, height, width
        return self.product.forward(rows).reshape(n, height, width, -1).transpose(0, 3, 1, 2)

    def backward(self, gradient):
        n, height, width = self.shape
        rows = self.product.backward(gradient.transpose(0, 2, 3, 1).reshape(-1, self.outputs))
        self.gradients = self.product.gradients
        windows = rows.reshape(n, height, width, self.inputs, 3, 3).transpose(4, 5, 0, 3, 1, 2)
        x = np.zeros((n, self.inputs, height + 2, width + 2), np.float32)
        for i in range(3):
            for j in range(3):
                x[:, :, i:i + height, j:j + width] += windows[i, j]
        pad = self.pad
        return x[:, :, pad:height + 2 - pad, pad:width + 2 - pad]


class Relu:
    values = gradients = ()

    def forward(self, x):
        self.positive = x > 0
        return x * self.positive

    def backward(self, gradient):
        return gradient * self.positive


class MaxPool2:
    values = gradients = ()

    def forward(self, x):
        n, channels, height, width = x.shape
        tiles = x.reshape(n, channels, height // 2, 2, width // 2, 2)
        largest = tiles.max((3, 5), keepdims=True)
        self.winners = tiles == largest
        self.winners = self.winners / self.winners.sum((3, 5), keepdims=True, dtype=np.float32)  # ties share
        return largest[:, :, :, 0, :, 0]

    def backward(self, gradient):
        tiles = self.winners * gradient[:, :, :, None, :, None]
        n, channels, height, _, width, _ = tiles.shape
        return tiles.reshape(n, channels, height * 2, width * 2)


class Flatten:
    values = gradients = ()

    def forward(self, x):
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, gradient):
        return gradient.reshape(self.shape)


def make_network(rng) -> list:
    """8x8 -> 8x8 (padded) -> 6x6 -> 3x3 (pooled) -> 64 -> 10"""
    return [Conv3x3(rng, 1, FEATURES_1, pad=1), Relu(),
            Conv3x3(rng, FEATURES_1, FEATURES_2, pad=0), Relu(), MaxPool2(), Flatten(),
            Dense(rng, FEATURES_2 * 9, HIDDEN), Relu(), Dense(rng, HIDDEN, DIGITS)]


def forward(network, x):
    for layer in network:
        x = layer.forward(x)
    return x


# --- training ----------------------------------------------------------------------------------------------------------

def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Adam:
    """Adam with decoupled weight decay on matrices."""

    def __init__(self, values: list[np.ndarray]):
        self.values, self.step = values, 0
        self.mean = [np.zeros_like(v) for v in values]
        self.square = [np.zeros_like(v) for v in values]

    def update(self, gradients, rate: float) -> None:
        self.step += 1
        for value, gradient, mean, square in zip(self.values, gradients, self.mean, self.square, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            unbiased = mean / (1 - 0.9 ** self.step), square / (1 - 0.999 ** self.step)
            decay = WEIGHT_DECAY * value if value.ndim > 1 else 0
            value -= rate * (unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8) + decay)


def train(network, images, labels, rng) -> None:
    adam = Adam([v for layer in network for v in layer.values])
    x, labels_one_hot = to_input(images), np.eye(DIGITS, dtype=np.float32)[labels]
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order, loss = rng.permutation(len(x)), 0.0
        for start in range(0, len(x), BATCH):
            batch = order[start:start + BATCH]
            scores = softmax(forward(network, shifted(x[batch], rng)))
            loss -= np.log((scores * labels_one_hot[batch]).sum(1) + 1e-12).sum()
            gradient = (scores - labels_one_hot[batch]) / len(batch)
            for layer in reversed(network):
                gradient = layer.backward(gradient)
            adam.update([g for layer in network for g in layer.gradients], rate)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3}  loss {loss / len(x):.4f}", flush=True)


# --- export ------------------------------------------------------------------------------------------------------------

def export(network) -> onnx.ModelProto:
    conv1, _, conv2, _, _, _, dense1, _, dense2 = network
    weights = {"conv1.weight": conv1.values[0].reshape(FEATURES_1, 1, 3, 3), "conv1.bias": conv1.values[1],
               "conv2.weight": conv2.values[0].reshape(FEATURES_2, FEATURES_1, 3, 3), "conv2.bias": conv2.values[1],
               "dense1.weight": dense1.values[0], "dense1.bias": dense1.values[1],
               "dense2.weight": dense2.values[0], "dense2.bias": dense2.values[1]}
    node = helper.make_node
    nodes = [
        node("Conv", ["image", "conv1.weight", "conv1.bias"], ["edges"], "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", ["edges"], ["edges.relu"], "relu1"),
        node("Conv", ["edges.relu", "conv2.weight", "conv2.bias"], ["strokes"], "conv2", kernel_shape=[3, 3]),
        node("Relu", ["strokes"], ["strokes.relu"], "relu2"),
        node("MaxPool", ["strokes.relu"], ["pooled"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["pooled"], ["features"], "flatten", axis=1),
        node("Gemm", ["features", "dense1.weight", "dense1.bias"], ["hidden"], "dense1", transB=1),
        node("Relu", ["hidden"], ["hidden.relu"], "relu3"),
        node("Gemm", ["hidden.relu", "dense2.weight", "dense2.bias"], ["logits"], "dense2", transB=1),
        node("Softmax", ["logits"], ["scores"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", DIGITS])],
        [numpy_helper.from_array(np.ascontiguousarray(v), name) for name, v in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="inlay examples/digits/train.py")
    model.doc_string = ("Classifies 8x8 images of handwritten digits.  Trained on four fifths of scikit-learn's digits "
                        "(UCI, Optical Recognition of Handwritten Digits, CC BY 4.0).")
    helper.set_model_props(model, {"author": "the Inlay project", "license": "Apache-2.0"})
    onnx.checker.check_model(model, full_check=True)
    return model


def records(images: np.ndarray, labels: np.ndarray) -> bytes:
    return np.hstack([images.reshape(len(images), 64), labels[:, None]]).astype(np.uint8).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    args = parser.parse_args()

    rng = np.random.default_rng(SEED)
    training, held_out = split_digits()
    network = make_network(rng)
    train(network, *training, rng)

    model = export(network)
    (args.out / "digits.onnx").write_bytes(model.SerializeToString())
    (args.out / "heldout.bin").write_bytes(records(*held_out))
    right = (forward(network, to_input(held_out[0])).argmax(1) == held_out[1]).sum()
    print(f"held out: {right} of {len(held_out[1])} right ({right / len(held_out[1]):.2%})")


if __name__ == "__main__":
    main()
