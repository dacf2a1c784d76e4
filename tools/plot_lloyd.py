#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot_lloyd.py RESULT.json > PLOT.svg: the figures of [Lloyd2005] from `tribo bench lloyd --json`.

Time over contacts, both logarithmic, one panel per experiment: standard, structural, reduced.
"""
import json
import math
import sys

FORMS = [("standard_us", "#c0392b"), ("structural_us", "#2471a3"), ("reduced_us", "#1e8449")]
WIDTH, HEIGHT, MARGIN = 380, 300, 60


def rows_of(data):
    """All rows of the result, wherever the umbrella put them."""
    if isinstance(data, dict):
        if "contacts" in data and "reduced_us" in data:
            yield data
        for value in data.values():
            yield from rows_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from rows_of(value)


def label_of(row):
    return str(row.get("row", row.get("label", row.get("name", ""))))


def time_of(us):
    """A power of ten of microseconds in the unit it reads best in."""
    for scale, unit in ((1e6, "s"), (1e3, "ms"), (1, "us")):
        if us >= scale:
            return f"{us / scale:g} {unit}"
    return f"{us:g} us"


def panel(title, rows, left):
    """One set of axes with its points."""
    points = [(f, c, r["contacts"], r[f]) for r in rows for f, c in FORMS
              if isinstance(r.get(f), (int, float))]
    if not points:
        return []
    low_x, high_x = min(p[2] for p in points), max(p[2] for p in points) * 1.2
    low_y = 10 ** math.floor(math.log10(min(p[3] for p in points)))
    high_y = 10 ** math.ceil(math.log10(max(p[3] for p in points)))

    def x_of(v):
        return left + MARGIN + (WIDTH - 2 * MARGIN) * math.log(v / low_x) / math.log(high_x / low_x)

    def y_of(v):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * math.log(v / low_y) / math.log(high_y / low_y)

    out = [f'<text x="{left + MARGIN}" y="25" font-size="14">{title}</text>',
           f'<rect x="{left + MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" '
           f'height="{HEIGHT - 2 * MARGIN}" fill="none" stroke="#888"/>']
    decade = low_y
    while decade <= high_y:
        out.append(f'<text x="{left + MARGIN - 4}" y="{y_of(decade) + 4:.1f}" font-size="10" '
                   f'text-anchor="end">{time_of(decade)}</text>')
        out.append(f'<line x1="{left + MARGIN}" x2="{left + WIDTH - MARGIN}" y1="{y_of(decade):.1f}" '
                   f'y2="{y_of(decade):.1f}" stroke="#ddd"/>')
        decade *= 10
    # Numbers of contacts, as many as have room.
    taken = -math.inf
    for n in sorted({p[2] for p in points}):
        if x_of(n) < taken + 16:
            continue
        taken = x_of(n)
        out.append(f'<text x="{x_of(n):.1f}" y="{HEIGHT - MARGIN + 14}" font-size="10" '
                   f'text-anchor="middle">{n:g}</text>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{HEIGHT - MARGIN + 28}" font-size="10" '
               'text-anchor="middle">contacts</text>')
    for _, color, n, value in points:
        out.append(f'<circle cx="{x_of(n):.1f}" cy="{y_of(value):.1f}" r="3" fill="{color}"/>')
    return out


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(rows_of(json.load(file)))
    pegs = [r for r in rows if label_of(r).startswith("peg")]
    stacks = [r for r in rows if label_of(r).startswith("stack")]
    singles = [r for r in rows if r not in pegs and r not in stacks]
    body = []
    for i, (title, part) in enumerate([("peg in hole", pegs), ("single bodies", singles),
                                       ("stacks", stacks)]):
        body += panel(title, part, i * WIDTH)
    for i, (form, color) in enumerate(FORMS):
        body.append(f'<text x="{60 + 120 * i}" y="{HEIGHT - 8}" font-size="12" fill="{color}">'
                    f'{form[:-3]}</text>')
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * WIDTH}" height="{HEIGHT}" '
          'font-family="sans-serif">')
    print("\n".join(body))
    print("</svg>")


if __name__ == "__main__":
    main()
