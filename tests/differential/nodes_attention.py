"""Attention's newest forms and com.microsoft's: with states, caches and masks; mixtures of experts."""
from __future__ import annotations

import numpy as np

from draw import BF16, F16, F32, F64, I8, I64, U8, Draw, generates, onnx_type, tensor_type
from nodes_control import Body
from nodes_quantised import MS, bytes_of, zero_of


def given(d: Draw, *values: np.ndarray | None) -> None:
    """Inputs, of which the last that are absent are left out."""
    for v in values:
        d.give(v)
    while d.inputs[-1].value is None:
        d.inputs.pop()


@generates("LinearAttention")
def linear_attention(d: Draw) -> None:
    d.calm()
    t, s = d.type("T", [F32, F16, BF16]), d.type("S", [F32, F16, BF16])
    b, rows, kv = d.count(2), d.count(d.pick([9, 9, 70])), d.rng.randint(1, 3)
    h, dk, dv = kv * d.pick([1, 1, 2, 3]), d.rng.randint(1, d.pick([20, 70])), d.rng.randint(1, d.pick([20, 70]))
    rule = d.pick(["linear", "gated", "delta", "gated_delta", None])
    d.set(update_rule=rule, q_num_heads=h, kv_num_heads=kv)
    d.maybe(0.3, scale=0.4, chunk_size=4)
    key = d.array((b, rows, kv, dk), t, "plain").astype(np.float64)
    key /= np.sqrt((key**2).sum(-1, keepdims=True)) + 1e-3  # as the document has it: else states grow without end
    past = d.array((b, kv, dk, dv), s) if d.chance(0.5) or s != t else None
    gated, corrected = rule != "linear" and rule != "delta", rule not in ("linear", "gated")
    decay = d.array((b, rows, kv * d.pick([1, dk])), t, low=-2, high=0) if gated else None
    beta = d.array((b, rows, d.pick([1, kv])), t, low=0, high=1) if corrected else None
    d.give(d.array((b, rows, h * dk), t), constant=False), d.give(key.reshape(b, rows, kv * dk).astype(t), constant=False)
    given(d, d.array((b, rows, kv * dv), t), past, decay, beta)
    d.outputs, d.how, d.scale, d.loose = [True, True], "sum", 1, 10 if t == F32 and s == F32 else 4


@generates("LinearAttention", domain=MS)
def ms_linear_attention(d: Draw) -> None:
    """Heads of values may share one of queries and of keys, and the last states may be kept."""
    d.calm()
    t, s = d.type("T", [F32, F16]), F32
    b, rows, heads = d.count(2), d.count(9), d.pick([1, 2, 4])
    queries, keys = d.pick([heads, heads * 2, 1, heads]), d.pick([heads, heads, 1])
    dk, dv, windows = d.rng.randint(1, 20), d.rng.randint(1, 20), d.pick([0, 0, 0, 1, 3, 8])
    rule = d.pick(["linear", "gated", "delta", "gated_delta", None])
    d.set(update_rule=rule, q_num_heads=queries, kv_num_heads=heads, state_window=windows)
    d.maybe(0.3, scale=0.4)
    key = d.array((b, rows, keys, dk), t, "plain").astype(np.float64)
    key /= np.sqrt((key**2).sum(-1, keepdims=True)) + 1e-3
    gated, corrected = rule != "linear" and rule != "delta", rule not in ("linear", "gated")
    state = (windows, b, heads, dk, dv) if windows else (b, heads, dk, dv)
    d.give(d.array((b, rows, queries * dk), t), constant=False), d.give(key.reshape(b, rows, keys * dk).astype(t), constant=False)
    given(d, d.array((b, rows, heads * dv), t), d.array(state, s) if d.chance(0.5) or s != t else None,
          d.array((b, rows, heads * d.pick([1, dk])), t, low=-2, high=0) if gated else None,
          d.array((b, rows, d.pick([1, heads])), t, low=0, high=1) if corrected else None)
    d.outputs, d.how, d.scale, d.loose = [True, True], "sum", 1, 10 if t == F32 else 4


@generates("LinearAttentionGate", domain=MS)
def linear_attention_gate(d: Draw) -> None:
    d.calm()
    t, shape = d.type("T", [F32, F16, BF16]), d.shape(1, 4, most=300)
    rated = d.chance(0.6)
    d.give(d.array(shape, t), constant=False), d.give(d.array(shape[-1:], F32)), d.give(d.array(shape[-1:], F32))
    given(d, d.array(shape, t) if rated else None)
    d.outputs, d.how, d.scale = [True, True] if rated else [True], "sum", 4


