"""For hack/explain.sh: compares what two programs explain, in NAME.kubectl and NAME.ours of a folder."""

import pathlib
import re
import sys

# What kubectl calls Object in any case.
PRECISE = re.compile(r"integer or string|any(?=>|$)")


def fields(text: str) -> list[str]:
    """The fields, sorted: path, type, whether required. Those of the metadata are Kubernetes' own."""
    found, path = [], []
    for line in text.partition("FIELDS:\n")[2].splitlines():
        if not (shown := re.match(r"( +)(\S+)\t(.*)", line)):
            continue
        depth = len(shown[1]) // 2
        path[depth - 1 :] = [shown[2]]
        if path[0] != "metadata" or depth == 1:
            found.append(".".join(path) + " " + PRECISE.sub("Object", shown[3]).strip())
    return sorted(found)


def compare(folder: pathlib.Path) -> int:
    equal = different = compared = 0
    for file in sorted(folder.glob("*.kubectl")):
        theirs, ours = fields(file.read_text()), fields(file.with_suffix(".ours").read_text())
        compared += len(theirs)
        if theirs == ours and theirs:
            equal += 1
            continue
        different += 1
        print(f"{file.stem}:", *(f"\n  kubectl {it}" for it in theirs if it not in ours), *(f"\n  ours    {it}" for it in ours if it not in theirs))
    print(f"explain: {equal} CRDs with {compared} fields are explained alike, {different} are not")
    return 0 if equal and not different else 1


sys.exit(compare(pathlib.Path(sys.argv[1])))
