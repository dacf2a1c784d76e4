#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the summary of `tribo simulate --json` as people want to see it."""

import json
import sys

LINES = [
    ("steps", "{steps} of {step_ms:.3g} ms, {nv} degrees of freedom"),
    ("speed", "{steps_per_s:.0f} steps/s, {times_real_time:.1f} times real time"),
    ("contacts", "up to {most_touching} that carry force"),
    ("certificate", "{worst_certificate:.1e}, the worst violation of any contact condition in any step"),
    ("penetration", "{deepest_penetration_m:.1e} m at most"),
    ("slip where it sticks", "{slip_of_sticking_m_per_s:.1e} m/s at most"),
    ("fallbacks", "{fallbacks}"),
    ("ended", "{ended}"),
]

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
summary = run["summary"]
summary["step_ms"] = 1e3 * summary["simulated_s"] / max(1, summary["steps"])
print(run["model"])
for name, text in LINES:
    print("  %-22s %s" % (name, text.format(**summary)))
