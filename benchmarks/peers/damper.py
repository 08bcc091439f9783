#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The two-mass damper of the examples in NumPy, as one would write it in an afternoon: harmonics 0
to 7, 256 samples, exact Jacobian, one frequency after another. Prints what a point costs and the
largest first harmonic of m2."""
import sys
import time

import numpy as np

H, N = [int(text) for text in sys.argv[1:]] or [7, 256]  # damper.py [HARMONICS SAMPLES]
POINTS = 40
STIFFNESS, SLIP_FORCE, LOAD, RATIO = 40000.0, 15.0, 10.0, 0.02
SQUARES, SHAPES = np.linalg.eigh(np.array([[41339.0 + 41328.0, -41328.0], [-41328.0, 41328.0]]))

angle = 2 * np.pi * np.arange(N) / N
order = np.arange(1, H + 1)
samples = np.empty((N, 2 * H + 1))  # of mean, cosines and sines
samples[:, 0], samples[:, 1::2], samples[:, 2::2] = (
    1, np.cos(np.outer(angle, order)), np.sin(np.outer(angle, order)))
analysis = samples.T * 2 / N
analysis[0] /= 2


def compliance(omega, i, j):
    """Of harmonics 0 to H: displacement of mass i by a force on j."""
    w = np.arange(H + 1) * omega
    modal = SQUARES - w[:, None] ** 2 + 2j * RATIO * np.sqrt(SQUARES) * w[:, None]
    return (SHAPES[i] * SHAPES[j] / modal).sum(axis=1)


def slider(x):
    """Force at the samples of a second period, and the sample at which each last slipped."""
    force, last, f, at = np.empty(N), np.empty(N, int), 0.0, 0
    steps = (STIFFNESS * np.diff(x, prepend=x[-1])).tolist()
    for cycle in range(2):
        for i, step in enumerate(steps):
            f += step
            if abs(f) >= SLIP_FORCE:
                f, at = (SLIP_FORCE if f > 0 else -SLIP_FORCE), i
            force[i], last[i] = f, at
    return force, last


def rows(g):
    """The matrix that applies complex compliances to coefficients (cosine - i sine)."""
    matrix = np.zeros((2 * H + 1, 2 * H + 1))
    c, s = 2 * order - 1, 2 * order
    matrix[0, 0] = g[0].real
    matrix[c, c] = matrix[s, s] = g[1:].real
    matrix[c, s], matrix[s, c] = g[1:].imag, -g[1:].imag
    return matrix


def solve(hz, q):
    """Newton; the coefficients of m1 and the first harmonic of m2."""
    omega = 2 * np.pi * hz
    own, load = rows(compliance(omega, 0, 0)), np.zeros(2 * H + 1)
    load[1] = LOAD
    free = rows(compliance(omega, 0, 1)) @ load
    for _ in range(20):
        force, last = slider(samples @ q)
        residual = q - free + own @ (analysis @ force)
        tangent = STIFFNESS * (samples - samples[last])
        step = np.linalg.solve(np.eye(2 * H + 1) + own @ analysis @ tangent, residual)
        q = q - step
        if np.abs(step).max() < 1e-9 * np.abs(q).max():
            break
    m2 = rows(compliance(omega, 1, 1)) @ load - rows(compliance(omega, 1, 0)) @ analysis @ force
    return q, np.hypot(m2[1], m2[2])


q = solve(18, np.zeros(2 * H + 1))[0]
start = time.process_time()
for hz in np.linspace(18, 28, POINTS):
    q, amplitude = solve(hz, q)
seconds = (time.process_time() - start) / POINTS
low, high = 21.0, 22.5  # golden section
for _ in range(40):
    a, b = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
    low, high = (low, b) if solve(a, q)[1] > solve(b, q)[1] else (a, high)
print("%.3f ms a point; peak %.6g m at %.5f Hz" % (1e3 * seconds, solve(low, q)[1], low))
