#!/usr/bin/env python3
"""The built site in a browser, at the width of a desktop and of a phone: every link of the navigation opens, nothing is written to the
console, nothing comes from another host, no page is wider than the screen or shows raw Markdown, the search finds, and dark mode is dark.

  site.py SOURCE    # builds by scripts/docs; exits with 77, saying why, where the programs are missing

Pictures of pages go to $INLAY_SCREENSHOTS, if that is set.
"""
from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time

WIDTHS = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
PICTURES = ["index.html", "start/cpp.html", "start/from-onnxruntime.html", "how-to/index.html", "how-to/fallback.html", "reference/providers/index.html",
            "reference/operators/index.html", "reference/operators/element-wise.html", "reference/errors.html", "reference/python-api.html", "explanation/performance.html", "glossary.html"]
HEADERS = "reference/cpp/html/index.html"
RAW_MARKDOWN = r"""(() => {
    const prose = document.querySelector('article, .contents').cloneNode(true);
    prose.querySelectorAll('pre, code').forEach(code => code.remove());
    return (prose.textContent.match(/\|---.*|\*\*\w.*|\]\(\S.*/) || [''])[0];
})()"""


class browser:
    """Chromium, which is spoken to by its protocol over a pair of pipes."""

    def __init__(self, program: str, profile: str) -> None:
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()

        def pipes() -> None:
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}",
                 "--no-first-run", "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        self.process = subprocess.Popen(words, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.rest, self.events = 0, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    session: str | None = None

    def read(self, seconds: float) -> dict | None:
        deadline = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            self.rest += os.read(self.answers, 1 << 20)
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method: str, **parameters) -> dict:
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            message = self.read(60)
            if message is None:
                raise SystemExit(f"the browser does not answer {method}")
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, event: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not any(e.get("method") == event for e in self.events):
            message = self.read(deadline - time.monotonic())
            if message is None:
                raise SystemExit(f"the browser does not say {event}")
            self.events.append(message)

    def open(self, url: str) -> None:
        self.events.clear()
        self.ask("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def value(self, expression: str):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until(self, expression: str, seconds: float = 10) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.value(expression):
                return True
            time.sleep(0.05)
        return False

    def picture(self, file: pathlib.Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def complaints(events: list[dict], host: str) -> list[str]:
    """What the page wrote to the console, what it could not load, and what it wanted from others."""
    texts = []
    for event in events:
        method, p = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            texts.append(f"exception: {p['exceptionDetails'].get('text')} {p['exceptionDetails'].get('exception', {}).get('description', '')}")
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            texts.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            texts.append(f"log: {p['entry']['text']} {p['entry'].get('url', '')}")
        elif method == "Network.responseReceived" and p["response"]["status"] >= 400:
            texts.append(f"{p['response']['status']}: {p['response']['url']}")
        elif method == "Network.requestWillBeSent" and not p["request"]["url"].startswith((host, "data:", "blob:")):
            texts.append(f"requests another host: {p['request']['url']}")
    return texts


def skip(reason: str) -> None:
    print(f"skipped: {reason}; scripts/setup --docs installs it")
    raise SystemExit(77)


class quiet_handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words) -> None:
        pass

    def copyfile(self, source, outputfile) -> None:
        try:
            super().copyfile(source, outputfile)
        except ConnectionError:  # the browser went on to the next page
            pass


def check_pages(page: browser, host: str, kind: str, width: int) -> list[str]:
    page.open(host + "index.html")
    links = page.value("[...new Set([...document.querySelectorAll('.md-nav--primary a[href], .md-tabs a[href]')].map(a => a.href.split('#')[0]))]")
    links = [link for link in links if link.startswith(host)]
    wrong = [] if len(links) > 60 else [f"{kind}: the navigation has {len(links)} links"]
    for link in [*links, host + HEADERS]:
        page.open(link)
        name = link.removeprefix(host)
        text = page.value("document.querySelector('article, .contents').innerText.length")
        wrong += [f"{kind}: {name}: {complaint}" for complaint in complaints(page.events, host)]
        if text < 150:
            wrong.append(f"{kind}: {name} has {text} characters of text")
        raw = page.value(RAW_MARKDOWN)
        if raw and name != HEADERS:
            wrong.append(f"{kind}: {name} shows raw Markdown: {raw[:60]}")
        wide = page.value("document.documentElement.scrollWidth")
        if wide > width and name != HEADERS:
            wrong.append(f"{kind}: {name} is {wide} pixels wide")
        if name in PICTURES and os.environ.get("INLAY_SCREENSHOTS"):
            page.picture(pathlib.Path(os.environ["INLAY_SCREENSHOTS"]) / f"{kind}-{name.replace('/', '-')}.png")
    print(f"{kind}: {len(links)} links of the navigation")
    return wrong


def check_search(page: browser, host: str, kind: str) -> list[str]:
    page.open(host + "index.html")
    page.value("document.querySelector('#__search').click()")
    page.value("(() => { const box = document.querySelector('.md-search__input'); box.focus(); box.value = 'fallback'; box.dispatchEvent(new Event('input', {bubbles: true}));"
               " box.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true})); })()")
    has_results = page.wait_until("document.querySelectorAll('.md-search-result__item').length > 0")
    if os.environ.get("INLAY_SCREENSHOTS"):
        page.picture(pathlib.Path(os.environ["INLAY_SCREENSHOTS"]) / f"{kind}-search.png")
    return [f"{kind}: the search finds nothing"] * (not has_results) + [f"{kind}: search: {complaint}" for complaint in complaints(page.events, host)]


def check_dark(page: browser, host: str, kind: str) -> list[str]:
    page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.open(host + "how-to/fallback.html")
    dark = page.wait_until("document.body.getAttribute('data-md-color-scheme') == 'slate'")
    if os.environ.get("INLAY_SCREENSHOTS"):
        page.picture(pathlib.Path(os.environ["INLAY_SCREENSHOTS"]) / f"{kind}-dark.png")
    page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    return [] if dark else [f"{kind}: where the system is dark the page is not"]


def main() -> None:
    source = pathlib.Path(sys.argv[1])
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        skip("chromium is missing")
    built = subprocess.run([source / "scripts/docs"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(built.stdout, end="")
    if built.returncode == 77:
        skip("mkdocs-material, mkdocstrings or doxygen is missing")
    if built.returncode:
        raise SystemExit("the site cannot be built")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet_handler, directory=source / "build/site"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"http://127.0.0.1:{server.server_port}/"
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = browser(program, profile)
        try:
            for kind, (width, height, mobile) in WIDTHS.items():
                page.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
                wrong += check_pages(page, host, kind, width) + check_search(page, host, kind) + check_dark(page, host, kind)
        finally:
            page.close()
    print(*wrong, sep="\n")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
