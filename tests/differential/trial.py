"""A worker: makes the case that it is given, runs it everywhere, and says what differs. Each line on standard input
is a number; each answer is a line of JSON. A line that begins with '#' says what is tried next."""
from __future__ import annotations

import itertools
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fuzz"))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

from case import case  # noqa: E402
from compare import difference  # noqa: E402
from draw import NUMPY_KNOWS, Draw, Port, tensor_of  # noqa: E402
from peers import Formula, OnnxRuntime, Reference, model_of, short  # noqa: E402
from process import Died, LineProcess  # noqa: E402

SECONDS = 30
LEVELS = ("best", "best", "best", "sse2", "avx2", "avx512")


def proto_of(value, name: str) -> onnx.SequenceProto | onnx.MapProto | onnx.TensorProto:
    if isinstance(value, list):
        return onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.TENSOR, tensor_values=[tensor_of(v, "") for v in value])
    return map_of(value, name) if isinstance(value, dict) else tensor_of(value, name)


def write_input(file: pathlib.Path, p: Port, name: str) -> None:
    if not p.optional:
        proto = proto_of(p.value, name)
    elif p.value is None:
        proto = onnx.OptionalProto(name=name)
    else:
        elem = onnx.OptionalProto.SEQUENCE if p.type_proto.optional_type.elem_type.HasField("sequence_type") else onnx.OptionalProto.TENSOR
        proto = helper.make_optional(name, elem, proto_of(p.value, ""))
    file.write_bytes(proto.SerializeToString())


def map_of(value: dict, name: str) -> onnx.MapProto:
    keys, values = list(value), list(value.values())
    proto = onnx.MapProto(name=name)
    if isinstance(keys[0], str):
        proto.key_type = onnx.TensorProto.STRING
        proto.string_keys.extend(k.encode() for k in keys)
    else:
        proto.key_type = onnx.TensorProto.INT64
        proto.keys.extend(keys)
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    for v in values:
        proto.values.tensor_values.append(tensor_of(np.array(v, object if isinstance(v, str) else None), ""))
    return proto


def dict_of(m: onnx.MapProto) -> dict:
    keys = [k.decode() for k in m.string_keys] or list(m.keys)
    return dict(zip(keys, (numpy_helper.to_array(t).item() for t in m.values.tensor_values)))


def read_output(file: pathlib.Path):
    kind, data = file.name.split(".")[1], file.read_bytes()
    if kind == "tensor":
        return numpy_helper.to_array(onnx.TensorProto.FromString(data))
    if kind == "map":
        return dict_of(onnx.MapProto.FromString(data))
    if kind == "sequence":
        proto = onnx.SequenceProto.FromString(data)
        return [dict_of(m) for m in proto.map_values] or numpy_helper.to_list(proto)
    return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))


class Trial:
    def __init__(self, runner: str, folder: pathlib.Path) -> None:
        self.runner, self.folder = LineProcess([runner]), folder
        self.peers = [OnnxRuntime(), Reference(), Formula()]

    def ours(self, d: Draw, model: onnx.ModelProto) -> dict[str, object]:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / "model.onnx").write_bytes(model.SerializeToString())
        for k, port in enumerate(model.graph.input):
            write_input(self.folder / f"input_{k}.pb", d.ports()[port.name], port.name)
        try:
            answer = self.runner.ask(f"{self.folder} {d.pick([1, 2])} {d.pick(LEVELS)}", SECONDS)
        except Died as e:
            return {"cpu": f"died: {e}", "reference": f"died: {e}"}
        results: dict[str, object] = {}
        for name in ("cpu", "reference"):
            files = sorted(self.folder.glob(f"{name}_*.pb"), key=lambda f: int(f.name.split("_")[1].split(".")[0]))
            results[name] = answer[name] or [read_output(f) for f in files]
        return results

    def theirs(self, d: Draw, model: onnx.ModelProto) -> dict[str, object]:
        results: dict[str, object] = {}
        for peer in self.peers:
            print(f"# {peer.name}", flush=True)
            try:
                results[peer.name] = peer.run(d, model)
            except Exception as e:  # they have dozens of types of errors
                if peer.name == "formula" and not isinstance(e, NotImplementedError):
                    raise  # a fault of ours
                results[peer.name] = short(e)
        return results

    def findings(self, d: Draw, ours: dict[str, object], theirs: dict[str, object]) -> list[dict[str, str]]:
        ran = {name: r for name, r in theirs.items() if not isinstance(r, str)}
        entries = []
        for name, result in ours.items():
            if isinstance(result, str):
                if result.startswith(("died", "exception")):
                    entries.append({"who": name, "kind": "died", "text": result})
                elif ran:
                    agree = len(ran) > 1 and not disagreement(ran, d)
                    result = result.replace(str(self.folder) + "/", "")
                    entries.append({"who": name, "kind": "refused" if agree else "refused, of one peer", "text": f"{result} [{', '.join(ran)}]"})
                continue
            texts = {peer: outputs_difference(result, r, d, peer) for peer, r in ran.items()}
            wrong = {p: t for p, t in texts.items() if t}
            if not wrong:
                continue
            if len(texts) == 1:
                kind = "differs from the only peer"
            elif len(wrong) == 1:
                kind = f"only {next(iter(wrong))} differs"
            else:  # of three peers another one may agree
                kind = "three ways" if disagreement(ran, d) else "wrong"
            entries.append({"who": name, "kind": kind, "text": "; ".join(f"{p}: {t}" for p, t in wrong.items())})
        if len(entries) == 2 and entries[0]["kind"] == entries[1]["kind"]:
            entries = [{**entries[0], "who": "both"}]
        if not ran and not any(isinstance(r, str) for r in ours.values()):
            text = outputs_difference(ours["cpu"], ours["reference"], d, "")
            if text:
                entries.append({"who": "cpu", "kind": "differs from the reference kernel, no peer", "text": text})
        return entries

    def answer(self, d: Draw) -> dict[str, object]:
        model = model_of(d)
        theirs = self.theirs(d, model)
        print("# inlay", flush=True)
        ours = self.ours(d, model)
        return {"operator": f"{d.domain}:{d.op}" if d.domain else d.op, "case": d.say(), "findings": self.findings(d, ours, theirs),
                "ran": [name for name, r in (theirs | ours).items() if not isinstance(r, str)],
                "refusals": {name: r for name, r in (theirs | ours).items() if isinstance(r, str)}}


def disagreement(ran: dict[str, list], d: Draw) -> bool:
    return any(outputs_difference(a, b, d, "") for a, b in itertools.combinations(ran.values(), 2))


def outputs_difference(results: list, r: list, d: Draw, peer: str) -> str:
    r = [x for x, on in zip(r, d.outputs) if on] if len(r) > len(results) else r
    if len(results) != len(r):
        return f"{len(results)} outputs, not {len(r)}"
    for k, (a, b) in enumerate(zip(results, r)):
        if peer == "onnxruntime" and isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype in NUMPY_KNOWS and a.dtype.kind not in "OUS":
            if a.dtype != b.dtype:
                return f"output {k}: type {a.dtype}, not {b.dtype}"
        if text := difference(a, b, d):
            return f"output {k}: {text}"
    return ""


def main() -> None:
    runner, seed, only = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",") if len(sys.argv) > 3 and sys.argv[3] else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="differential-"))
    trial = Trial(runner, folder / "case")
    try:
        for line in sys.stdin:
            print("# making the case", flush=True)
            d = case(seed, int(line), only)
            print(json.dumps(trial.answer(d)), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
