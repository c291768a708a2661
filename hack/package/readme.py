"""Prints a section of a Markdown file as a shell script: readme.py FILE HEADING

A block of code that begins with the name of a file in a comment becomes that file, and a block in `sh` is run. Other blocks are
fragments, and are left out.
"""

import re
import sys


def blocks(text, heading):
    """The blocks of the section: language and contents."""
    start = re.search(rf"^## {re.escape(heading)}$", text, re.MULTILINE)
    if not start:
        sys.exit(f"readme.py: no heading `{heading}`")
    section = text[start.end() :].split("\n## ")[0]
    return re.findall(r"^```(\w*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def script(language, contents):
    """The shell commands for a block."""
    name = re.match(r"(?:#|//) (\S+\.\w+)\n", contents)
    if name:
        path = name[1]
        return f"mkdir -p \"$(dirname '{path}')\"\ncat >'{path}' <<'END-OF-BLOCK'\n{contents}END-OF-BLOCK\n"
    return contents if language == "sh" else ""


def main():
    path, heading = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        found = blocks(file.read(), heading)
    if not any(language == "sh" for language, _ in found):
        sys.exit(f"readme.py: `{heading}` has no commands")
    print("".join(script(*block) for block in found))


main()
