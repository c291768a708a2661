"""Shared by the checks of the Python clients: each check prints one line, which hack/clients.sh counts."""

import contextlib
import traceback


@contextlib.contextmanager
def check(name):
    """Runs a check and prints `ok NAME`, or `fail NAME` with the error, which is not raised further."""
    try:
        yield
    except Exception as error:  # A client may raise any exception.
        traceback.print_exc()
        message = " ".join(str(error).split())[:200]
        print(f"fail\t{name}\t{type(error).__name__}: {message}", flush=True)
    else:
        print(f"ok\t{name}", flush=True)
