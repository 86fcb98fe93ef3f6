#!/usr/bin/env python3
"""Train the small recurrent network of this example and write rows.onnx next to this file.

  pip install numpy onnx scikit-learn
  python train.py            # about 10 seconds on one core
  python train.py --out DIR  # write elsewhere

Data, held-out fifth and optimiser are those of ../digits/train.py.  The network sees an image one row at a time, from
the top, and answers after every row; the answer after the eighth is the one that counts.

rows.onnx: opset 17; input `row`, float [1, 1, 8] (one row of one image), ink from 0 (paper) to 1; input `hidden`,
float [1, 1, 64], what the network remembers of the rows before, zeros at the first; output `scores`, float [1, 10],
the probability of each digit; output `hidden_out`, to be given as `hidden` with the next row.
"""
from __future__ import annotations

import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "digits"))
from train import Adam, Dense, shifted, softmax, split_digits, to_input  # first: it makes numpy's reductions repeatable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED, EPOCHS, BATCH, RATE = 17, 150, 32, 4e-3
ROWS, PIXELS, HIDDEN, DIGITS = 8, 8, 64, 10
WORTH = np.array([0, 0, .1, .1, .1, .1, .1, 1], np.float32)  # of a right answer after each row; two rows say too little


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Gru:
    """ONNX's GRU with linear_before_reset, gates in its order z, r, h:

      z, r = sigmoid(W x + R s + b)    h = tanh(W x + b + r * (R s + c))    s' = (1 - z) * h + z * s
    """

    def __init__(self, rng, inputs: int, hidden: int):
        def bounded(*shape):
            return rng.uniform(-1, 1, shape).astype(np.float32) / np.float32(np.sqrt(hidden))
        self.hidden = hidden
        self.values = [bounded(3 * hidden, inputs), bounded(3 * hidden, hidden),
                       np.zeros(3 * hidden, np.float32), np.zeros(3 * hidden, np.float32)]

    def forward(self, x):
        """[n, rows, inputs] to the state after each row, [n, rows, hidden]."""
        w, r, wb, rb = self.values
        state, self.steps, states = np.zeros((len(x), self.hidden), np.float32), [], []
        for row in x.transpose(1, 0, 2):
            from_row, from_state = row @ w.T + wb, state @ r.T + rb
            (xz, xr, xh), (sz, sr, sh) = np.split(from_row, 3, 1), np.split(from_state, 3, 1)
            update, reset = sigmoid(xz + sz), sigmoid(xr + sr)
            candidate = np.tanh(xh + reset * sh)
            self.steps.append((row, state, update, reset, candidate, sh))
            state = (1 - update) * candidate + update * state
            states.append(state)
        return np.stack(states, 1)

    def backward(self, gradient):
        self.gradients = [np.zeros_like(v) for v in self.values]
        later = np.zeros_like(gradient[:, 0])  # what the rows below say about this row's state
        for t in reversed(range(gradient.shape[1])):
            row, state, update, reset, candidate, sh = self.steps[t]
            g = gradient[:, t] + later
            gh = g * (1 - update) * (1 - candidate ** 2)
            gz = g * (state - candidate) * update * (1 - update)
            gr = gh * sh * reset * (1 - reset)
            to_row, to_state = np.hstack([gz, gr, gh]), np.hstack([gz, gr, gh * reset])
            for sum_, part in zip(self.gradients, (to_row.T @ row, to_state.T @ state, to_row.sum(0), to_state.sum(0))):
                sum_ += part
            later = g * update + to_state @ self.values[1]


def forward(gru: Gru, head: Dense, x: np.ndarray) -> np.ndarray:
    """Logits after each row, [n, rows, digits]."""
    return head.forward(gru.forward(x).reshape(-1, HIDDEN)).reshape(len(x), ROWS, DIGITS)


def train(gru: Gru, head: Dense, images, labels, rng) -> None:
    adam = Adam(gru.values + head.values)
    x, labels_one_hot = to_input(images), np.eye(DIGITS, dtype=np.float32)[labels]
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order, loss = rng.permutation(len(x)), 0.0
        for start in range(0, len(x), BATCH):
            batch = order[start:start + BATCH]
            rows = shifted(x[batch], rng)[:, 0]
            scores = softmax(forward(gru, head, rows).reshape(-1, DIGITS)).reshape(len(batch), ROWS, DIGITS)
            target = labels_one_hot[batch, None]
            loss -= np.log((scores[:, -1] * target[:, 0]).sum(1) + 1e-12).sum()
            gradient = (scores - target) * WORTH[:, None] / len(batch)
            gru.backward(head.backward(gradient.reshape(-1, DIGITS)).reshape(len(batch), ROWS, HIDDEN))
            adam.update(gru.gradients + head.gradients, rate)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3}  loss after the last row {loss / len(x):.4f}", flush=True)


def export(gru: Gru, head: Dense) -> onnx.ModelProto:
    w, r, wb, rb = gru.values
    constants = {"gru.W": w[None], "gru.R": r[None], "gru.B": np.concatenate([wb, rb])[None],
                 "head.weight": head.values[0], "head.bias": head.values[1], "first": np.array([0], np.int64)}
    node = helper.make_node
    nodes = [
        node("GRU", ["row", "gru.W", "gru.R", "gru.B", "", "hidden"], ["", "hidden_out"], "gru",
             hidden_size=HIDDEN, linear_before_reset=1),
        node("Squeeze", ["hidden_out", "first"], ["features"], "squeeze"),
        node("Gemm", ["features", "head.weight", "head.bias"], ["logits"], "head", transB=1),
        node("Softmax", ["logits"], ["scores"], "softmax", axis=1),
    ]

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(nodes, "rows", [value("row", 1, 1, PIXELS), value("hidden", 1, 1, HIDDEN)],
                              [value("scores", 1, DIGITS), value("hidden_out", 1, 1, HIDDEN)],
                              [numpy_helper.from_array(np.ascontiguousarray(v), name) for name, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="inlay examples/streaming_gru/train.py")
    model.doc_string = ("Reads 8x8 images of handwritten digits row by row.  Trained on four fifths of scikit-learn's "
                        "digits (UCI, Optical Recognition of Handwritten Digits, CC BY 4.0).")
    helper.set_model_props(model, {"author": "the Inlay project", "license": "Apache-2.0"})
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER)
    args = parser.parse_args()

    rng = np.random.default_rng(SEED)
    training, (images, labels) = split_digits()
    gru, head = Gru(rng, PIXELS, HIDDEN), Dense(rng, HIDDEN, DIGITS)
    train(gru, head, *training, rng)

    (args.out / "rows.onnx").write_bytes(export(gru, head).SerializeToString())
    right = (forward(gru, head, to_input(images)[:, 0]).argmax(2) == labels[:, None]).sum(0)
    print("held out, right after each row:", " ".join(f"{count / len(labels):.1%}" for count in right))
    print(f"held out: {right[-1]} of {len(labels)} right ({right[-1] / len(labels):.2%})")


if __name__ == "__main__":
    main()
