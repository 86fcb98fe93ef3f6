#!/usr/bin/env python3
"""Models on a server of gRPC over TLS, which is gRPC's own library: certificates, tokens, and calls that it refuses.

    grpcs.py DIGITS.onnx PYTHON

PYTHON: that of an environment with mlserver, which has grpc, and the protocol's messages. Needs $INLAY_TOOL and the command openssl.
"""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tls

SERVER = """
import concurrent.futures, pathlib, sys
import grpc
from mlserver.grpc import dataplane_pb2 as messages, dataplane_pb2_grpc as services

class Digits(services.GRPCInferenceServiceServicer):
    def ModelMetadata(self, request, context):
        sent = dict(context.invocation_metadata())
        if sent.get("authorization") != "Bearer t0ken":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "no token")
        if request.name != "digits":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such model: " + request.name + ", 100 %")
        if not 0 < context.time_remaining() <= 30:
            context.abort(grpc.StatusCode.INTERNAL, "another deadline")
        port = messages.ModelMetadataResponse.TensorMetadata
        image, scores = port(name="image", datatype="FP32", shape=[-1, 1, 8, 8]), port(name="scores", datatype="FP32", shape=[-1, 10])
        return messages.ModelMetadataResponse(name="digits", inputs=[image], outputs=[scores])

server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
services.add_GRPCInferenceServiceServicer_to_server(Digits(), server)
for file in sys.argv[1:]:
    pem = pathlib.Path(file).read_bytes()
    at = pem.index(b"-----BEGIN PRIVATE KEY")
    print(server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(pem[at:], pem[:at])])), flush=True)
server.start()
print("ready", flush=True)
sys.stdin.read()
"""


def has_server(python: str) -> bool:
    return os.path.exists(python) and subprocess.run([python, "-c", "import mlserver"], capture_output=True, check=False).returncode == 0


def main() -> int:
    model, python = sys.argv[1:]
    if not os.environ.get("INLAY_TOOL") or not shutil.which("openssl") or not has_server(python):
        print("skipped: needs $INLAY_TOOL, the command openssl, and mlserver, which scripts/setup --provider remote installs")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder, wrong = pathlib.Path(name), 0
        own, other = tls.certificate(folder, "own", "IP:127.0.0.1"), tls.certificate(folder, "other", "DNS:example.org")
        server = subprocess.Popen([python, "-c", SERVER, own, other], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdin and server.stdout
        own_port, other_port = int(server.stdout.readline()), int(server.stdout.readline())
        server.stdout.readline()
        for port, options, expected in (
            (own_port, f";ca_file={own}", "taken"),
            (own_port, f";ca_file={own};model_name=other", "refused: the server answers grpc-status 5, NOT_FOUND: no such model: other, 100 %"),
            (own_port, f";ca_file={own};token_variable=HOME", "unauthorised: the server answers grpc-status 16, UNAUTHENTICATED: no token"),
            (own_port, "", "not trusted: "),
            (other_port, f";ca_file={other}", "not trusted: "),
            (other_port, ";verify_certificates=false", "taken"),
        ):
            text = tls.answer(model, port, options, "grpcs")
            wrong += not text.startswith(expected)
            print(f"{options or '(the certificates of the system)'}: {text}")
        server.stdin.close()
        server.wait()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
