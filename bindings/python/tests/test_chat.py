"""examples/chat, with generated folders: random weights, and a tokenizer of a few hundred pieces."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import inlayrt

ROOT = pathlib.Path(__file__).parents[3]
WORDS = "the river runs past an old mill where none grind corn any more; käse, naïve, 東京, ελλάδα " * 3
WIDTH, HEADS, SIZE = 32, 2, 16
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"


def decoder(tokens: int) -> bytes:
    """Attention of one group of keys, after which each token's own row goes on: x + attention, then the scores."""
    random = np.random.default_rng(3)
    weights = {
        "table": random.standard_normal((tokens, WIDTH)),
        "in": random.standard_normal((WIDTH, (HEADS + 2) * SIZE)) * 0.5,
        "out": random.standard_normal((HEADS * SIZE, WIDTH)),
        "head": random.standard_normal((WIDTH, tokens)),
    }
    tensors = [numpy_helper.from_array(w.astype(np.float32), name) for name, w in weights.items()]
    tensors += [numpy_helper.from_array(np.array(value, dtype), name) for name, value, dtype in (("one", 1, np.int64), ("axis", [1], np.int64))]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["x"]),
        helper.make_node("MatMul", ["x", "in"], ["qkv"]),
        helper.make_node("ReduceSum", ["attention_mask", "axis"], ["sum"], keepdims=0),
        helper.make_node("Sub", ["sum", "one"], ["last"]),
        helper.make_node("Cast", ["last"], ["seqlens"], to=TensorProto.INT32),
        helper.make_node("Shape", ["attention_mask"], ["mask_shape"]),
        helper.make_node("Gather", ["mask_shape", "one"], ["all"]),
        helper.make_node("Cast", ["all"], ["total"], to=TensorProto.INT32),
        helper.make_node(
            "GroupQueryAttention", ["qkv", "", "", "past_key_values.0.key", "past_key_values.0.value", "seqlens", "total"], ["y", "present.0.key", "present.0.value"],
            domain="com.microsoft", num_heads=HEADS, kv_num_heads=1,
        ),
        helper.make_node("MatMul", ["y", "out"], ["z"]),
        helper.make_node("Add", ["x", "z"], ["sums"]),
        helper.make_node("MatMul", ["sums", "head"], ["logits"]),
    ]
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", length]) for name, length in (("input_ids", "new"), ("attention_mask", "total"))]
    rows = [
        [helper.make_tensor_value_info(f"{name}.0.{part}", TensorProto.FLOAT, ["batch", 1, length, SIZE]) for part in ("key", "value")]
        for name, length in (("past_key_values", "past"), ("present", "total"))
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "new", tokens])
    graph = helper.make_graph(nodes, "decoder", ids + rows[0], [logits] + rows[1], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)], ir_version=9).SerializeToString()


