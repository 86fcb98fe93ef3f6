"""Networks that find things in images, with weights of fixed seeds: expected outputs are ONNX Runtime's."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import numpy_helper, parser

from network import Network

BACKBONE = """
    c1 = Conv<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(image, w1, b1)
    r1 = Relu(c1)
    c2 = Conv<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(r1, w2, b2)
    features = Relu(c2)
"""


class Weights:
    def __init__(self, seed: int) -> None:
        self.rng, self.all = np.random.default_rng(seed), {}

    def add(self, name: str, *shape: int, scale: float | None = None) -> None:
        fan = int(np.prod(shape[1:])) or 1
        self.all[name] = (self.rng.normal(size=shape) * (np.sqrt(2 / fan) if scale is None else scale)).astype(np.float32)

    def backbone(self) -> None:
        for name, shape in {"w1": (8, 3, 3, 3), "w2": (16, 8, 3, 3)}.items():
            self.add(name, *shape)
        self.add("b1", 8, scale=0.1)
        self.add("b2", 16, scale=0.1)

    def numbers(self, **arrays) -> None:
        self.all |= {k: np.array(v) for k, v in arrays.items()}

    def image(self, side: int, batch: int = 1) -> dict[str, np.ndarray]:
        return {"image": self.rng.normal(size=(batch, 3, side, side)).astype(np.float32)}


def network(name: str, text: str, weights: Weights, inputs: dict[str, np.ndarray], opset: int, tolerance: float = 1e-4) -> Network:
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]>\n' + text)
    model.graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in weights.all.items())
    return Network(name, model, inputs, tolerance=tolerance)


def grid_of_boxes(side: int, stride: int) -> np.ndarray:
    """Anchors: two of each cell, as centre and size."""
    at = (np.arange(side) + 0.5) * stride
    y, x = np.meshgrid(at, at, indexing="ij")
    return np.stack([np.stack([x, y, np.full_like(x, s), np.full_like(x, 1.5 * s)], -1) for s in (12, 24)]).reshape(-1, 4).astype(np.float32)


def two_stages(mode: str, transformation: str, opset: int) -> Network:
    """Proposals from anchors, the best of them after NonMaxSuppression, and a second look at each by RoiAlign."""
    w = Weights(11)
    w.backbone()
    w.add("wo", 2, 16, 1, 1, scale=1)
    w.add("wd", 8, 16, 1, 1, scale=0.1)
    w.add("wc", 16 * 25, 7)
    side = 16
    w.numbers(anchors=grid_of_boxes(side, 4), flat=[1, 1, -1], four=[-1, 4], by_anchor=[2, 4, -1], most=np.int64(20), overlap=np.float32(0.5), low=np.float32(0.4),
              half=np.float32(0.5), zero=[0], two=[2], end=[4], one=[1], third=[2], rank1=[-1], axis1=[1], first=np.int64(0))
    roi = f'RoiAlign<mode = "{mode}", output_height = 5, output_width = 5, spatial_scale = 0.25, sampling_ratio = 2{transformation}>'
    text = "two (float[1, 3, H, W] image) => (float[N, 7] classes, float[N, 4] boxes) {" + BACKBONE + f"""
        objectness = Conv(features, wo) scores0 = Sigmoid(objectness) scores = Reshape(scores0, flat)
        deltas0 = Conv(features, wd) deltas1 = Reshape(deltas0, by_anchor)
        deltas2 = Transpose<perm = [0, 2, 1]>(deltas1) deltas = Reshape(deltas2, four)
        centre0 = Slice(anchors, zero, two, one) size0 = Slice(anchors, two, end, one)
        shift = Slice(deltas, zero, two, one) grow = Slice(deltas, two, end, one)
        moved = Mul(shift, size0) centre = Add(centre0, moved)
        factor = Exp(grow) size = Mul(size0, factor) halves = Mul(size, half)
        low_corner = Sub(centre, halves) high_corner = Add(centre, halves)
        all_boxes = Concat<axis = 1>(low_corner, high_corner)
        batch_of_boxes = Unsqueeze(all_boxes, zero)
        chosen = NonMaxSuppression(batch_of_boxes, scores, most, overlap, low)
        which0 = Slice(chosen, third, end, axis1) which = Squeeze(which0, axis1)
        boxes = Gather(all_boxes, which)
        count = Shape<start = 0, end = 1>(boxes) images = Expand(first, count)
        crops = {roi}(features, boxes, images)
        flat_crops = Flatten(crops) logits = MatMul(flat_crops, wc)
        classes = Softmax(logits) }}"""
    return network(f"proposals, then RoiAlign by {mode} at opset {opset}", text, w, w.image(4 * side), opset)


def one_stage() -> Network:
    """Boxes of every cell as centre and size, and the best of each class."""
    w = Weights(12)
    w.backbone()
    w.add("wh", 9, 16, 1, 1, scale=0.6)
    side = 12
    at = np.arange(side, dtype=np.float32)
    y, x = np.meshgrid(at, at, indexing="ij")
    w.numbers(cells=np.stack([x, y])[None], stride=np.float32(4), parts=[2, 2, 5], flat_boxes=[0, 4, -1], flat_scores=[0, 5, -1], most=np.int64(5), overlap=np.float32(0.45),
              low=np.float32(0.5), zero=[0], one=[1], two=[2], three=[3], axis1=[1])
    text = "one (float[B, 3, H, W] image) => (int64[N, 3] chosen, float[N, 4] boxes, float[N] scores) {" + BACKBONE + """
        head = Conv(features, wh)
        at0, size0, scores0 = Split<axis = 1>(head, parts)
        at1 = Sigmoid(at0) at2 = Add(at1, cells) centre = Mul(at2, stride)
        size1 = Exp(size0) size = Mul(size1, stride)
        boxes0 = Concat<axis = 1>(centre, size) boxes1 = Reshape(boxes0, flat_boxes) all_boxes = Transpose<perm = [0, 2, 1]>(boxes1)
        scores1 = Sigmoid(scores0) all_scores = Reshape(scores1, flat_scores)
        chosen = NonMaxSuppression<center_point_box = 1>(all_boxes, all_scores, most, overlap, low)
        image_of = Slice(chosen, zero, one, axis1) box_of = Slice(chosen, two, three, axis1)
        box_at = Concat<axis = 1>(image_of, box_of)
        boxes = GatherND(all_boxes, box_at)
        scores = GatherND(all_scores, chosen) }"""
    return network("boxes of every cell, of two images", text, w, w.image(4 * side, 2), 17)


def transformer(mode: str, padding: str, corners: int) -> Network:
    """A network that looks where it should look, by AffineGrid and GridSample, and again."""
    w = Weights(13)
    w.backbone()
    w.add("wl", 16, 6, scale=0.3)
    w.numbers(upright=np.array([1, 0, 0, 0, 1, 0], np.float32), theta_shape=[0, 2, 3])
    text = "st (float[B, 3, H, W] image) => (float[B, 3, H, W] y) {" + BACKBONE + f"""
        pooled = GlobalAveragePool(features) flat = Flatten(pooled)
        turn0 = MatMul(flat, wl) turn1 = Add(turn0, upright) theta = Reshape(turn1, theta_shape)
        size = Shape(image)
        grid = AffineGrid<align_corners = {corners}>(theta, size)
        y = GridSample<mode = "{mode}", padding_mode = "{padding}", align_corners = {corners}>(image, grid) }}"""
    return network(f"spatial transformer, {mode}, {padding}, corners {corners}", text, w, w.image(24, 2), 20)


def deformable() -> Network:
    """A convolution whose offsets and mask are computed by the network."""
    w = Weights(14)
    w.backbone()
    w.add("wo", 18, 16, 3, 3, scale=0.1)
    w.add("wm", 9, 16, 3, 3)
    w.add("wd", 12, 16, 3, 3)
    w.add("bd", 12, scale=0.1)
    text = "dc (float[B, 3, H, W] image) => (float[B, 12, P, Q] y) {" + BACKBONE + """
        offset = Conv<pads = [1, 1, 1, 1]>(features, wo)
        belief0 = Conv<pads = [1, 1, 1, 1]>(features, wm) belief = Sigmoid(belief0)
        d = DeformConv<pads = [1, 1, 1, 1], kernel_shape = [3, 3]>(features, wd, offset, bd, belief)
        y = Relu(d) }"""
    return network("deformable convolution with a mask", text, w, w.image(40, 2), 19)


def sampled_attention() -> Network:
    """Attention that reads a few places of the features for each query, as detectors without boxes of their own have
    it."""
    w = Weights(15)
    w.backbone()
    w.add("queries", 1, 10, 16, scale=1)
    w.add("wp", 16, 8, scale=0.3)
    w.add("wa", 16, 4, scale=1)
    w.add("wv", 16, 4)
    w.numbers(places=[1, 10, 4, 2], weights=[1, 1, 10, 4], last=[3])
    text = "da (float[1, 3, H, W] image) => (float[1, 10, 4] y) {" + BACKBONE + """
        where0 = MatMul(queries, wp) where1 = Tanh(where0) grid = Reshape(where1, places)
        read = GridSample<mode = "linear", padding_mode = "zeros", align_corners = 0>(features, grid)
        trust0 = MatMul(queries, wa) trust1 = Softmax<axis = -1>(trust0) trust = Reshape(trust1, weights)
        weighted = Mul(read, trust) summed = ReduceSum<keepdims = 0>(weighted, last)
        rows = Transpose<perm = [0, 2, 1]>(summed)
        y = MatMul(rows, wv) }"""
    return network("attention that samples features", text, w, w.image(32), 20)


def pooled_regions() -> Network:
    w = Weights(16)
    w.backbone()
    w.add("wc", 16 * 9, 5)
    w.numbers(rois=np.array([[0, 0, 0, 20, 30], [1, 8, 4, 39, 39], [0, 30, 30, 12, 12], [1, 0, 0, 39, 5]], np.float32))
    text = "rp (float[2, 3, H, W] image) => (float[4, 5] y) {" + BACKBONE + """
        crops = MaxRoiPool<pooled_shape = [3, 3], spatial_scale = 0.25>(features, rois)
        flat = Flatten(crops)
        y = MatMul(flat, wc) }"""
    return network("regions by MaxRoiPool", text, w, w.image(40, 2), 11)


def warped_by_flow() -> Network:
    """The features at two scales, the coarse one moved by a flow that the fine one predicts."""
    w = Weights(17)
    w.backbone()
    w.add("wf", 2, 16, 3, 3, scale=0.02)
    at = np.linspace(-1, 1, 10, dtype=np.float32)
    w.numbers(base=np.stack(np.meshgrid(at, at), -1)[None], none=np.array([], np.float32), twice=np.array([1, 1, 2, 2], np.float32))
    text = "fw (float[B, 3, H, W] image) => (float[B, 16, P, Q] y) {" + BACKBONE + """
        flow0 = Conv<pads = [1, 1, 1, 1]>(features, wf) flow = Transpose<perm = [0, 2, 3, 1]>(flow0)
        grid = Add(base, flow)
        coarse = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(features)
        fine = Resize<mode = "cubic", coordinate_transformation_mode = "align_corners">(coarse, none, twice)
        warped = GridSample<mode = "cubic", padding_mode = "zeros", align_corners = 1>(fine, grid)
        y = Sub(warped, features) }"""
    return network("features warped by a flow", text, w, w.image(40, 2), 20)


def all_detection() -> list[Callable[[], Network]]:
    half = ', coordinate_transformation_mode = "output_half_pixel"'
    modes = [("linear", "zeros", 0), ("linear", "reflection", 1), ("nearest", "border", 0), ("cubic", "reflection", 0)]
    return [lambda: two_stages("avg", "", 16), lambda: two_stages("avg", half, 16), lambda: two_stages("max", half, 16), one_stage,
            *(lambda m=m: transformer(*m) for m in modes), deformable, sampled_attention, pooled_regions, warped_by_flow]
