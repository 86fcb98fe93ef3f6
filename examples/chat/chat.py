#!/usr/bin/env python3
"""Talks with a language model: a folder as onnxruntime-genai has it, with genai_config.json, the model and its tokenizer.

  chat.py FOLDER                                     # a conversation: one line of yours, then the model's answer
  chat.py FOLDER --prompt 'Once upon a time' --plain # goes on with a text

Words come as they are made. An answer ends with a token that ends texts, at --most tokens, before a --stop text, or with
Ctrl-C. Later turns run only what is new: the cache keeps the tokens that both turns begin with.

Needs numpy, and of PyPI tokenizers for tokenizer.json or sentencepiece for tokenizer.model; jinja2 for the model's own form
of a conversation.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import inlayrt


def read_json(path: pathlib.Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class Tokenizer:
    """Texts as tokens. `special`: the text stands alone, so that the tokenizer may add the tokens which begin one."""

    encode: Callable[[str, bool], list[int]]
    decode: Callable[[list[int]], str]

    def __init__(self, folder: pathlib.Path) -> None:
        if (folder / "tokenizer.json").exists():
            import tokenizers

            tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            self.encode = lambda text, special: tokenizer.encode(text, add_special_tokens=special).ids
            self.decode = lambda ids: tokenizer.decode(ids, skip_special_tokens=True)
        elif (folder / "tokenizer.model").exists():
            import sentencepiece

            pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
            self.encode = lambda text, special: pieces.encode(text, add_bos=special and pieces.bos_id() >= 0)
            self.decode = pieces.decode
        else:
            raise SystemExit(f"{folder} has neither tokenizer.json nor tokenizer.model")

    def stream(self, ids: Iterator[int]) -> Iterator[str]:
        """The text, piece by piece. A token may be a part of a character, and a word's look may depend on the one before."""
        every: list[int] = []
        begin = end = 0  # every[begin:end] has been returned
        for token in ids:
            every.append(token)
            text = self.decode(every[begin:])
            if text.endswith("\ufffd"):
                continue
            yield text[len(self.decode(every[begin:end])) :]
            begin, end = end, len(every)


class Conversation:
    """The model's input: the texts so far in the form that it was trained with, if the folder has it."""

    def __init__(self, folder: pathlib.Path, plain: bool) -> None:
        self.messages: list[dict[str, str]] = []
        self.config = read_json(folder / "tokenizer_config.json")
        self.template = None
        file = folder / "chat_template.jinja"
        text = file.read_text(encoding="utf-8") if file.exists() else self.config.get("chat_template")
        if isinstance(text, list):  # several, by name
            text = next((t["template"] for t in text if t["name"] == "default"), None)
        if text and not plain:
            import jinja2.sandbox

            def refuse(reason: str) -> None:
                raise SystemExit(f"the model's form of a conversation: {reason}")

            of = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
            of.globals.update(raise_exception=refuse, strftime_now=time.strftime)
            self.template = of.from_string(text)

    def special(self, name: str) -> str:
        token = self.config.get(name) or ""
        return token.get("content", "") if isinstance(token, dict) else token

    def add(self, role: str, text: str) -> None:
        self.messages.append({"role": role, "content": text})

    def text(self) -> str:
        if self.template is None:
            return "".join(m["content"] for m in self.messages)
        return self.template.render(messages=self.messages, add_generation_prompt=True, bos_token=self.special("bos_token"), eos_token=self.special("eos_token"))