class Folder:
    """The files that onnxruntime-genai would read, and the model's next tokens, computed without a cache."""

    def __init__(self, path: pathlib.Path, tokens: int, encode: Callable[[str, bool], list[int]], decode: Callable[[list[int]], str]) -> None:
        self.path, self.encode, self.decode = path, encode, decode
        model = decoder(tokens)
        (path / "decoder.onnx").write_bytes(model)
        self.session = inlayrt.InferenceSession(model)
        self.config([])

    def config(self, ends: list[int]) -> None:
        inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_key_names": "past_key_values.%d.key", "past_value_names": "past_key_values.%d.value"}
        model = {"context_length": 256, "eos_token_id": ends, "decoder": {"filename": "decoder.onnx", "inputs": inputs, "outputs": {"logits": "logits"}}}
        (self.path / "genai_config.json").write_text(json.dumps({"model": model, "search": {"do_sample": False}}))

    def following(self, tokens: list[int], count: int) -> list[int]:
        every = list(tokens)
        empty = np.zeros((1, 1, 0, SIZE), np.float32)
        for _ in range(count):
            ids = np.array([every], np.int64)
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "past_key_values.0.key": empty, "past_key_values.0.value": empty}
            every.append(int(self.session.run(["logits"], feeds)[0][0, -1].argmax()))
        return every[len(tokens) :]

    def says(self, *words: str, lines: str = "") -> str:
        path = os.pathsep.join([str(pathlib.Path(inlayrt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        program = [sys.executable, str(ROOT / "examples" / "chat" / "chat.py"), str(self.path), *words]
        process = subprocess.run(program, input=lines.encode(), capture_output=True, check=False, timeout=120, env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"})
        assert process.returncode == 0, process.stderr.decode()[-4000:]
        return process.stdout.decode()


@pytest.fixture(params=["tokenizer.json", "tokenizer.model"])
def folder(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Folder:
    if request.param == "tokenizer.json":
        tokenizers = pytest.importorskip("tokenizers", reason="not installed: pip install tokenizers")
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
        tokenizer.train_from_iterator(
            [WORDS], tokenizers.trainers.BpeTrainer(vocab_size=320, special_tokens=["<|user|>", "<|assistant|>"], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
        )
        tokenizer.save(str(tmp_path / request.param))
        return Folder(tmp_path, tokenizer.get_vocab_size(), lambda text, special: tokenizer.encode(text, add_special_tokens=special).ids, tokenizer.decode)
    pieces = pytest.importorskip("sentencepiece", reason="not installed: pip install sentencepiece")
    prefix = str(tmp_path / "tokenizer")
    pieces.SentencePieceTrainer.train(sentence_iterator=iter([WORDS] * 20), model_prefix=prefix, vocab_size=320, byte_fallback=True, model_type="bpe", minloglevel=2)
    tokenizer = pieces.SentencePieceProcessor(model_file=prefix + ".model")
    return Folder(tmp_path, tokenizer.get_piece_size(), lambda text, special: tokenizer.encode(text, add_bos=special), tokenizer.decode)


def whole(text: str) -> str:
    """A text that breaks off within a character is returned up to it."""
    return text.rstrip("\ufffd")


def test_the_text_goes_on_as_it_does_without_a_cache(folder: Folder) -> None:
    for prompt in ("the river", "none grind"):
        expected = folder.decode(folder.following(folder.encode(prompt, True), 24))
        assert folder.says("--prompt", prompt, "--most", "24") == whole(expected) + "\n"


def test_an_answer_ends_at_a_token_that_ends_texts_and_before_a_text_to_stop_at(folder: Folder) -> None:
    tokens = folder.following(folder.encode("the river", True), 24)
    text = whole(folder.decode(tokens))
    stop = text[len(text) // 2 :][:3]
    assert folder.says("--prompt", "the river", "--most", "24", "--stop", "nowhere", "--stop", stop) == text[: text.index(stop)] + "\n"
    end = tokens[12]
    folder.config([end])
    expected = folder.decode(tokens[: tokens.index(end)])
    assert folder.says("--prompt", "the river", "--most", "24") == whole(expected) + "\n"


def test_a_conversation_has_the_form_that_the_folder_tells_and_keeps_what_both_turns_begin_with(folder: Folder) -> None:
    pytest.importorskip("jinja2", reason="not installed: pip install jinja2")
    (folder.path / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    form = "<|user|>the river<|assistant|>"
    first = whole(folder.decode(folder.following(folder.encode(form, False), 9)))
    form += f"{first}<|user|>an old mill<|assistant|>"
    second = whole(folder.decode(folder.following(folder.encode(form, False), 9)))
    assert folder.says("--most", "9", lines="the river\nan old mill\n") == f"{first}\n{second}\n"


def test_tokens_by_chance_are_those_of_the_seed(folder: Folder) -> None:
    words = ("--prompt", "the river", "--most", "16", "--temperature", "1.5", "--top-k", "50", "--top-p", "0.95", "--seed")
    assert folder.says(*words, "1") == folder.says(*words, "1") != folder.says(*words, "2")
