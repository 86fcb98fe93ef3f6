"""com.microsoft's operators of language models that keep states, streams and hashes, and of quantised LSTMs. It has no schemas in Python."""
from __future__ import annotations

import numpy as np

from draw import F16, F32, I8, I32, I64, U8, Draw, generates
from nodes_attention import given
from nodes_products import window
from nodes_quantised import MS, bytes_of


@generates("AttnLSTM", "DynamicQuantizeLSTM", domain=MS)
def attended_lstm(d: Draw) -> None:
    d.calm()
    steps, batch, width, hidden = d.rng.randint(1, 5), d.rng.randint(1, 3), d.rng.randint(1, 20), d.rng.randint(1, 20)
    direction = d.pick(["forward", "reverse", "bidirectional"])
    directions, quantised = 2 if direction == "bidirectional" else 1, d.op == "DynamicQuantizeLSTM"
    memory, depth, compared, layer = (d.rng.randint(1, 5) for _ in range(4))
    layered = d.chance(0.5)
    d.set(hidden_size=hidden, direction=direction)
    d.maybe(0.3, input_forget=d.pick([0, 1]), clip=3.0)
    d.give(d.array((steps, batch, width), F32), constant=False)
    kind = d.pick([U8, I8])
    if quantised:
        d.give(bytes_of(d, (directions, width, 4 * hidden), kind), constant=True), d.give(bytes_of(d, (directions, hidden, 4 * hidden), kind), constant=True)
    else:
        d.give(d.array((directions, 4 * hidden, width + (layer if layered else depth)), F32) / 4), d.give(d.array((directions, 4 * hidden, hidden), F32) / 4)
    lengths = d.numbers.integers(1, steps + 1, batch).astype(np.int32) if d.chance(0.3) else None
    for value in (d.array((directions, 8 * hidden), F32) if d.chance(0.7) else None, lengths):
        d.give(value)
    for _ in range(2):
        d.give(d.array((directions, batch, hidden), F32) if d.chance(0.5) else None)
    d.give(d.array((directions, 3 * hidden), F32) if d.chance(0.3) else None)
    if quantised:
        for _ in range(2):
            bias_shape = (directions, 4 * hidden) if d.chance(0.5) else (directions,)
            d.give(d.array(bias_shape, F32, low=0.0005, high=0.002))
            d.give(np.full(bias_shape, 0 if kind == I8 else d.rng.randint(100, 150)), dtype=kind, constant=True)
    else:
        d.give(d.array((directions, hidden, compared), F32)), d.give(d.array((directions, depth, compared), F32)), d.give(d.array((directions, compared), F32))
        d.give(d.array((batch, memory, depth), F32), constant=False)
        given(d, d.numbers.integers(1, memory + 1, batch).astype(np.int32) if d.chance(0.4) else None,
              d.array((directions, hidden + depth, layer), F32) / 2 if layered else None)
    d.outputs, d.how, d.scale, d.loose = [True, True, True], "sum", 1, 2e4 if quantised else 20  # a tie of h is 1 / 255 of its range


@generates("BifurcationDetector", domain=MS)
def bifurcation(d: Draw) -> None:
    length = d.rng.randint(1, 12)
    source, start = d.numbers.integers(0, 5, length), d.rng.randint(0, length)
    d.give(source, dtype=I64, constant=False), d.give(d.numbers.integers(0, 5, d.rng.randint(1, 8)), dtype=I64, constant=False)
    d.give(np.array(start), dtype=I64, constant=False)
    if d.chance(0.7):
        wrong = d.numbers.random(length + 1 - start) < 0.2
        d.give(np.where(wrong, 7, np.append(source[start:], 3)), dtype=I64, constant=False)
    least = d.rng.randint(1, 2)
    d.set(min_ngram_size=least, max_ngram_size=least + d.rng.randint(0, 2))
    d.outputs, d.how = [True, True], "exact"


def streams(d: Draw, t: np.dtype) -> tuple[tuple[int, ...], int, int]:
    """Of an input, which is given: the rows' axes, branches and their size."""
    outer, c, h = d.shape(0, 2, empty=False, most=20), d.rng.randint(2, 4), d.rng.randint(2, 30)
    flat = d.chance(0.5)
    d.give(d.array((*outer, c * h) if flat else (*outer, c, h), t), constant=False)
    d.set(num_branches=c if flat else None)
    return outer, c, h


