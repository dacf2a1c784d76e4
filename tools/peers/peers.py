#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the same scenes in Tribo and in the peer engines that are built, one at a time, and prints tables.

  peers.py run PROGRAMS RESULTS [--all] [--limit S] [SCENE ...]   appends a JSON line per run to RESULTS
  peers.py table RESULTS                                          markdown tables of what RESULTS holds

PROGRAMS is the folder with the programs (tribo, ode, bullet, bullet64, mujoco, dart); those that are not
there are left out. A SCENE is a name such as quadruped_trot or grasp; none: all. Without --all only the
settings that matter most run: every engine's usual one, its most exact one and its fastest one.
"""
import argparse
import json
import os
import subprocess
import sys

NAMES = {"tribo": "Tribo", "ode": "ODE", "bullet64": "Bullet f64", "bullet": "Bullet f32", "mujoco": "MuJoCo",
         "dart": "DART"}
STIFF = "solver=newton cone=elliptic impratio=100 solref=0.002 solimp=0.9999"

# (program, settings, is it one of those that matter most?)
TRIBO = [("tribo", "", True), ("tribo", "cone=polygon", False), ("tribo", "cold=1", False)]
TRIBO_NOSLIP = [("tribo", "model=noslip", True)]
ODE = [("ode", "solver=step", True), ("ode", "solver=step cfm=1e-5", False), ("ode", "solver=quick iters=20", True),
       ("ode", "solver=quick iters=100", False)]
BULLET = [("bullet64", "solver=si iters=10", True), ("bullet64", "solver=si iters=100", False),
          ("bullet64", "solver=dantzig", False), ("bullet", "solver=si iters=10", False)]
# Rigid bodies only: a second friction direction, and the conjugate gradient variant.
BULLET_RIGID = [("bullet64", "solver=nncg iters=100", False), ("bullet64", "solver=si iters=100 fric2=1", True)]
MUJOCO = [("mujoco", "solver=newton cone=pyramidal", True), ("mujoco", "solver=newton cone=elliptic", True),
          ("mujoco", "solver=cg cone=elliptic", False), ("mujoco", "solver=pgs cone=elliptic", False),
          ("mujoco", "solver=newton cone=elliptic noslip=20", False), ("mujoco", STIFF, True)]
DART = [("dart", "solver=dantzig det=ode", True), ("dart", "solver=pgs det=ode", False),
        ("dart", "solver=dantzig det=ode erp=0.2 erv=1", False)]
PILE = [("tribo", "", True), ("ode", "solver=quick iters=20", True), ("ode", "solver=step", False),
        ("bullet64", "solver=si iters=10", True), ("mujoco", "solver=cg cone=elliptic", True),
        ("mujoco", "solver=newton cone=pyramidal", False), ("dart", "solver=pgs det=ode", False)]
ENERGY = [("tribo", "", True), ("tribo", "integrator=rk4", True), ("ode", "solver=step", True), ("bullet64", "", True),
          ("mujoco", "integrator=euler", True), ("mujoco", "integrator=rk4", True), ("dart", "", True)]


def programme():
    """All runs: (program, scene, its parameters, settings, does it matter most?)."""
    runs = []

    def add(scene, parameters, *groups):
        runs.extend((program, scene, parameters, settings, matters)
                    for group in groups for program, settings, matters in group)

    for scene in ("quadruped_stand", "quadruped_trot"):
        for dt in ("0.001", "0.004"):
            add(scene, f"dt={dt}", TRIBO, TRIBO_NOSLIP, ODE, BULLET, MUJOCO, DART)
    for n in (5, 10, 20, 50):
        add("stack", f"n={n}", TRIBO, TRIBO_NOSLIP, ODE, BULLET, BULLET_RIGID, MUJOCO, DART)
    for n, mu, dt in ((2, 0.8, 0.01), (2, 0.8, 0.001), (8, 0.8, 0.01), (8, 0.8, 0.001), (2, 100, 0.01), (8, 100, 0.01)):
        add("grasp", f"n={n} mu={mu} dt={dt}", TRIBO, TRIBO_NOSLIP, ODE, BULLET, BULLET_RIGID, MUJOCO, DART)
    for dt in ("0.001", "0.005"):
        for direction in (0, 30, 45):
            add("slide", f"dt={dt} dir={direction}", TRIBO, ODE, BULLET, BULLET_RIGID, MUJOCO, DART)
    for direction in (0, 45):
        for angle in (20, 30):
            add("incline", f"dt=0.001 dir={direction} angle={angle}", TRIBO, ODE, BULLET, BULLET_RIGID, MUJOCO, DART)
    for n in (4, 8, 16, 32, 64):
        add("peg", f"n={n}", TRIBO, TRIBO_NOSLIP, ODE[:1], ODE[2:3], BULLET[:1], MUJOCO[:2], MUJOCO[5:], DART[:2])
    add("energy", "", ENERGY)
    for n in (216, 512):
        add("pile", f"n={n}", PILE)
    return runs


def run_one(folder, program, scene, parameters, settings, limit):
    """One run as a dictionary; errors are in "error"."""
    command = [os.path.join(folder, program), scene, *parameters.split(), *settings.split(), f"limit={limit}"]
    result = {"error": "no answer within 10 times the limit"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + 10 * limit, check=False)
        answers = [line for line in done.stdout.splitlines() if line.startswith("{")]
        others = [line for line in done.stdout.splitlines() + done.stderr.splitlines()
                  if line.strip() and not line.startswith("{")]
        if answers:
            result = json.loads(answers[-1])
            result["messages"] = others[:3]
        else:
            result = {"error": f"exit code {done.returncode}: " + " ".join(others[-1:])[:160]}
    except subprocess.TimeoutExpired:
        pass
    result.update(program=program, scene=scene, parameters=parameters, settings_given=settings)
    return result


def run(arguments):
    runs = [r for r in programme() if os.path.exists(os.path.join(arguments.programs, r[0]))
            and (r[4] or arguments.all) and (not arguments.scenes or r[1] in arguments.scenes)]
    with open(arguments.results, "a", encoding="utf-8") as out:
        for i, (program, scene, parameters, settings, _) in enumerate(runs):
            print(f"[{i + 1}/{len(runs)}] {scene} {parameters}: {program} {settings}", file=sys.stderr)
            result = run_one(arguments.programs, program, scene, parameters, settings, arguments.limit)
            out.write(json.dumps(result) + "\n")
            out.flush()


def failed(d):
    """Whether a run did not do what the scene demands, so that its speed means nothing."""
    if "error" in d or not d["finite"] or d.get("dropped") or d.get("fell"):
        return True
    if d["scene"] == "stack":
        return abs(d["top_height_err"]) > 0.05 or d["max_drift"] > 0.05
    if d["scene"] == "slide":
        return abs(d["rel_err_vs_discrete_exact"]) > 0.2
    if d["scene"] == "incline":
        return d["creep_velocity"] > 0.01 if "angle=20" in d["parameters"] else abs(d["accel_rel_err"]) > 0.2
    return False


def number(key, form="%.1e", factor=1):
    def show(d):
        value = d.get(key)
        return "-" if value is None else "0" if value == 0 else form % (factor * value)
    return show


RESIDUALS = [("normal res. m/s", number("res_normal_mean")), ("stick res. m/s", number("res_stick_mean")),
             ("max ft/(mu fn)", number("cone_max", "%.3f"))]
COLUMNS = {
    "quadruped_stand": [("max pen m", number("max_pen")), ("slip m/s", number("slip_mean")),
                        ("foot drift m", number("foot_drift_1s_end")), *RESIDUALS],
    "quadruped_trot": [("max pen m", number("max_pen")), ("x m", number("base_x", "%.3f")),
                       ("dir err deg", number("slide_dir_err_deg", "%.3f")), *RESIDUALS],
    "stack": [("max pen m", number("max_pen")), ("height err m", number("top_height_err")),
              ("drift m", number("max_drift")), *RESIDUALS],
    "grasp": [("fall m", number("fall_end")), ("max pen m", number("max_pen")), *RESIDUALS],
    "slide": [("err vs discrete exact %", number("rel_err_vs_discrete_exact", "%.2g", 100)),
              ("heading err deg", number("heading_err_deg")), *RESIDUALS],
    "incline": [("creep m/s", number("creep_velocity")), ("accel err %", number("accel_rel_err", "%.2g", 100)),
                *RESIDUALS],
    "peg": [("creep m/s", number("creep_velocity")), ("max pen m", number("max_pen")), *RESIDUALS],
    "energy": [("energy drift", number("energy_drift_max")), ("lin. mom. drift", number("linmom_drift_max")),
               ("ang. mom. drift", number("angmom_drift_max"))],
    "pile": [("steps measured", lambda d: "%d" % d.get("measured_steps", d["steps"])),
             ("final mean pen m", number("final_mean_pen")), ("kinetic end J", number("kinetic_end")), *RESIDUALS],
}


def table(arguments):
    latest = {}
    with open(arguments.results, encoding="utf-8") as lines:
        for d in map(json.loads, lines):
            latest[d["scene"], d["parameters"], d["program"], d["settings_given"]] = d
    groups = {}
    for d in latest.values():
        groups.setdefault((d["scene"], d["parameters"]), []).append(d)
    for (scene, parameters), rows in groups.items():
        columns = COLUMNS[scene]
        fastest = max((d["steps_per_second"] for d in rows if not failed(d)), default=1)
        print(f"\n### {scene} {parameters}\n")
        print("| engine, settings | steps/s | of fastest | " + " | ".join(title for title, _ in columns) + " |")
        print("|---|---:|---:|" + "---:|" * len(columns))
        for d in sorted(rows, key=lambda d: list(NAMES).index(d["program"])):
            label = NAMES[d["program"]] + " " + " ".join(w.split("=", 1)[1] if w.startswith(("solver=", "cone="))
                                                         else w for w in d["settings_given"].split())
            if "error" in d:
                print(f"| {label} | failed: {d['error']} |" + " |" * (len(columns) + 1))
                continue
            share = "(failed)" if failed(d) else "%.3f" % (d["steps_per_second"] / fastest)
            print(f"| {label} | {d['steps_per_second']:.0f} | {share} | "
                  + " | ".join(show(d) for _, show in columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("programs")
    one.add_argument("results")
    one.add_argument("scenes", nargs="*")
    one.add_argument("--all", action="store_true", help="every setting, not only those that matter most")
    one.add_argument("--limit", type=float, default=8, help="seconds for one repetition; the rest is extrapolated")
    one.set_defaults(do=run)
    two = commands.add_parser("table")
    two.add_argument("results")
    two.set_defaults(do=table)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