class Model:
    def __init__(self, folder: pathlib.Path, threads: int, room: int) -> None:
        config = read_json(folder / "genai_config.json").get("model", {})
        decoder = config.get("decoder", {})
        if "filename" not in decoder:
            raise SystemExit(f"{folder / 'genai_config.json'} names no decoder that is one model")
        options = inlayrt.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = inlayrt.InferenceSession(str(folder / decoder["filename"]), options)
        self.room = min(room, int(config.get("context_length", room)))
        self.cache = self.session.make_cache(self.room)
        ends = config.get("eos_token_id", [])
        self.ends = set(ends if isinstance(ends, list) else [ends])
        self.logits = decoder.get("outputs", {}).get("logits", "logits")
        self.held: list[int] = []  # the tokens whose rows the cache has
        pasts = {past for past, *_ in self.cache.pairs()}
        self.inputs = {i.name: np.int32 if "int32" in i.type else np.int64 for i in self.session.get_inputs() if i.name not in pasts}
        names = {"input_ids", "attention_mask", "position_ids"}
        self.names = {decoder.get("inputs", {}).get(name, name): name for name in names}
        if unknown := self.inputs.keys() - self.names.keys():
            raise SystemExit(f"the model has inputs that this program does not know: {', '.join(sorted(unknown))}")

    def keep_beginning(self, tokens: list[int]) -> None:
        """Drops what the cache holds of other tokens, and at least one, so that there is something to run."""
        same = 0
        while same < min(len(self.held), len(tokens) - 1) and self.held[same] == tokens[same]:
            same += 1
        try:
            self.cache.keep(same)
        except inlayrt.Error:  # a state, from which no row can be removed
            same = 0
            self.cache.keep(0)
        del self.held[same:]

    def run(self, tokens: list[int]) -> np.ndarray:
        """The scores of the next token after these tokens, which come after those in the cache."""
        past, all_ = len(self.held), len(self.held) + len(tokens)
        values = {"input_ids": tokens, "attention_mask": [1] * all_, "position_ids": range(past, all_)}
        feeds = {name: np.array([values[self.names[name]]], dtype=dtype) for name, dtype in self.inputs.items()}
        logits = self.session.run_with_cache([self.logits], feeds, self.cache)[0]
        self.held += tokens
        return logits.reshape(-1, logits.shape[-1])[-1].astype(np.float32)

    def answer(self, tokens: list[int], most: int, choose: Callable[[np.ndarray], int]) -> Iterator[int]:
        self.keep_beginning(tokens)
        next_tokens = tokens[len(self.held) :]
        for _ in range(most):
            if len(self.held) + len(next_tokens) > self.room:
                print(f"\n[the room for {self.room} tokens is full]", file=sys.stderr)
                return
            token = choose(self.run(next_tokens))
            if token in self.ends:
                return
            yield token
            next_tokens = [token]


def chooser(search: dict[str, Any], args: argparse.Namespace) -> Callable[[np.ndarray], int]:
    """The best token; or a random one of the best --top-k which together have at least a share of --top-p."""
    temperature = args.temperature if args.temperature is not None else float(search.get("temperature", 1)) if search.get("do_sample") else 0
    top_k = args.top_k if args.top_k is not None else int(search.get("top_k", 0))
    top_p = args.top_p if args.top_p is not None else float(search.get("top_p", 1))
    random = np.random.default_rng(args.seed)

    def choose(scores: np.ndarray) -> int:
        if temperature <= 0:
            return int(scores.argmax())
        best = np.argsort(-scores, kind="stable")[: top_k if top_k > 0 else None]
        shares = np.exp((scores[best].astype(np.float64) - scores[best[0]]) / temperature)
        shares /= shares.sum()
        count = int(np.searchsorted(shares.cumsum(), min(top_p, 1 - 1e-9))) + 1
        return int(random.choice(best[:count], p=shares[:count] / shares[:count].sum()))

    return choose


def until(pieces: Iterator[str], stops: list[str]) -> Iterator[str]:
    """The pieces before the first of the texts in `stops`. What may be the beginning of one waits for what follows."""
    text = ""
    for piece in pieces:
        text += piece
        places = [at for at in (text.find(stop) for stop in stops) if at >= 0]
        if places:
            yield text[: min(places)]
            return
        wait = max((n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])), default=0)
        yield text[: len(text) - wait]
        text = text[len(text) - wait :]
    yield text


def turns(args: argparse.Namespace) -> Iterator[str]:
    if args.prompt is not None:
        yield args.prompt
        return
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--prompt", help="one turn instead of lines of standard input")
    parser.add_argument("--system", help="what the conversation begins with")
    parser.add_argument("--plain", action="store_true", help="the texts as they are, without the model's form of a conversation")
    parser.add_argument("--most", type=int, default=512, help="tokens of an answer")
    parser.add_argument("--stop", action="append", default=[], help="a text before which an answer ends; may come several times")
    parser.add_argument("--room", type=int, default=4096, help="tokens of the whole conversation")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--temperature", type=float, help="0: the best token always; as genai_config.json has it, as the next two")
    parser.add_argument("--top-k", type=int)
    parser.add_argument("--top-p", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--times", action="store_true", help="shows tokens per second after each answer")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    tokenizer = Tokenizer(args.folder)
    talk = Conversation(args.folder, args.plain)
    model = Model(args.folder, args.threads, args.room)
    choose = chooser(read_json(args.folder / "genai_config.json").get("search", {}), args)
    if args.system is not None:
        talk.add("system", args.system)
    for line in turns(args):
        talk.add("user", line)
        tokens = tokenizer.encode(talk.text(), talk.template is None)
        if not tokens:
            continue
        said, begun, token_count = "", time.perf_counter(), 0
        try:
            for piece in until(tokenizer.stream(model.answer(tokens, args.most, choose)), args.stop):
                said += piece
                token_count += 1
                print(piece, end="", flush=True)
        except KeyboardInterrupt:
            pass
        print(flush=True)
        talk.add("assistant", said)
        if args.times:
            print(f"[{token_count / (time.perf_counter() - begun):.1f} pieces per second, prompt included]", file=sys.stderr)


if __name__ == "__main__":
    main()
