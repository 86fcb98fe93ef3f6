#!/usr/bin/env python3
"""Models on a server over TLS: a certificate that is trusted, one that is not, and one of another machine.

    tls.py DIGITS.onnx

Needs $INLAY_TOOL and the command openssl, which makes the certificates; skipped without.
"""
from __future__ import annotations

import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

METADATA = {
    "name": "digits",
    "inputs": [{"name": "image", "datatype": "FP32", "shape": [-1, 1, 8, 8]}],
    "outputs": [{"name": "scores", "datatype": "FP32", "shape": [-1, 10]}],
}


class Handler(http.server.BaseHTTPRequestHandler):
    """Metadata of the digits model, for requests that carry the token."""

    def do_GET(self) -> None:
        good = self.headers.get("Authorization") == "Bearer t0ken"
        body = json.dumps(METADATA if good else {"error": "no token"}).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def certificate(folder: pathlib.Path, name: str, place: str) -> pathlib.Path:
    """A key and a certificate, in one file."""
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={place}"]
    subprocess.run([*words, "-keyout", key, "-out", file], check=True, capture_output=True)
    file.write_text(file.read_text() + key.read_text())
    return file


def serve(file: pathlib.Path) -> int:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def answer(model: str, port: int, options: str, scheme: str = "https") -> str:
    """What the plan says of the model's first node: which provider runs it, or why not."""
    provider = f"azure:endpoint={scheme}://127.0.0.1:{port};model_name=digits;retries=0;token_variable=INLAY_TEST_TOKEN{options}"
    done = subprocess.run([os.environ["INLAY_TOOL"], "plan", "--providers", f"{provider},cpu", "--json", model], capture_output=True, text=True, check=False,
                          env={**os.environ, "INLAY_TEST_TOKEN": "t0ken"})
    if done.returncode:
        return done.stdout + done.stderr
    if "t0ken" in done.stdout + done.stderr:
        return "the plan has the token"
    node = next(n for n in json.loads(done.stdout)["nodes"] if not n["provider"].startswith("("))
    if node["provider"] == "AzureExecutionProvider":
        return "taken"
    return str(next(a["text"] for a in node["answers"] if a["provider"] == "AzureExecutionProvider"))


def main() -> int:
    if not os.environ.get("INLAY_TOOL") or not shutil.which("openssl"):
        print("skipped: needs $INLAY_TOOL and the command openssl")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder, model, wrong = pathlib.Path(name), sys.argv[1], 0
        own, other = certificate(folder, "own", "IP:127.0.0.1"), certificate(folder, "other", "DNS:example.org")
        own_port, other_port = serve(own), serve(other)
        for port, options, expected in (
            (own_port, f";ca_file={own}", "taken"),
            (own_port, "", "not trusted: "),
            (own_port, f";ca_file={other}", "not trusted: "),
            (other_port, f";ca_file={other}", "not trusted: "),
            (other_port, ";verify_certificates=false", "taken"),
            (own_port, ";ca_file=/no/such/file", "not trusted: "),
        ):
            text = answer(model, port, options)
            wrong += not text.startswith(expected)
            print(f"{options or '(the certificates of the system)'}: {text}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
