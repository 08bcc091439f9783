#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py FLOORS PROGRAM [OTHER]: what whole runs of the program cost, user and system time less
that of --version, in us and in floors, and the same of another build in the same run. FLOORS is
what the program `benchmarks` prints."""
import os
import re
import resource
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "")
DAMPER, NO_VERDICT = EXAMPLES + "two_mass_damper.yaml", ["--stability", "none"]
ODD = ["--set", "harmonics=[1, 3, 5, 7]"]
RUNS = 7


def chain(n, joints, load):
    """A clamped rod of n masses; joints are (place, stiffness, slip force)."""
    masses = "".join("    m%d: %.9g\n" % (i, (0.5 if i == n else 1) / n) for i in range(1, n + 1))
    springs = "".join("    - {from: %s, to: m%d, stiffness: %.9g}\n"
                      % ("m%d" % (i - 1) if i > 1 else "ground", i, 1e5 * n)
                      for i in range(1, n + 1))
    sliders = "".join("  - {name: s%d, law: jenkins, from: ground, to: m%d, stiffness: %.9g, "
                      "slip_force: %.9g}\n" % (k, *joint) for k, joint in enumerate(joints))
    return ("masing: 1\nstructure:\n  masses:\n%s  springs:\n%s  damping: {modal_ratio: 0.02}\n"
            "joints:\n%sloads: [{dof: m%d, amplitude: %g}]\nfrequency: [60, 140]\n"
            "harmonics: [1, 3, 5, 7]\noutputs: [m%d]\n" % (masses, springs, sliders, n, load, n))


def oscillator(joint):
    return ("masing: 1\nstructure:\n  masses: {m: 10}\n  springs: [{from: ground, to: m, "
            "stiffness: 1e4}]\n  damping: {modal_ratio: 0.02}\njoints: [{name: j, from: ground, "
            "to: m, %s}]\nloads: [{dof: m, amplitude: 10}]\nfrequency: [10, 80]\nharmonics: 7\n"
            "samples: 256\noutputs: [m]\n" % joint)


def rows():
    """(name, model, arguments, unit: rows of the table, a number, or what the summary says)"""
    study = ["study", "--vary", "damper.preload=10:200:30"]
    full = ["--set", "forces=exact", "--set"]
    yield "damper, H = 7, with verdicts", DAMPER, study + full + ["harmonics=7"], "rows", 7
    for h in (1, 3, 7, 15):
        yield ("damper, H = %d" % h, DAMPER, study + full + ["harmonics=%d" % h] + NO_VERDICT,
               "rows", h)
    yield ("followed peak, a value", DAMPER, ["peak", "--vary", "damper.preload=5:300:400:log",
                                              "--threads", "1"] + full + ["harmonics=7"], 400, 7)
    yield ("step of Newmark's rule", DAMPER, ["integrate", "--frequency", "22", "--set",
                                              "integration.tolerance=1e-12", "--set",
                                              "integration.steps_per_cycle=16384"], "steps", None)
    rod = chain(50, [(25, 3e4, 15), (50, 3e4, 15)], 15)
    yield "rod of 50 DOFs, with verdicts", rod, ["frf"], 1, None
    yield "the same without", rod, ["frf"] + NO_VERDICT, 1, None
    for n in (30, 100):
        sliders = [(i, 6e4 / n, 30 / n) for i in range(1, n + 1)]
        yield ("%d sliders, a point" % n, chain(n, sliders, 15),
               ["frf", "--set", "solver.max_points=8"] + NO_VERDICT, "rows", None)
    for name, joint in (
            ("bouc_wen, n = 1.5", "law: bouc_wen, hysteretic_stiffness: 1e6, a: 1, beta: 9e6, "
             "gamma: 2e6, n: 1.5"),
            ("dahl", "law: dahl, stiffness: 1e6, slip_force: 20, exponent: 1.5"),
            ("iwan4", "law: iwan4, stiffness: 1e6, slip_force: 20, chi: -0.5, beta: 5")):
        yield "one mass, " + name, oscillator(joint), ["frf"] + NO_VERDICT, "rows", 7
    yield ("500 DOFs exactly, a period", chain(500, [(250, 3e4, 15), (500, 3e4, 15)], 15),
           ["integrate", "--frequency", "100", "--set", "integration.method=exact", "--set",
            "integration.cycles=20", "--set", "integration.tolerance=1e-14"], 20, None)
    yield ("Duffing by Hill's equation", EXAMPLES + "duffing.yaml",
           ["frf", "--stability", "hill"], "rows", None)


def cost(command, folder):
    """Processor seconds of a run, what it says, and how many rows it writes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = os.path.join(folder, "out.csv")
    more = ["--threads", "1"] if command[1] in ("frf", "study") else []
    run = subprocess.run(command + more + ([] if "--version" in command else ["-o", out]),
                         capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode > 1 or run.returncode < 0:
        sys.exit("%s: %s" % (" ".join(command), run.stderr))
    lines = sum(1 for _ in open(out)) - 1 if "--version" not in command else 0
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, run.stderr, lines


def least(programs, arguments, unit, folder):
    """Least microseconds of each program over alternating runs."""
    best = [float("inf")] * len(programs)
    for _ in range(RUNS):
        for k, program in enumerate(programs):
            start, (seconds, text, lines) = 0.0, cost([program] + arguments, folder)
            if unit == "steps":
                n, seconds = re.search(r"\((\d+) steps\) in ([0-9.e-]+) s", text).groups()
                n, seconds = int(n), float(seconds)
            else:
                n, start = lines if unit == "rows" else unit, cost([program, "--version"], folder)[0]
            best[k] = min(best[k], 1e6 * (seconds - start) / n)
    return best


def main():
    floors = {int(h): float(us) for h, us in re.findall(r"floor, H = (\d+) +([0-9.]+)",
                                                        open(sys.argv[1]).read())}
    step = re.search(r"its step in time, ns +([0-9.]+)", open(sys.argv[1]).read())
    print("\nWhole runs, us%35s %8s%s" % ("", "floors", "       other   ratio" * (len(sys.argv) > 3)))
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, model, arguments, unit, highest) in enumerate(rows()):
            if "\n" in model:
                path = os.path.join(folder, "%d.yaml" % k)
                open(path, "w").write(model)
                model = path
            us = least(sys.argv[2:], arguments[:1] + [model] + arguments[1:], unit, folder)
            floor = 1e-3 * float(step.group(1)) if unit == "steps" else floors.get(highest)
            print("%-32s %16.3f %8s" % (name, us[0], "%.1f" % (us[0] / floor) if floor else "-"),
                  *["%11.3f %7.2f" % (other, us[0] / other) for other in us[1:]], flush=True)


main()
