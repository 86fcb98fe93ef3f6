"""Searches of com.microsoft for the best text, over small random networks: decoders as GPT-2 has them, and encoders
with decoders as T5 and Whisper have them."""
from __future__ import annotations

import numpy as np
from onnx import helper

from draw import F32, I32, Draw, generates, tensor_type
from nodes_control import Body

MS = "com.microsoft"
GPT, T5, WHISPER = 0, 1, 2


class Network(Body):
    """A body whose inputs and outputs have the names that searches require. Texts are [b, s, wide]."""

    def __init__(self, d: Draw, name: str, sizes: Sizes, captures: bool = False) -> None:
        super().__init__(d, "")
        self.of, self.sizes, self.captures = name, sizes, captures

    def gives_as(self, name: str, value: str, shape: tuple) -> None:
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_value_info(name, tensor_type(F32, shape)))

    def weights(self, *shape: int) -> str:
        """A constant of the body, or a value outside of it: not of encoders, for ONNX Runtime gives them the decoder's
        too."""
        value = (self.d.numbers.normal(size=shape) / np.sqrt(shape[0] if shape[0] == shape[1] else 1)).astype(F32)
        return self.d.capture(value) if self.captures and self.d.chance(0.1) else self.constant(value)

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def projected(self, x: str) -> str:
        return self.node("MatMul", x, self.weights(self.sizes.wide, self.sizes.wide))

    def in_heads(self, x: str) -> str:
        """[b, s, wide] as [b, heads, s, size]."""
        y = self.node("Reshape", x, self.integers(0, -1, self.sizes.heads, self.sizes.size))
        return self.node("Transpose", y, perm=[0, 2, 1, 3])

    def attended(self, x: str, keys: str, values: str, mask: str | None = None) -> str:
        """x [b, s, wide] over keys and values [b, heads, t, size]; mask: [b, t] of 32-bit integers."""
        scores = self.node("MatMul", self.in_heads(self.projected(x)), self.node("Transpose", keys, perm=[0, 1, 3, 2]))
        first, step = (self.constant(np.array(n, np.int64)) for n in (0, 1))
        length = self.node("Squeeze", self.node("Shape", keys, start=2, end=3), self.integers(0))
        places = self.node("Cast", self.node("Range", first, length, step), to=1)  # else texts of the same tokens tie
        scores = self.node("Add", scores, self.node("Mul", places, self.constant(np.full(1, 0.3, F32))))
        if mask:
            hidden = self.node("Sub", self.node("Cast", mask, to=1), self.constant(np.ones(1, F32)))
            hidden = self.node("Mul", hidden, self.constant(np.full(1, 20, F32)))
            scores = self.node("Add", scores, self.node("Unsqueeze", hidden, self.integers(1, 2)))
        y = self.node("MatMul", self.node("Softmax", scores, axis=-1), values)
        y = self.node("Transpose", y, perm=[0, 2, 1, 3])
        return self.node("Reshape", y, self.integers(0, -1, self.sizes.wide))

    def logits(self, x: str) -> str:
        s = self.sizes
        y = self.node("Softsign", x)  # Tanh makes ties, where it is 1
        return self.node("MatMul", y, self.constant((self.d.numbers.normal(size=(s.wide, s.words)) * s.sharp).astype(F32)))

    def graph(self):
        return helper.make_graph(self.nodes, self.of, self.inputs, self.outputs)


class Sizes:
    def __init__(self, d: Draw) -> None:
        self.words = d.rng.randint(6, 40)
        self.heads, self.size, self.layers = d.rng.randint(1, 3), d.rng.randint(2, 5), d.rng.randint(1, 3)
        self.wide = self.heads * self.size
        self.texts, self.length, self.features = d.rng.randint(1, 4), d.rng.randint(1, 6), d.rng.randint(1, 5)
        self.sharp = d.pick([0.5, 1.0, 2.0]) / np.sqrt(self.wide)

    def cache(self, length: str | int) -> tuple:
        return ("b", self.heads, length, self.size)


# Decoders as GPT-2 has them: a past is keys and values, [2, b, heads, p, size].

def alone(d: Draw, s: Sizes):
    n = Network(d, "decoder", s, captures=True)
    ids, places = n.takes("input_ids", tensor_type(I32, ("b", "s"))), n.takes("position_ids", tensor_type(I32, ("b", "s")))
    mask = n.takes("attention_mask", tensor_type(I32, ("b", "t")))
    x = n.node("Add", n.node("Gather", n.weights(s.words, s.wide), ids), n.node("Gather", n.weights(40, s.wide), places))
    presents = []
    for k in range(s.layers):
        past = n.takes(f"past_{k}", tensor_type(F32, (2, *s.cache("p"))))
        new = [n.node("Unsqueeze", n.in_heads(n.projected(x)), n.integers(0)) for _ in range(2)]
        present = n.node("Concat", past, n.node("Concat", *new, axis=0), axis=3)
        keys, values = (n.node("Gather", present, n.constant(np.array(i, np.int64)), axis=0) for i in range(2))
        x = n.node("Add", x, n.attended(x, keys, values, mask))
        presents.append(present)
    n.gives_as("logits", n.logits(x), ("b", "s", s.words))
    for k, present in enumerate(presents):
        n.gives_as(f"present_{k}", present, (2, *s.cache("q")))
    return n.graph()


