"""Serve the built pages on the loopback address and open a browser, for printing, testing and measuring."""

import functools
import http.server
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, *arguments):
        pass


class _Patient(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a browser that disconnects is not an error
            super().handle_error(request, client_address)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield its address."""
    handler = functools.partial(_Quiet, directory=folder)
    with _Patient(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def browsing(*arguments: str, **options) -> Iterator[Browser]:
    """Start the Chromium installed on this machine; FileNotFoundError if there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise FileNotFoundError("no browser found: install Chromium (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", *arguments], **options
        )
        yield browser
        browser.close()
