"""What the Python clients' checks share: each check prints one line, which hack/clients.sh counts."""

import contextlib
import traceback


@contextlib.contextmanager
def check(name):
    """Prints `ok NAME`, or `fail NAME` with the error, which ends here: the next check runs."""
    try:
        yield
    except Exception as error:  # A check reports whatever its client raises.
        traceback.print_exc()
        message = " ".join(str(error).split())[:200]
        print(f"fail\t{name}\t{type(error).__name__}: {message}", flush=True)
    else:
        print(f"ok\t{name}", flush=True)