@generates("BranchwiseRMSNorm", domain=MS)
def branchwise(d: Draw) -> None:
    d.calm()
    t, m = d.type("T", [F32, F16]), d.type("M", [F32, F16])
    _, c, h = streams(d, t)
    if d.chance(0.7):
        d.give(d.array(d.pick([(h,), (c, h), (c * h,)]), m))
    d.maybe(epsilon=1e-3)
    d.how, d.loose = "sum", 10


@generates("HyperConnectionPreMix", "HyperConnectionPostMix", domain=MS)
def hyper_connection(d: Draw) -> None:
    d.calm()
    t, m = d.type("T", [F32, F16]), d.type("M", [F32, F16])
    outer, c, h = streams(d, t)
    gates = [(*outer, c), (*outer, c, 1), (*outer, c, h)]
    if d.op == "HyperConnectionPreMix":
        d.give(d.array(d.pick(gates + [(*outer, c * h)] if d.attributes.get("num_branches") else gates), m))
        d.maybe(reduction_scale=0.5)
    else:
        d.give(d.array((*outer, h), t), constant=False)
        d.give(d.array(d.pick(gates), m))
        if d.chance(0.6):
            d.give(d.array((*outer, c, c), m))
    d.how, d.scale, d.loose = "sum", 8, 4


@generates("DynamicTimeWarping", domain=MS)
def time_warping(d: Draw) -> None:
    d.calm()
    shape = (d.rng.randint(1, 9), d.rng.randint(1, 9))
    d.give(d.array(shape if d.chance(0.6) else (1, *shape), F32), constant=False)
    d.how = "exact"


@generates("EngramGate", domain=MS)
def engram_gate(d: Draw) -> None:
    d.calm()
    t, (b, s, c, h) = d.type("T", [F32, F16]), (d.count(2), d.rng.randint(1, 4), d.rng.randint(1, 3), d.rng.randint(1, 40))
    for shape in ((b, s, c, h), (b, s, c, h), (b, s, h)):
        d.give(d.array(shape, t), constant=False)
    for _ in range(3):
        d.give(d.array((c, h), t))
    d.maybe(epsilon=1e-3)
    d.outputs, d.how, d.scale, d.loose = d.pick([[True], [True, True]]), "sum", 4, 40


@generates("GatedAdd", domain=MS)
def gated_add(d: Draw) -> None:
    d.calm()
    t, shape = d.type("T", [F32, F16]), d.shape(1, 3, empty=False)
    d.give(d.array(shape, t), constant=False), d.give(d.array(shape, t), constant=False), d.give(d.array((*shape[:-1], 1), t))
    d.how, d.scale = "sum", 8


@generates("GatedDeltaNet", domain=MS)
def gated_delta_net(d: Draw) -> None:
    d.calm()
    t, (hq, per, k, v) = d.type("T", [F32, F16]), (d.rng.randint(1, 2), d.rng.randint(1, 2), d.rng.randint(1, 20), d.rng.randint(1, 20))
    hv, lengths = hq * per, [d.rng.randint(1, 4) for _ in range(d.rng.randint(1, 3))]
    n, b, rule = sum(lengths), len(lengths), d.pick(["linear", "gated", "delta", "gated_delta", "gated_delta"])
    gate = d.pick(["none", "none", "softplus", "sigmoid"]) if "gated" in rule else "none"
    by_key, update = d.chance(0.4), d.rng.randint(0, 2)
    d.set(update_rule=rule, gate_activation=gate, qk_l2_norm=1, state_update_capacity=update or None)
    d.maybe(0.4, scale=0.5, beta_activation="sigmoid")
    for shape in ((n, hq, k), (n, hq, k), (n, hv, v)):
        d.give(d.array(shape, t), constant=False)
    d.give(np.cumsum([0, *lengths]), dtype=I32)
    d.give(-np.abs(d.array((n, hv, k) if by_key else (n, hv), F32)) / 4 if "gated" in rule else None)
    d.give(d.array((n, hv), F32, low=0, high=1) if "delta" in rule else None)
    activated = gate != "none"
    given(d, d.array((b, hv, v, k), F32) / 4 if d.chance(0.6) else None, d.array((hv,), F32) / 4 if activated else None,
          d.array((hv, k) if by_key and d.chance(0.5) else (hv,), F32) / 4 if activated else None,
          d.numbers.integers(0, 3, b).astype(np.int32) if update else None)
    d.outputs, d.how, d.scale, d.loose = [True, True] + [True] * (update > 0), "sum", 4, 40