# Encoders and decoders. Caches are in the order key, value of each layer.

def names(s: Sizes, kind: str, stem: str) -> list[str]:
    return [f"{kind}_{part}_{stem}_{k}" for k in range(s.layers) for part in ("key", "value")]


def decoder_layers(n: Network, tokens: str, pasts: list[str], crosses: list[str], mask: str | None):
    """Logits of tokens [b, s], and what is to be kept of them."""
    x, presents = n.node("Gather", n.embedded, tokens), []
    for k in range(n.sizes.layers):
        new = [n.in_heads(n.projected(x)) for _ in range(2)]
        joined_values = [n.node("Concat", p, y, axis=2) for p, y in zip(pasts[2 * k:], new)] if pasts else new
        x = n.node("Add", x, n.attended(x, *joined_values))
        x = n.node("Add", x, n.attended(x, *crosses[2 * k:2 * k + 2], mask))
        presents += joined_values
    return n.logits(x), presents


def encoder(d: Draw, s: Sizes, kind: int, begins: bool):
    """begins: it also gives the logits of the decoder's first tokens, and what is kept of them."""
    n = Network(d, "encoder", s)
    sound = kind == WHISPER
    ids = n.takes("encoder_input_ids", tensor_type(F32, ("b", s.features, "n")) if sound else tensor_type(I32, ("b", "n")))
    mask = None if sound else n.takes("encoder_attention_mask", tensor_type(I32, ("b", "n")))
    first = n.takes("decoder_input_ids", tensor_type(I32, ("b", "l" if sound else 1))) if begins else None
    if sound:
        hidden = n.node("MatMul", n.node("Transpose", ids, perm=[0, 2, 1]), n.weights(s.features, s.wide))
    else:
        hidden = n.node("Gather", n.weights(s.words, s.wide), ids)
    crosses = [n.in_heads(n.projected(hidden)) for _ in range(2 * s.layers)]
    if begins:
        n.embedded = n.weights(s.words, s.wide)
        logits, presents = decoder_layers(n, first, [], crosses, mask)
        n.gives_as("logits", logits, ("b", "l", s.words))
        n.gives_as("encoder_hidden_states", hidden, ("b", "n", s.wide))
        for name, value in zip(names(s, "present", "self"), presents):
            n.gives_as(name, value, s.cache("l"))
    for name, value in zip(names(s, "present", "cross"), crosses):
        n.gives_as(name, value, s.cache("n"))
    return n.graph()


def decoder(d: Draw, s: Sizes, kind: int, begins: bool):
    n = Network(d, "decoder", s)
    whole = kind == T5 and d.chance(0.2)
    tokens = n.takes("input_ids", tensor_type(I32, ("b", "s" if whole else 1)))
    if kind == T5 and d.chance(0.2):
        n.takes("encoder_input_ids", tensor_type(I32, ("b", "n")))
    mask = n.takes("encoder_attention_mask", tensor_type(I32, ("b", "n"))) if kind == T5 else None
    hidden = n.takes("encoder_hidden_states", tensor_type(F32, ("b", "n", s.wide))) if begins and d.chance(0.5) else None
    pasts = [n.takes(name, tensor_type(F32, s.cache("p"))) for name in names(s, "past", "self")]
    crosses = [n.takes(name, tensor_type(F32, s.cache("n"))) for name in names(s, "past", "cross")]
    if whole:
        tokens = n.node("Gather", tokens, n.integers(-1), axis=1)
    n.embedded = n.weights(s.words, s.wide)
    if hidden and kind == T5 and d.chance(0.5):  # ONNX Runtime gives Whisper's decoders other states than their encoder made
        mean = n.node("ReduceMean", hidden, n.integers(1))
        crosses[-1] = n.node("Add", crosses[-1], n.in_heads(mean))
    logits, presents = decoder_layers(n, tokens, pasts, crosses, mask)
    n.gives_as("logits", logits, ("b", 1, s.words))
    for name, value in zip(names(s, "present", "self"), presents):
        n.gives_as(name, value, s.cache("q"))
    return n.graph()


# The parameters of all searches.

def allowed(d: Draw, *shape: int) -> np.ndarray:
    """A mask of tokens, two of which at least are allowed in each row."""
    mask = (d.numbers.random(shape) < 0.7).astype(I32)
    mask[..., [0, -1]] = 1
    return mask


def number(d: Draw, value: float | None, dtype=I32) -> None:
    d.give(None if value is None else np.array([value]), dtype=dtype)


def penalties_and_masks(d: Draw, s: Sizes) -> None:
    number(d, d.pick([1.0, 1.3, 2.0, 0.7]) if d.chance(0.4) else None, F32)
    d.give(allowed(d, s.words) if d.chance(0.25) else None)
    d.give(allowed(d, s.texts, s.words) if d.chance(0.25) else None)


