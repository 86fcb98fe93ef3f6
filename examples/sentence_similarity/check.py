#!/usr/bin/env python3
"""Compare the vectors of sentence_similarity with ONNX Runtime's, for the token ids and sentences of tokens.txt.

  check.py PROGRAM minilm.onnx    exit status 77: a package is missing
"""
import pathlib
import subprocess
import sys

try:
    import numpy as np
    import onnxruntime as ort
except ImportError as missing:
    print(f"left out: {missing}; scripts/setup --python installs it")
    sys.exit(77)

TOKENS, SEP = 64, 102
program, model = sys.argv[1:]
lines = (pathlib.Path(__file__).parent / "tokens.txt").read_text("utf-8").split("\n")
reference = [line.split("\t", 1) for line in lines if line and not line.startswith("#")]

printed = subprocess.run([program, "--vectors", *(sentence for _, sentence in reference)], check=True, capture_output=True, text=True)
vectors = np.array([line.split() for line in printed.stdout.splitlines()], np.float64)
assert vectors.shape == (len(reference), 384), vectors.shape
assert printed.stderr.count("only the first 64 of") == 1, printed.stderr  # the longest sentence, cut aloud

session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
worst = 1.0
for (ids, sentence), vector in zip(reference, vectors):
    tokens = np.array(ids.split(), np.int64)
    if len(tokens) > TOKENS:
        tokens = np.append(tokens[:TOKENS - 1], SEP)
    padding = TOKENS - len(tokens)
    feeds = {"input_ids": np.pad(tokens, (0, padding))[None], "attention_mask": np.pad(np.ones_like(tokens), (0, padding))[None]}
    expected = session.run(None, feeds)[0][0].astype(np.float64)
    cosine = vector @ expected / np.linalg.norm(vector) / np.linalg.norm(expected)
    print(f"{cosine:.7f}  {abs(vector - expected).max():.1e}  {sentence[:60]}")
    worst = min(worst, cosine if abs(np.linalg.norm(vector) - 1) < 1e-4 else 0)
print(f"least cosine {worst:.7f}")
sys.exit(0 if worst > 0.9999 else 1)
