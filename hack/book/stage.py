"""Copies the pages that docs/SUMMARY.md lists into one folder, for mdBook: stage.py ROOT TARGET

Pages from outside of `docs` get a place in it, links follow them, and links to anything else in the repository become those of the hosted
repository. The transcripts of `--help` follow the command's page.
"""

import posixpath
import re
import shutil
import sys
import tomllib
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")


def main():
    root, target = Path(sys.argv[1]), Path(sys.argv[2])
    repository = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
    summary = (root / "docs/SUMMARY.md").read_text()
    pages = {posixpath.normpath(posixpath.join("docs", link)) for link in LINK.findall(summary)}

    def place(page):
        """Where a page is in the book."""
        return page.removeprefix("docs/") if page.startswith("docs/") else page.replace("/", "-").lower()

    def follow(page):
        def link(match):
            path, mark, anchor = match[1].partition("#")
            if "://" in path or not path:
                return match[0]
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            if not (root / file).exists():
                sys.exit(f"{page}: {path} does not exist")
            if file in pages:
                file = place(file)
            elif file.startswith("docs/pictures/"):
                file = file.removeprefix("docs/")
            else:
                kind = "tree" if (root / file).is_dir() else "blob"
                file = f"{repository}/{kind}/main/{file}"
            return f"]({file}{mark}{anchor})"

        return link

    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # mdBook reads the summary, and makes no page of it.
    for page in sorted(pages | {"docs/SUMMARY.md"}):
        text = LINK.sub(follow(page), (root / page).read_text())
        if "<!-- transcripts -->" in text:
            text = text.replace("<!-- transcripts -->", transcripts(root))
        (target / place(page)).write_text(text)
    shutil.copytree(root / "docs/pictures", target / "pictures", ignore=shutil.ignore_patterns("*.txt"))
    shutil.copy(root / "docs/book.toml", target)


def transcripts(root):
    """The transcripts, one below the other."""
    parts = []
    for path in sorted((root / "testdata/cli").glob("help*.snap")):
        said = path.read_text().split("---\n", 2)[2].removesuffix("[exit 0]\n").rstrip()
        command = said.splitlines()[0].removeprefix("$ ").removesuffix(" --help")
        parts.append(f"### {command}\n\n```text\n{said}\n```\n")
    return "\n".join(parts)


main()
