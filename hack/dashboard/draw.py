"""Draws rows of a dashboard as Grafana would: draw.py DASHBOARD PROMETHEUS OUTPUT ROW…

DASHBOARD is a ConfigMap with the dashboard in JSON, PROMETHEUS the address of a server that has its series, and OUTPUT an SVG.
"""

import json
import math
import sys
import time
import urllib.parse
import urllib.request
from html import escape

COLUMN, ROW, STEP, SPAN = 50, 30, 5, 240
COLORS = ["#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#b877d9", "#5794f2", "#56a64b"]
STYLE = """
  .ground { fill: #111217 } .panel { fill: #181b1f; stroke: #2c3036 } .grid { stroke: #2c3036 }
  text { font: 11px ui-sans-serif, system-ui, sans-serif; fill: #9fa7b3 }
  .title { font-size: 13px; font-weight: 600; fill: #d8dae0 } .row { font-size: 15px; fill: #d8dae0 }
"""


def dashboard(path):
    """The dashboard within the ConfigMap."""
    with open(path, encoding="utf-8") as file:
        _, text = file.read().split(".json: |\n")
    return json.loads(text)


def query(server, expression, end):
    """The series of an expression, with the variables as Grafana fills them."""
    for name, value in [("$namespace", ".*"), ("$controller", ".*"), ("$__rate_interval", "30s")]:
        expression = expression.replace(name, value)
    asked = {"query": expression, "start": end - SPAN, "end": end, "step": STEP}
    with urllib.request.urlopen(f"{server}/api/v1/query_range?{urllib.parse.urlencode(asked)}") as answer:
        return json.load(answer)["data"]["result"]


def legend(target, labels):
    """The name of a series: by itself, Grafana shows the values of its labels."""
    text = target.get("legendFormat", "__auto")
    if text != "__auto":
        return text
    return " ".join(dict.fromkeys(value for name, value in labels.items() if name != "__name__")) or "value"


def shown(value, unit):
    """A value of an axis."""
    if unit == "s" and value < 1:
        return f"{value * 1000:.3g} ms"
    if unit == "bytes":
        return f"{value / 1048576:.3g} MiB"
    return f"{value:.3g}{ {'s': ' s', 'cps': ' /s'}.get(unit, '') }"


def bound(values):
    """A round number above all values."""
    most = max(values, default=0)
    if most <= 0:
        return 1
    unit = 10 ** math.floor(math.log10(most))
    return next(step * unit for step in (1, 2, 2.5, 5, 10) if step * unit >= most)


def graph(panel, top, server, end):
    """A panel with its lines, on the grid of the dashboard."""
    place, unit = panel["gridPos"], panel["fieldConfig"]["defaults"].get("unit", "short")
    x, y, w, h = place["x"] * COLUMN, (place["y"] - top) * ROW, place["w"] * COLUMN, place["h"] * ROW
    shapes = [f'<rect class="panel" x="{x + 4}" y="{y + 4}" width="{w - 8}" height="{h - 8}" rx="3"/>']
    shapes.append(f'<text class="title" x="{x + 14}" y="{y + 23}">{escape(panel["title"])}</text>')
    series = []
    for target in panel["targets"]:
        for found in query(server, target["expr"], end):
            points = [(float(at), float(value)) for at, value in found["values"] if value not in ("NaN", "+Inf")]
            if points:
                series.append((legend(target, found["metric"]), points))
    left, right, above, below = x + 66, x + w - 16, y + 38, y + h - 44
    limit = bound(value for _, points in series for _, value in points)
    for index in range(3):
        height = below - (below - above) * index / 2
        shapes.append(f'<path class="grid" d="M{left} {height:g}H{right}"/>')
        shapes.append(f'<text text-anchor="end" x="{left - 6}" y="{height + 4:g}">{shown(limit * index / 2, unit)}</text>')
    for index, (name, points) in enumerate(series):
        color = COLORS[index % len(COLORS)]
        line = " ".join(
            f"{left + (at - end + SPAN) / SPAN * (right - left):.0f},{below - value / limit * (below - above):.0f}"
            for at, value in points
        )
        shapes.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.5" points="{line}"/>')
        if index < 4:
            at, line = x + 18 + index % 2 * (w // 2 - 12), y + h - 30 + index // 2 * 14
            shapes.append(f'<path stroke="{color}" stroke-width="3" d="M{at} {line}h12"/>')
            shapes.append(f'<text x="{at + 17}" y="{line + 4}">{escape(name[:26])}</text>')
    if not series:
        shapes.append(f'<text text-anchor="middle" x="{x + w / 2:g}" y="{y + h / 2:g}">No data</text>')
    return shapes, bool(series)


def main():
    path, server, output, *rows = sys.argv[1:]
    end, shapes, bottom, drawn, row, top = int(time.time()), [], 0, 0, None, 0
    for panel in dashboard(path)["panels"]:
        if panel["type"] == "row":
            row = panel["title"] if panel["title"] in rows else None
            if row:
                top = panel["gridPos"]["y"] - bottom
                y = bottom * ROW
                shapes.append(f'<text class="row" x="10" y="{y + 21}">▾ {escape(row)}</text>')
                bottom += 1
        elif row:
            more, has_data = graph(panel, top, server, end)
            shapes += more
            drawn += has_data
            bottom = max(bottom, panel["gridPos"]["y"] - top + panel["gridPos"]["h"])
    if drawn < 8:
        sys.exit(f"draw.py: only {drawn} panels have data")
    width, height = 24 * COLUMN, bottom * ROW
    body = "\n".join(shapes)
    with open(output, "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n<style>{STYLE}</style>\n'
            f'<rect class="ground" width="{width}" height="{height}"/>\n{body}\n</svg>\n'
        )
    print(f"dashboard: {drawn} panels with data, in {output}")


main()
