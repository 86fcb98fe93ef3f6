"""digits.py LIBRARY MODEL: the digits model by ctypes, with Python's standard library alone."""
from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_void_p

library = ctypes.CDLL(sys.argv[1])


def function(name: str, *arguments, result=c_void_p):
    """A function of the library; one that gives a failure raises it."""
    f = getattr(library, name)
    f.argtypes, f.restype = arguments, result
    return f


name_of = function("inlay_failure_name", c_void_p, result=c_char_p)
text_of = function("inlay_failure_text", c_void_p, result=c_char_p)
free_failure = function("inlay_failure_free", c_void_p, result=None)


class Failure(Exception):
    """A failure; `name` is that of its code."""

    def __init__(self, handle: int) -> None:
        self.name = name_of(handle).decode()
        super().__init__(text_of(handle).decode())
        free_failure(handle)


def call(name: str, *arguments) -> None:
    """Calls a function that can fail."""
    if handle := function(name)(*arguments):
        raise Failure(handle)


def made(name: str, *arguments) -> c_void_p:
    """The handle that a function makes; it is the last argument."""
    handle = c_void_p()
    call(name, *arguments, byref(handle))
    return handle


def main() -> None:
    assert function("inlay_api_version", result=c_int32)() >= 1
    try:
        made("inlay_model_load", b"/no/such/model.onnx", None)
        raise AssertionError("a file that there is not was loaded")
    except Failure as failure:
        assert failure.name == "not_found" and "/no/such/model.onnx" in str(failure), failure
    stages = []
    progress = ctypes.CFUNCTYPE(c_int32, c_void_p, c_int32, c_int64, c_int64)(lambda _, stage, position, total: stages.append(stage) or 1)
    options = made("inlay_model_options_new")
    call("inlay_options_set_progress", options, progress, None)
    model = made("inlay_model_load", sys.argv[2].encode(), options)
    assert set(stages) == {0, 1}, stages
    session = made("inlay_session_new", model, None, None)

    image = (c_float * 64)()
    for row in range(1, 7):
        image[row * 8 + 4] = 1
    tensor = made("inlay_value_borrow", c_int32(1), (c_int64 * 4)(1, 1, 8, 8), c_int32(4), image, c_int64(ctypes.sizeof(image)), None)
    outputs = (c_void_p * 1)()
    call("inlay_session_run", session, (c_char_p * 1)(b"image"), (c_void_p * 1)(tensor), c_int64(1), (c_char_p * 1)(b"scores"), outputs, c_int64(1), None, None)
    count = function("inlay_value_count", c_void_p, result=c_int64)(outputs[0])
    data = ctypes.cast(function("inlay_value_data", c_void_p)(outputs[0]), POINTER(c_float))
    for digit in range(count):
        print(f"{digit}: {data[digit]:.6e}")
    for kind, handle in (("value", outputs[0]), ("value", tensor), ("session", session), ("model", model), ("options", options)):
        function(f"inlay_{kind}_free", c_void_p, result=None)(handle)


main()