@generates("MatMulFpQ4", domain=MS)
def matmul_fpq4(d: Draw) -> None:
    d.calm()
    k, n, kind = d.rng.randint(1, 90), d.rng.randint(1, 30), d.pick([0, 1])
    blocks = -(-k // 32)
    packed = bytes_of(d, (n, blocks, 20 + kind), U8)
    packed[..., :4] = np.asarray(d.numbers.uniform(0.1, 1, (n, blocks, 1)), np.float32).view(np.uint8)
    if kind:
        packed[..., 4] &= 15
    d.give(d.array((*d.shape(0, 1, empty=False, most=3), d.count(9), k), F32), constant=False)
    d.give(packed.reshape(-1), constant=True), d.give(np.array([k, n]), dtype=I64, constant=True)
    d.set(blk_quant_type=kind)
    d.how, d.scale, d.loose = "sum", 16 * np.sqrt(k), 4


@generates("MatMulInteger16", domain=MS)
def matmul_integer16(d: Draw) -> None:
    m, k, n = d.count(9), d.rng.randint(1, 40), d.rng.randint(1, 40)
    i16 = np.dtype(np.int16)
    d.give(d.array((*d.shape(0, 1, empty=False, most=3), m, k), i16), constant=False), d.give(d.array((k, n), i16))
    d.how = "exact"


@generates("MoEGroupRouter", domain=MS)
def group_router(d: Draw) -> None:
    d.calm()
    t, groups, size, n = d.type("T", [F32, F16]), d.rng.randint(1, 4), d.rng.randint(1, 6), d.rng.randint(1, 5)
    choices, full = d.rng.randint(1, groups), d.chance(0.3)
    groups, choices = (1, 1) if full else (groups, choices)
    d.give(d.array((n, groups * size), t), constant=False), d.give(d.array((groups * size,), F32) / 4)
    d.set(top_k=d.rng.randint(1, choices * size), n_group=groups, topk_group=choices)
    d.maybe(group_topk=d.rng.randint(1, 3), router_sentinel=-50.0)
    d.outputs, d.how, d.loose = [False, True, True] if full else [True], "rounded", 20


@generates("MRotaryEmbedding", domain=MS)
def mrotary(d: Draw) -> None:
    d.calm()
    t, (b, s, heads), pairs, positions = d.type("T", [F32, F16]), (d.count(2), d.rng.randint(1, 4), d.rng.randint(1, 3)), d.rng.randint(3, 20), d.rng.randint(4, 9)
    size, by_heads = 2 * pairs + d.pick([0, 0, 2, 6]), d.chance(0.5)
    d.give(d.array((b, heads, s, size) if by_heads else (b, s, heads * size), t), constant=False)
    d.give(d.numbers.integers(0, positions, (3, b, s)), dtype=I64, constant=False)
    for _ in range(2):
        d.give(d.array((positions, pairs), t, low=-1, high=1))
    third = pairs // 3
    d.set(mrope_section=[pairs - 2 * third, third, third], num_heads=heads, rotary_embedding_dim=2 * pairs if size > 2 * pairs else None)
    d.maybe(0.5, mrope_layout=d.pick([0, 1]), interleaved=d.pick([0, 1]), scale=0.5)
    d.how, d.scale = "sum", 4


@generates("NGramHashMapping", "VarlenNGramHashMapping", domain=MS)
def ngram_hashes(d: Draw) -> None:
    t, order, head_count, packed = d.type("M", [I64, I32]), d.rng.randint(2, 4), d.rng.randint(1, 3), d.op.startswith("Varlen")
    lengths = [d.rng.randint(1, 5) for _ in range(d.rng.randint(1, 3))]
    b, shape = len(lengths), (sum(lengths),)
    if not packed:
        b, shape = d.rng.randint(1, 3), (d.rng.randint(1, 3), d.rng.randint(1, 6))
        b = shape[0]
    update = d.rng.randint(0, 2) if packed else 0
    d.give(d.numbers.integers(-9, 10, shape), dtype=t, constant=False), d.give(d.numbers.integers(-2**31, 2**31, order), dtype=t)
    d.give(d.numbers.integers(1, 99, (order - 1) * head_count), dtype=t)
    if packed:
        d.give(np.cumsum([0, *lengths]), dtype=I32)
    segments = d.chance(0.5)
    values = [d.numbers.integers(-9, 10, (b, order - 1)).astype(t) if d.chance(0.5) else None,
              d.numbers.integers(0, 99, (order - 1) * head_count).astype(t) if d.chance(0.5) else None,
              np.array(3, t) if d.chance(0.6) else None, d.numbers.integers(0, 2, shape).astype(np.int32) if segments else None]
    if packed:
        values += [d.numbers.integers(0, 2, (b, order - 1)).astype(np.int32) if segments and d.chance(0.5) else None,
                   d.numbers.integers(-1, 4, b).astype(np.int32) if update else None]
    given(d, *values)
    d.set(max_ngram_size=order, n_head_per_ngram=head_count, pad_id=d.pick([0, 5]), state_update_capacity=update or None)
    d.maybe(reset_on_eos=d.pick([0, 1]))
    d.outputs, d.how = [True, True] + ([segments, update > 0] if packed else []), "exact"
    while not d.outputs[-1]:
        d.outputs.pop()


@generates("QLinearConv", domain=MS)
def ms_qlinear_conv(d: Draw) -> None:
    spatial, channels_last, group = d.pick([1, 2, 2]), d.chance(0.7), d.pick([1, 1, 2])
    w = window(d, spatial)
    d.attributes.pop("auto_pad", None)
    c, m, kind, by = group * d.rng.randint(1, 5), group * d.rng.randint(1, 9), d.pick([U8, I8]), d.pick([U8, I8])
    d.set(group=group if group > 1 else None, channels_last=1 if channels_last else None, kernel_shape=w["kernel"])
    n = d.count(2)
    d.give(bytes_of(d, (n, *w["sizes"], c) if channels_last else (n, c, *w["sizes"]), kind), constant=False)
    d.give(np.array(0.05, F32), constant=True), d.give(np.array(3, kind), constant=True)
    d.give(bytes_of(d, (m, c // group, *w["kernel"]), by), constant=True)
    d.give(np.full((m,) if d.chance(0.5) else (1,), 0.02, F32), constant=True), d.give(np.array([0 if by == I8 else 128], by), constant=True)
    d.give(np.array(0.5, F32), constant=True), d.give(np.array(7, kind), constant=True)
    if d.chance(0.5):
        d.give(d.numbers.integers(-500, 500, m), dtype=I32, constant=True)
    d.how = "exact"


@generates("ScaledSiLU", domain=MS)
def scaled_silu(d: Draw) -> None:
    d.calm()
    t, m = d.type("T", [F32, F16]), d.type("M", [F32, F16])
    d.give(d.array(d.shape(0, 3), t), constant=False)
    if d.chance(0.5):
        d.give(np.array(0.75, m))
    d.maybe(alpha=1.5)
    d.how, d.loose = "sum", 4


@generates("UnfoldTensor", domain=MS)
def unfold(d: Draw) -> None:
    shape = d.shape(1, 4, empty=False)
    axis = d.rng.randrange(len(shape))
    d.give(d.array(shape, d.type("T", [F32, F16, I64, I32, U8])), constant=False)
    d.set(size=d.rng.randint(1, shape[axis]), dim=axis - len(shape) if d.chance(0.4) else axis)
    d.maybe(step=d.rng.randint(1, 3))
    d.how = "exact"


@generates("VarlenCausalConvWithState", domain=MS)
def varlen_conv(d: Draw) -> None:
    d.calm()
    t, c, taps, dilation = d.type("T", [F32, F16]), d.rng.randint(1, 9), d.rng.randint(1, 4), d.rng.randint(1, 3)
    lengths, update = [d.rng.randint(1, 5) for _ in range(d.rng.randint(1, 3))], d.rng.randint(0, 2)
    d.give(d.array((sum(lengths), c), t), constant=False), d.give(d.array((c, 1, taps), t)), d.give(np.cumsum([0, *lengths]), dtype=I32)
    d.give(d.array((c,), t) if d.chance(0.6) else None)
    given(d, d.array((len(lengths), c, (taps - 1) * dilation), t), d.numbers.integers(-1, 4, len(lengths)).astype(np.int32) if update else None)
    d.maybe(activation=d.pick(["none", "silu", "swish"]))
    d.set(dilation=dilation, state_update_capacity=update or None)
    d.outputs, d.how, d.scale, d.loose = [True, True] + [True] * (update > 0), "sum", 8, 10
