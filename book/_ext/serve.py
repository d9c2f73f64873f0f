"""The built pages on loopback, for printing, testing and measuring them."""

import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, *arguments):
        pass


class _Patient(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a browser that leaves is no error
            super().handle_error(request, client_address)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder; gives its address."""
    handler = functools.partial(_Quiet, directory=folder)
    with _Patient(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