def text(d: Draw, s: Sizes, pad: int) -> np.ndarray:
    ids = d.numbers.integers(0, s.words, (s.texts, s.length)).astype(I32)
    if d.chance(0.5):
        for row in ids:
            row[:d.rng.randint(0, s.length - 1)] = pad
    return ids


def beams(d: Draw) -> None:
    count = d.rng.randint(1, 5)
    number(d, count)
    number(d, d.rng.randint(1, count))
    number(d, d.pick([1.0, 1.0, 0.0, 0.5, 1.5, 2.0, -1.0]), F32)


def begin(d: Draw) -> tuple[Sizes, int]:
    d.style, d.constants, d.how, d.loose = "plain", 0.3 * d.chance(0.5), "rounded", 100
    s = Sizes(d)
    pad = d.rng.randrange(s.words)
    d.set(eos_token_id=d.rng.randrange(s.words), pad_token_id=pad)
    d.maybe(0.4, no_repeat_ngram_size=d.rng.randint(1 if s.words > 20 else 2, 3))  # some token is always left
    return s, pad


def masked_text(d: Draw, s: Sizes) -> None:
    mask = (d.numbers.random((s.texts, s.length)) < 0.8).astype(I32)
    mask[:, -1] = 1
    d.give(mask if d.chance(0.3) else None)


@generates("GreedySearch", "Sampling", domain=MS)
def alone_search(d: Draw) -> None:
    s, pad = begin(d)
    most = s.length + d.rng.randint(1, 8)
    d.give(text(d, s, pad))
    number(d, most)
    number(d, most - 1)  # ONNX Runtime leaves unset what comes after the last text's end
    penalties_and_masks(d, s)
    masked_text(d, s)
    if d.op == "Sampling":
        d.give(None)
        number(d, d.rng.randrange(1000) if d.chance(0.8) else None)
        d.set(top_p=d.pick([0.3, 0.6, 0.9, 1.0]))  # of 0, the default, rounding decides whether any token is left
        d.maybe(0.4, temperature=d.pick([0.5, 0.8, 1.5]))
        d.maybe(0.3, custom=1)
        d.maybe(0.3, min_tokens_to_keep=d.rng.randint(0, 4))
    d.set(decoder=alone(d, s))


def scored(d: Draw, count: int = 3) -> None:
    d.outputs = [True, True, d.chance(0.3)][:count]


@generates("BeamSearch", domain=MS)
def beam_search(d: Draw) -> None:
    kind = d.rng.choices([GPT, T5, WHISPER], [1, 3, 1])[0]
    if kind == WHISPER:
        return heard(d)
    s, pad = begin(d)
    d.give(text(d, s, pad))
    prompt_length = s.length if kind == GPT else 1
    most = prompt_length + d.rng.randint(1, 10)
    number(d, most)
    number(d, d.rng.randint(0, most) if d.chance(0.4) else 0)
    beams(d)
    penalties_and_masks(d, s)
    masked_text(d, s)
    d.maybe(0.6, early_stopping=d.rng.randint(0, 1))
    scored(d)
    if kind == GPT:
        d.set(decoder=alone(d, s))
        return
    begins = most > prompt_length + 1 and d.chance(0.5)  # ONNX Runtime chooses a first token that is the last by its decoder of token 0
    d.set(model_type=T5, decoder_start_token_id=d.rng.randrange(s.words))
    d.set(encoder=encoder(d, s, T5, begins), decoder=decoder(d, s, T5, begins))


@generates("WhisperBeamSearch", domain=MS)
def heard(d: Draw) -> None:
    s, _ = begin(d)
    d.give(d.numbers.normal(size=(s.texts, s.features, s.length)).astype(F32))
    prompt_length = d.rng.randint(1, 4)
    most = prompt_length + d.rng.randint(2, 10)  # ONNX Runtime raises an error where the first token is the last
    number(d, most)
    number(d, d.rng.randint(0, most) if d.chance(0.4) else 0)
    beams(d)
    penalties_and_masks(d, s)
    d.give(None)
    d.give(d.numbers.integers(0, s.words, (s.texts, prompt_length)).astype(I32))
    times = d.op == "WhisperBeamSearch" and d.chance(0.5)
    if times or d.chance(0.2):
        number(d, int(times))
    d.maybe(0.6, early_stopping=d.rng.randint(0, 1))
    d.set(model_type=WHISPER, decoder_start_token_id=d.rng.randrange(s.words))
    if d.op == "WhisperBeamSearch":
        d.inputs += [type(d.inputs[0])(None, False)] * (14 - len(d.inputs))
        number(d, d.pick([0.5, 1.0, 2.0]) if d.chance(0.4) else None, F32)
    if times:
        d.set(beginning_timestamp_token_id=d.rng.randint(2, s.words - 1))
        for name in ("no_timestamps", "translate", "transcribe", "start_of_lm"):
            d.maybe(0.8, **{f"{name}_token_id": d.rng.randrange(s.words)})
    scored(d)
    d.set(encoder=encoder(d, s, WHISPER, True), decoder=decoder(d, s, WHISPER, True))
