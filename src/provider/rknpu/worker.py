"""rknn-toolkit2 in a process of its own: compiles models, and runs them in the simulator of the chip.

It is started with a folder for its files, and talks over standard input, a socket. First it says what is wrong, or
nothing, and the toolkit's version. Then each byte that it gets makes a process for one model, whose socket it sends
back: the toolkit may end its process for a model that it does not like, and others shall not notice. A field is its
length, in eight bytes, and its bytes. The process of a model gets the chip's name, whether it will simulate (`1` or
`0`) and the model as ONNX; it answers with what is wrong, or nothing, and the compiled model. To simulate, it gets each
input's elements, and answers with what is wrong, or nothing, and each output's.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import socket
import struct
import sys
import types


class Absent(types.ModuleType):
    """A module of which only the names are needed."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *a, **k: None, "__call__": lambda self, function: function})


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """torch, which the toolkit imports and needs for PyTorch's models alone."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


class Link:
    """One end of a socket, and fields over it."""

    def __init__(self, end):
        self.end = end

    def receive(self):
        size = struct.unpack("<Q", self.bytes(8))[0]
        return self.bytes(size)

    def bytes(self, size):
        parts = bytearray(size)
        view = memoryview(parts)
        while view:
            count = self.end.recv_into(view)
            if count == 0:
                os._exit(0)  # there are no more requests
            view = view[count:]
        return bytes(parts)

    def send(self, *fields):
        for field in fields:
            self.end.sendall(struct.pack("<Q", len(field)))
            self.end.sendall(field)


def last_words(log, e):
    """What the toolkit said of an error, without its colours; or the last line of the exception."""
    import re
    text = re.sub(r"\x1b\[[0-9;]*m", "", open(log, errors="replace").read())
    noise = ("Traceback", "version:", "Unkown op target")
    errors = [line[2:].strip() for line in re.split(r"[\r\n]+", text) if line.startswith("E ")]
    lines = [re.sub(r"^RKNN: \[[0-9:.]+\] ", "", line) for line in errors if not any(n in line for n in noise)]
    return (" ".join(dict.fromkeys(lines)) or str(e).strip().rpartition("\n")[2] or "it gives no reason").encode()


def compiled(rknn, chip, model, folder):
    """Of a model in ONNX, its arguments and the compiled bytes. Throws ValueError."""
    import onnx
    latest_opset = 19  # what is not of a later meaning is called so: the operators that come here have none
    proto = onnx.load_model_from_string(model)
    for imported in proto.opset_import:
        if imported.domain in ("", "ai.onnx"):
            imported.version = min(imported.version, latest_opset)
    for node in proto.graph.node:
        if node.op_type == "LayerNormalization":  # the toolkit fails where it does not find these
            there = {a.name for a in node.attribute}
            for name, value in (("axis", -1), ("epsilon", 1e-5)):
                if name not in there:
                    node.attribute.append(onnx.helper.make_attribute(name, value))
    proto.ir_version = min(proto.ir_version, 10)
    file = os.path.join(folder, "model.onnx")
    onnx.save(proto, file)
    rknn.config(target_platform=chip)
    if rknn.load_onnx(model=file) != 0 or rknn.build(do_quantization=False) != 0:
        raise ValueError("")
    file = os.path.join(folder, "model.rknn")
    if rknn.export_rknn(file) != 0:
        raise ValueError("")
    shapes = [[d.dim_value for d in i.type.tensor_type.shape.dim] for i in proto.graph.input]
    return shapes, open(file, "rb").read()


def serve(link, folder):
    """The process of one model."""
    import numpy
    from rknn.api import RKNN
    chip, simulates, model = link.receive().decode(), link.receive() == b"1", link.receive()
    os.mkdir(folder)
    os.chdir(folder)
    log = os.path.join(folder, "log")
    words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(words, 1)
    os.dup2(words, 2)
    try:
        rknn = RKNN()
        shapes, made = compiled(rknn, chip, model, folder)
        if simulates and rknn.init_runtime() != 0:
            raise ValueError("")
    except BaseException as e:
        link.send(last_words(log, e), b"")
        os._exit(0)
    link.send(b"", made)
    while simulates:
        inputs = [numpy.frombuffer(link.receive(), numpy.float32).reshape(s) for s in shapes]
        os.truncate(log, 0)
        try:
            outputs = rknn.inference(inputs=inputs, data_format=["nchw"] * len(inputs))
            if outputs is None:
                raise ValueError("")
        except BaseException as e:
            link.send(last_words(log, e))
            continue
        link.send(b"", *(numpy.ascontiguousarray(y, numpy.float32).tobytes() for y in outputs))
    link.receive()  # waits for the end


def main():
    folder = sys.argv[1]
    own = Link(socket.socket(fileno=os.dup(0)))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    os.chdir(folder)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if importlib.util.find_spec("torch") is None:
        sys.meta_path.append(AbsentModules())
    try:
        import rknn.api  # noqa: F401
        from importlib.metadata import version
        own.send(b"", version("rknn-toolkit2").encode())
    except BaseException as e:
        own.send(f"{type(e).__name__}: {e}".encode(), b"")
        return
    count = 0
    while own.end.recv(1):
        ours, theirs = socket.socketpair()
        count += 1
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            own.end.close()
            theirs.close()
            serve(Link(ours), os.path.join(folder, str(count)))
        ours.close()
        socket.send_fds(own.end, [b"s"], [theirs.fileno()])
        theirs.close()


main()
