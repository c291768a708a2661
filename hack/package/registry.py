"""A directory in place of crates.io, of packages that are not published yet and of what they depend on.

registry.py make FOLDER CARGO_LOCK PACKAGES VERSION NAME…
    Fills FOLDER with the packages NAME-VERSION.crate in PACKAGES and with the dependencies that CARGO_LOCK names, from cargo's cache.
registry.py sources CARGO_LOCK
    Fails unless all packages but one come from the registry.
"""

import hashlib
import json
import os
import shutil
import sys
import tarfile
import tomllib
from pathlib import Path

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def locked(path):
    """The packages of a Cargo.lock."""
    return tomllib.loads(Path(path).read_text())["package"]


def unpack(archive, folder, checksum):
    """Unpacks a package into the registry's folder, unless it is there already. Cargo builds it anew if the checksum changes."""
    place = folder / archive.name.removesuffix(".crate")
    mark = place / ".cargo-checksum.json"
    text = json.dumps({"files": {}, "package": checksum})
    if mark.exists() and mark.read_text() == text:
        return place
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    mark.write_text(text)
    return place


def make(folder, lock, packages, version, *names):
    folder, packages = Path(folder), Path(packages)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    folder.mkdir(parents=True, exist_ok=True)
    places = set()
    for name in names:
        archive = packages / f"{name}-{version}.crate"
        places.add(unpack(archive, folder, hashlib.sha256(archive.read_bytes()).hexdigest()))
    for package in locked(lock):
        if package.get("source") != REGISTRY:
            continue
        file = f"{package['name']}-{package['version']}.crate"
        archive = next(home.glob(f"registry/cache/*/{file}"), None)
        if archive is None:
            sys.exit(f"registry.py: cargo's cache lacks {file}")
        places.add(unpack(archive, folder, package["checksum"]))
    # Of former runs.
    for place in folder.iterdir():
        if place not in places:
            shutil.rmtree(place)


def sources(lock):
    other = [package["name"] for package in locked(lock) if package.get("source") != REGISTRY]
    if len(other) != 1:
        sys.exit(f"registry.py: {lock}: not from the registry: {', '.join(other)}")


{"make": make, "sources": sources}[sys.argv[1]](*sys.argv[2:])
