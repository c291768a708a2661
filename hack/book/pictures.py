"""Draws the book's pictures: pictures.py FOLDER [--check]

Each FOLDER/NAME.txt becomes NAME.svg, which follows the reader's choice of light or dark. A line of a description is one of

    size COLUMNS ROWS
    title TEXT
    box NAME COLUMN ROW [WIDTH] | LINE | LINE…        a box of WIDTH columns (1 by default), in the middle of its cell
    note COLUMN ROW [WIDTH] | LINE…                   text without a frame
    arrow FROM TO [| TEXT]                            from the edge of a box to the edge of another one

Columns and rows may be fractions. With --check, nothing is written, and a picture that differs is an error.
"""

import sys
from pathlib import Path
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, BOX_WIDTH, LINE = 206, 92, 172, 17

STYLE = """
  .ground { fill: #ffffff }
  .box { fill: #eef3fb; stroke: #3b6db3; stroke-width: 1.5 }
  .line { fill: none; stroke: #5b6675; stroke-width: 1.5 }
  .head { fill: #5b6675 }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1d2530; text-anchor: middle }
  .first { font-weight: 600 }
  .said { font-size: 12px; fill: #3f4a58; paint-order: stroke; stroke: #ffffff; stroke-width: 5px; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1b1f27 }
    .box { fill: #26334a; stroke: #7fa8e6 }
    .line { stroke: #a5b0be }
    .head { fill: #a5b0be }
    text { fill: #e8ecf2 }
    .said { fill: #c6ced9; stroke: #1b1f27 }
  }
"""


class Picture:
    def __init__(self):
        self.size, self.title, self.boxes, self.shapes, self.lines = (1, 1), "", {}, [], []

    def box(self, name, column, row, width, texts):
        x, y = (column + width / 2) * CELL_WIDTH, (row + 0.5) * CELL_HEIGHT
        w, h = BOX_WIDTH + (width - 1) * CELL_WIDTH, 22 + LINE * len(texts)
        self.boxes[name] = (x, y, w / 2, h / 2)
        self.shapes.append(
            f'<rect class="box" x="{x - w / 2:g}" y="{y - h / 2:g}" width="{w:g}" height="{h:g}" rx="7"/>'
        )
        self.text(x, y, texts, "first")

    def text(self, x, y, texts, style=""):
        top = y - (len(texts) - 1) * LINE / 2 + 4.5
        for index, text in enumerate(texts):
            mark = f' class="{style}"' if style and (index == 0 or style == "said") else ""
            self.shapes.append(f'<text{mark} x="{x:g}" y="{top + index * LINE:g}">{escape(text)}</text>')

    def arrow(self, start, end, texts):
        (x1, y1, w1, h1), (x2, y2, w2, h2) = self.boxes[start], self.boxes[end]
        dx, dy = x2 - x1, y2 - y1
        if abs(dx) > abs(dy) and abs(dx) > w1:
            a, b = (x1 + (w1 if dx > 0 else -w1), y1), (x2 - (w2 if dx > 0 else -w2), y2)
            middle = (a[0] + b[0]) / 2
            path = f"M{a[0]:g} {a[1]:g} C{middle:g} {a[1]:g} {middle:g} {b[1]:g} {b[0]:g} {b[1]:g}"
        else:
            a, b = (x1, y1 + (h1 if dy > 0 else -h1)), (x2, y2 - (h2 if dy > 0 else -h2))
            middle = (a[1] + b[1]) / 2
            path = f"M{a[0]:g} {a[1]:g} C{a[0]:g} {middle:g} {b[0]:g} {middle:g} {b[0]:g} {b[1]:g}"
        self.lines.append(f'<path class="line" d="{path}" marker-end="url(#head)"/>')
        if texts:
            self.text((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, texts, "said")

    def read(self, line):
        words, _, said = line.partition("|")
        kind, *words = words.split()
        texts = [text.strip() for text in said.split("|")] if said else []
        numbers = [float(word) for word in words if word.replace(".", "", 1).isdigit()]
        match kind:
            case "size":
                self.size = numbers
            case "title":
                self.title = line.removeprefix("title ")
            case "box":
                self.box(words[0], numbers[0], numbers[1], (numbers + [1])[2], texts)
            case "note":
                width = (numbers + [1])[2]
                self.text((numbers[0] + width / 2) * CELL_WIDTH, (numbers[1] + 0.5) * CELL_HEIGHT, texts, "said")
            case "arrow":
                self.arrow(words[0], words[1], texts)
            case _:
                sys.exit(f"pictures.py: no such line: {line}")

    def svg(self):
        width, height = self.size[0] * CELL_WIDTH, self.size[1] * CELL_HEIGHT
        said = [shape for shape in self.shapes if 'class="said"' in shape]
        shapes = [shape for shape in self.shapes if 'class="said"' not in shape]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{STYLE}</style>",
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                '<path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
                f'<rect class="ground" width="{width:g}" height="{height:g}" rx="10"/>',
                *self.lines,
                *shapes,
                *said,
                "</svg>\n",
            ]
        )


def draw(path):
    picture = Picture()
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            picture.read(line)
    return picture.svg()


def main():
    folder, check = Path(sys.argv[1]), "--check" in sys.argv
    for path in sorted(folder.glob("*.txt")):
        target, svg = path.with_suffix(".svg"), draw(path)
        if not check:
            target.write_text(svg)
        elif not target.exists() or target.read_text() != svg:
            sys.exit(f"{target} is not that of {path.name}: run python3 hack/book/pictures.py {folder}")


main()