@generates("GatedRMSNorm", domain=MS)
def gated_rms_norm(d: Draw) -> None:
    d.calm()
    t, length = d.type("T", [F32, F16, BF16]), d.rng.randint(1, 70)
    shape = (*d.shape(0, 2, most=30), length * d.pick([1, 1, 2, 3]))
    d.give(d.array(shape, t), constant=False), d.give(d.array((length,), t)), d.give(d.array(shape, t), constant=False)
    d.maybe(activation=d.pick(["silu", "swish", "sigmoid"]), epsilon=0.01)
    d.how, d.scale = "sum", 4


@generates("CausalConvWithState")
def causal_conv(d: Draw) -> None:
    d.calm()
    t, b, c, length, taps = d.type("T"), d.count(2), d.count(9), d.count(d.pick([9, 70])), d.rng.randint(1, 5)
    d.maybe(activation=d.pick(["silu", "swish", "none"]))
    d.give(d.array((b, c, length), t), constant=False), d.give(d.array((c, 1, taps), t))
    given(d, d.array((c,), t) if d.chance(0.5) else None, d.array((b, c, taps - 1), t) if d.chance(0.5) else None)
    d.outputs, d.how, d.scale = [True, True], "sum", 2


@generates("CausalConvWithState", domain=MS)
def ms_causal_conv(d: Draw) -> None:
    d.calm()
    t, b, c, length, taps = d.type("T", [F32, F16]), d.count(2), d.count(9), d.count(d.pick([9, 40])), d.rng.randint(1, 5)
    d.maybe(activation=d.pick(["silu", "swish", "none"]), ndim=1)
    dilation = d.pick([1, 1, 2, 3])
    d.set(dilation=dilation) if dilation > 1 else d.maybe(dilation=1)
    channels_last, windows = d.chance(0.3), d.pick([0, 0, 0, 1, 3, 8])
    d.set(channels_last=int(channels_last), state_window=windows)
    state = (b, (taps - 1) * dilation, c) if channels_last else (b, c, (taps - 1) * dilation)
    d.give(d.array((b, length, c) if channels_last else (b, c, length), t), constant=False), d.give(d.array((c, 1, taps), t))
    past = d.array(((windows,) if windows else ()) + state, t) if d.chance(0.5) else None
    given(d, d.array((c,), t) if d.chance(0.5) else None, past)
    d.outputs, d.how, d.scale = [True, True], "sum", 2


@generates("FlexAttention", domain="ai.onnx.preview")
def flex_attention(d: Draw) -> None:
    d.calm()
    t = d.type("T1", [F32, F64, F16, BF16])
    b, kv, s, l, e, v = d.count(2), d.rng.randint(1, 2), d.count(5), *(d.rng.randint(1, d.pick([9, 9, 40])) for _ in range(3))
    h = kv * d.pick([1, 1, 2])
    for shape in ((b, h, s, e), (b, kv, l, e), (b, kv, l, v)):
        d.give(d.array(shape, t), constant=False)
    inner = F64 if t == F64 else F32
    if d.chance(0.3) or t in (F16, BF16) and d.chance(0.5):
        d.set(softmax_precision=onnx_type(inner))
    for name in ("score_mod", "prob_mod"):
        if d.chance(0.4):
            body = Body(d, name[0])
            x = body.takes("x", tensor_type(inner, (b, h, s, l)))
            addend = body.constant(d.array(d.pick([(), (s, l), (h, 1, 1)]), inner, low=-1, high=1))
            body.gives(body.node(d.pick(["Mul", "Add", "Sub"]), d.pick([x, body.node("Tanh", x)]), addend), tensor_type(inner, (b, h, s, l)))
            d.set(**{name: body.graph()})
    d.maybe(0.3, scale=0.3)
    d.how, d.loose, d.scale = "sum", 10, 1


@generates("TensorScatter")
def tensor_scatter(d: Draw) -> None:
    d.how, t = "exact", d.type("T")
    rank, b = d.rng.randint(2, 4), d.rng.randint(1, 3)
    shape = [b, *(d.rng.randint(1, 6) for _ in range(rank - 1))]
    axis = d.rng.randint(1, rank - 1)
    room = shape[axis]
    rows = d.rng.randint(1, room)
    mode = d.pick(["linear", "circular", None])
    d.set(mode=mode)
    if axis - rank != -2 or d.chance(0.5):
        d.set(axis=d.pick([axis, axis - rank]))
    update = [rows if k == axis else n for k, n in enumerate(shape)]
    d.give(d.array(tuple(shape), t)), d.give(d.array(tuple(update), t))
    if d.chance(0.7):
        d.give(d.numbers.integers(0, room if mode == "circular" else room - rows + 1, b), dtype=I64)


