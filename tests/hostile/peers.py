#!/usr/bin/env python3
"""What Inlay and ONNX Runtime say of the same hostile files: a table of counts, and the files with which ONNX Runtime does not end well.
INLAY_HOSTILE_FILES=FOLDER hostile_tests, then: peers.py FOLDER [TABLE.md]. Each file gets a process of its own: 10 s of the processor, 3 GB of address space."""
import collections, os, pathlib, resource, select, signal, sys, time
import numpy, onnxruntime

LIMIT_S, LIMIT_BYTES = 10, 3 << 30
TYPES = {"tensor(float)": "f4", "tensor(int64)": "i8", "tensor(bool)": "?", "tensor(double)": "f8", "tensor(int32)": "i4", "tensor(uint8)": "u1", "tensor(float16)": "f2"}


def trial(file):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    stage = "load"
    try:
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        stage, feeds = "feed", {}
        for i in session.get_inputs():
            dims = [d if isinstance(d, int) and d >= 0 else 2 for d in i.shape]
            if numpy.prod([float(d) for d in dims]) > 1 << 22:
                raise ValueError("the trial has no such large input")
            feeds[i.name] = numpy.zeros(dims, TYPES[i.type])
        stage = "run"
        session.run(None, feeds)
        return "ok"
    except BaseException as e:
        return f"error at {stage}: {type(e).__name__}: {' '.join(str(e).split())[:200]}"


def ask(file):
    """The answer, seconds of the processor and megabytes."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.write(into, trial(file).encode())
        os._exit(0)
    os.close(into)
    if not select.select([out], [], [], 30 * LIMIT_S)[0]:
        os.kill(child, signal.SIGKILL)
    answer = os.read(out, 4096).decode(errors="replace")
    os.close(out)
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        answer = "no end within 10 s" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return answer, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def kind(end):
    if end.startswith("killed"):
        return "crash"
    if end.startswith("no end"):
        return "hang"
    if "bad alloc" in end.lower() or "bad_alloc" in end or "MemoryError" in end or "Failed to allocate" in end:
        return "out of memory"
    return "ran" if end == "ok" else "error"


def main():
    rows, counts = [], collections.Counter()
    for index in pathlib.Path(sys.argv[1]).glob("*/answers.tsv"):
        for line in index.read_text(errors="replace").rstrip("\n").split("\n"):  # names of values have every other character
            number, sentence, end, seconds, megabytes, answer = line.split("\t")
            theirs, their_seconds, their_megabytes = ask(index.parent / number / "model.onnx")
            ours = ("crash" if end.startswith("exit") or "Alarm" not in end else "hang") if end != "ended" else "out of memory" if "out_of_memory" in answer else "ran" if "cpu: ok" in answer else "error"
            counts["Inlay", ours] += 1
            counts["ONNX Runtime", kind(theirs)] += 1
            rows.append((sentence, ours, float(seconds), int(megabytes), kind(theirs), theirs, their_seconds, their_megabytes))
            print(f"{sentence}\n    Inlay         {float(seconds):6.2f} s {megabytes:>5} MB  {answer}\n    ONNX Runtime  {their_seconds:6.2f} s {their_megabytes:>5} MB  {theirs}", flush=True)
    kinds = ("error", "ran", "out of memory", "crash", "hang")
    table = ["| | files | " + " | ".join(kinds) + " |", "|---|---:|" + "---:|" * len(kinds)]
    for runtime in ("Inlay", "ONNX Runtime"):
        table.append(f"| {runtime} | {len(rows)} | " + " | ".join(str(counts[runtime, k]) for k in kinds) + " |")
    worst = [f"| {sentence[:100]} | {ours}, {t:.2f} s, {mb} MB | {end}, {their_t:.2f} s, {their_mb} MB |" for sentence, ours, t, mb, end, _, their_t, their_mb in rows if end not in ("error", "ran")]
    text = "\n".join(table) + "\n\n| file | Inlay | ONNX Runtime |\n|---|---|---|\n" + "\n".join(worst) + "\n"
    print(text)
    print(f"Inlay's slowest: {max(r[2] for r in rows):.2f} s; largest: {max(r[3] for r in rows)} MB")
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text)


main()
