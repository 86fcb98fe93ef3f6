"""python -m inlayrt COMMAND ...: the command-line tool; and `serve MODELS`, which serves the models below a folder."""
from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from typing import Any

from . import _inlayrt

_HELP = """Serves the models below a folder by the Open Inference Protocol, version 2, over REST and gRPC: model.onnx,
NAME/model.onnx, NAME/VERSION/model.onnx. A model-settings.json next to a model, and a settings.json in the folder, are mlserver's;
what is said here comes before settings.json, and after a model's own settings."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m inlayrt", description="Inlay runs ONNX models.")
    serve = parser.add_subparsers(dest="command", required=True).add_parser("serve", description=_HELP, help="serve models over REST and gRPC")
    serve.add_argument("folder", help="with the models")
    serve.add_argument("--host", help="to listen on; 127.0.0.1, this machine alone")
    serve.add_argument("--token-file", metavar="FILE", help="its first line is a token that callers must send")
    serve.add_argument("--http-port", type=int, metavar="PORT", help="8080")
    serve.add_argument("--grpc-port", type=int, metavar="PORT", help="8081")
    serve.add_argument("--metrics-port", type=int, metavar="PORT", help="8082")
    serve.add_argument("--providers", metavar="NAMES", help="of all models, in the order of priority, with commas between")
    serve.add_argument("--threads", type=int, metavar="N", help="of a run on the CPU; 0, the default: one per core")
    serve.add_argument("--max-batch-size", type=int, metavar="N", help="requests that are run as one; 0, the default: none")
    serve.add_argument("--max-batch-time", type=float, metavar="SECONDS", help="how long the first of a batch waits for others")
    return parser


def _arguments(words: list[str] | None) -> tuple[str, dict[str, Any], dict[str, Any], str | None]:
    """The arguments of serving.serve(): folder, server settings, defaults of models' settings, file of the token."""
    options = vars(_parser().parse_args(words))
    server = {name: options[name] for name in ("host", "http_port", "grpc_port", "metrics_port") if options[name] is not None}
    models = {name: options[name] for name in ("max_batch_size", "max_batch_time") if options[name] is not None}
    extra: dict[str, Any] = {}
    if options["providers"] is not None:
        extra["providers"] = options["providers"].split(",")
    if options["threads"] is not None:
        extra["threads"] = options["threads"]
    return options["folder"], server, {**models, "parameters": {"extra": extra}}, options["token_file"]


def _serve(words: list[str]) -> int:
    arguments = _arguments(words)
    try:
        from . import serving
        from ._errors import InvalidArgument
    except ImportError as missing:
        print(f"inlay: {missing}; pip install 'inlayrt[serving]' installs it", file=sys.stderr)
        return 1
    try:
        asyncio.run(serving.serve(*arguments))
    except (serving.ServingError, InvalidArgument) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run_tool(words: list[str]) -> int:
    """Runs the tool, with the signals of a program that is not Python's: Ctrl-C and a closed pipe end it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        status = _inlayrt.run_tool(words)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        return 1
    if status == 0 and words in (["-h"], ["--help"]):
        print("\nOf this package alone: serve MODELS, which serves models over REST and gRPC; serve --help")
    return status


def main(words: list[str] | None = None) -> int:
    """The commands inlay and `python -m inlayrt`; words: the arguments. Returns the exit status."""
    arguments = sys.argv[1:] if words is None else words
    return _serve(arguments) if arguments[:1] == ["serve"] else _run_tool(arguments)


def serve() -> int:
    """The command inlay-serve."""
    return main(["serve", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