def key_mask(d: Draw, b: int, s: int, total: int, by_ends: bool = True) -> np.ndarray:
    """A mask of int32 in one of its forms; at least one key is seen."""
    lengths = np.array([d.rng.randint(1, total) for _ in range(b)])
    style = d.pick(["keys", "rows"] + ["ends", "ends and beginnings"] * by_ends)
    if style == "ends":
        return lengths.astype(np.int32)
    if style == "ends and beginnings":
        return np.concatenate([lengths, [d.rng.randint(0, k - 1) for k in lengths]]).astype(np.int32)
    mask = (d.numbers.random((b, total) if style == "keys" else (b, s, total)) < 0.7).astype(np.int32)
    mask[..., 0] = 1
    return mask


@generates("Attention", domain=MS)
def ms_attention(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    b, h, s, width = d.rng.randint(1, 2), d.rng.randint(1, 3), d.rng.randint(1, d.pick([6, 6, 40])), d.rng.randint(1, 20)
    rotary, past = d.chance(0.08), d.rng.randint(0, 4) if d.chance(0.4) else 0
    e = d.pick([32, 64]) if rotary else d.rng.randint(1, d.pick([9, 9, 40]))
    v = e if rotary or past or d.chance(0.6) else d.rng.randint(1, 9)
    total = s + past
    d.set(num_heads=h, qkv_hidden_sizes=[h * e, h * e, h * v] if v != e or d.chance(0.2) else None)
    if rotary:
        d.set(do_rotary=1)
        d.maybe(0.3, rotary_embedding_dim=32)
    if d.chance(0.3):
        d.set(unidirectional=1)
    d.maybe(0.3, scale=0.3)
    d.give(d.array((b, s, width), t), constant=False)
    weights = (d.array((width, h * (2 * e + v)), t) * np.array(0.3, t)).astype(t)
    bias = d.array((h * (2 * e + v),), t) if d.chance(0.8) else None
    d.give(weights, constant=d.chance(0.7)), d.give(bias)
    mask = key_mask(d, b, s, total) if d.chance(0.5) else None
    given(d, mask, d.array((2, b, h, past, e), t) if past else None,
          d.array((d.pick([1, b]), d.pick([1, h]), s, total), t) if d.chance(0.05 if past else 0.3) else None)
    if len(d.inputs) < 3:
        d.give(None)
    d.outputs = [True, True] if past or v == e and d.chance(0.3) else [True]
    # A row that sees masked keys alone has scores near -10000, whose last digits are those of 0.001.
    d.how, d.loose, d.scale = "sum", 10 if mask is None else 200, 1


@generates("QAttention", domain=MS)
def qattention(d: Draw) -> None:
    d.calm()
    t, u = d.type("T1", [U8, I8]), d.type("T2", [U8, I8])
    b, h, s, width, e = (d.rng.randint(1, n) for n in (2, 3, d.pick([6, 40]), 20, d.pick([9, 40])))
    past = d.rng.randint(0, 4) if d.chance(0.3) else 0
    columns = 3 * h * e
    many = (columns,) if d.chance(0.3) else ()
    d.set(num_heads=h)
    d.maybe(0.3, unidirectional=d.pick([0, 1]), scale=0.3)
    d.give(bytes_of(d, (b, s, width), t), constant=False), d.give(bytes_of(d, (width, columns), u), constant=True)
    d.give(d.array((columns,), F32)), d.give(d.array((), F32, low=0.005, high=0.02)), d.give(d.array(many, F32, low=0.005, high=0.02), constant=True)
    zeros = d.chance(0.7)
    mask = key_mask(d, b, s, s + past) if d.chance(0.4) else None
    given(d, mask, zero_of(d, t) if zeros else None, bytes_of(d, many, u) if zeros else None, d.array((2, b, h, past, e), F32) if past else None)
    d.outputs = [True, True] if past or d.chance(0.3) else [True]
    d.how, d.loose, d.scale = "sum", 20, 1


@generates("DecoderMaskedMultiHeadAttention", domain=MS)
def decoder_masked(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    beams, h, past, e, room = d.pick([1, 1, 2, 3]), d.rng.randint(1, 3), d.rng.randint(0, 5), d.rng.randint(1, d.pick([9, 9, 70])), 8
    b = beams * d.rng.randint(1, 2)
    across, style = d.chance(0.25), d.pick(["shared", "shared", "own"])
    keys = d.rng.randint(1, 6) if across else past + 1
    packed = not across and d.chance(0.3)
    d.give(d.array((b, 1, h * e * (3 if packed else 1)), t), constant=False)
    kv = None if packed else (b, h, keys, e) if across else (b, 1, h * e)
    key, value = (None if kv is None else d.array(kv, t) for _ in range(2))
    mask = None
    if d.chance(0.4):
        mask = (d.numbers.random((b, keys)) < 0.7).astype(np.int32)
        mask[:, 0] = 1
    bias = d.array((d.pick([1, b]), d.pick([1, h]), 1, keys), t) if d.chance(0.3) else None
    rest = [None] * 6  # past key and value, past length, beam width, indirection, bias
    if not across:
        shared = style == "shared"
        d.set(past_present_share_buffer=int(shared))
        length = room if shared else past
        if shared or past:
            rest[0], rest[1] = (d.array((b, h, length, e), t) for _ in range(2))
        if shared:
            rest[2] = np.array([past], np.int32)
            if beams > 1:
                rest[3] = np.array([beams], np.int32)
                rest[4] = d.numbers.integers(0, beams, (b // beams, beams, room)).astype(np.int32)
    if d.chance(0.3):
        rest[5] = d.array((3 * h * e,), t)
    given(d, key, value, mask, bias, *rest)
    d.set(num_heads=h)
    d.maybe(0.3, scale=0.4)
    d.outputs = [True] if across else [True, True, True]
    if d.chance(0.2):
        d.set(output_qk=1)
        d.outputs = d.outputs + [False] * (3 - len(d.outputs)) + [True]
    d.how, d.loose, d.scale = "sum", 10, 1


@generates("GemmaRotaryEmbedding", domain=MS)
def gemma_rotary(d: Draw) -> None:
    d.calm()
    b, h, s, e = d.count(2), d.rng.randint(1, 3), d.count(5), d.rng.randint(1, 20)
    d.give(d.array((b, s, e), F32), constant=False)
    for _ in range(4):
        d.give(d.array((b, h, s, e), F16))
    d.outputs, d.how, d.scale = [True, True], "sum", 4


# Mixtures of experts

def routing(d: Draw, t: np.dtype) -> tuple[int, int, int, int]:
    """Tokens and scores are given; experts, hidden and inner size, and the rows of FC1 by inner ones."""
    experts, hidden, inner = d.rng.randint(2, 6), d.pick([16, 32, 64]), d.pick([16, 32, 48])
    tokens = (d.count(9),) if d.chance(0.6) else (d.rng.randint(1, 2), d.rng.randint(1, 4))
    d.give(d.array((*tokens, hidden), t), constant=False)
    # scores of one token differ, so that which are chosen is no matter of rounding
    rows = int(np.prod(tokens))
    scores = np.argsort(d.numbers.random((rows, experts)), -1) * 0.5 + d.numbers.uniform(-0.1, 0.1, (rows, experts))
    d.give(scores.astype(t), constant=False)
    d.set(k=d.rng.randint(1, min(3, experts)), activation_type=d.pick(["relu", "gelu", "silu", "swiglu", "identity"]))
    fused = d.attributes["activation_type"] == "swiglu"
    if fused:
        d.set(swiglu_fusion=d.pick([1, 1, 2]))
        d.maybe(0.5, activation_alpha=1.2, activation_beta=0.5, swiglu_limit=2.0)
    d.maybe(0.5, normalize_routing_weights=d.pick([0, 1]))
    d.how, d.loose, d.scale = "sum", 20, 1
    return experts, hidden, inner, 2 if fused else 1


@generates("MoE", domain=MS)
def moe(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    experts, hidden, inner, fused = routing(d, t)
    few = np.array(0.2, t)

    def layer(rows: int, depth: int) -> None:
        d.give((d.array((experts, rows, depth), t) * few).astype(t), constant=d.chance(0.7))
        d.give(d.array((experts, rows), t) if d.chance(0.5) else None)
    layer(fused * inner, hidden), layer(hidden, inner)
    if fused == 1 and d.chance(0.2):
        layer(inner, hidden)
    given(d)


@generates("QMoE", domain=MS)
def qmoe(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F16])
    experts, hidden, inner, fused = routing(d, t)
    bits, block = d.pick([4, 4, 8, 2]), d.pick([0, 0, 16])
    d.set(expert_weight_bits=bits, block_size=block or None)
    zeros: list[np.ndarray | None] = []

    def layer(rows: int, depth: int) -> None:
        blocks = (depth // block,) if block else ()
        d.give(bytes_of(d, (experts, rows, depth * bits // 8), U8), constant=True)
        d.give(d.array((experts, rows, *blocks), t, low=0.1 / 2**bits, high=0.4 / 2**bits), constant=True)
        d.give(d.array((experts, rows), t) if d.chance(0.5) else None)
        codes = (rows, blocks[0] * bits / 8) if block else (rows * bits / 8,)
        zeros.append(bytes_of(d, (experts, *(int(np.ceil(c)) for c in codes)), U8))
    layer(fused * inner, hidden), layer(hidden, inner)
    if d.chance(0.4):
        given(d, None, None, None, *zeros)
    while d.inputs[-1].value is None:
        d.inputs.pop()
    if bits == 8 and block:  # ONNX Runtime has no float32 matmul with these: it quantizes the tokens, too
        d.loose = 10000
