#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The coefficients in src/compiler/builtins/library/elementary: polynomials with the smallest largest relative error.

    fit_polynomials.py [NAME...]

Prints each polynomial from its constant term upwards, and the relative error of the function that is made of it. Remez'
algorithm with 60 digits, by mpmath (Debian: python3-mpmath). The last digits depend on where it stops.
"""

import struct
import sys

import mpmath as m

m.mp.dps = 60
ROUNDS = 12
NEAR_ZERO = m.mpf(10) ** -15


def extremes(error, grid, count):
    """One place of the largest error for each run of errors of the same sign; `count` of them."""
    found = []
    for x in grid:
        value = error(x)
        if found and (found[-1][1] > 0) == (value > 0):
            if abs(value) > abs(found[-1][1]):
                found[-1] = (x, value)
        else:
            found.append((x, value))
    while len(found) > count:
        found.pop(0 if abs(found[0][1]) < abs(found[-1][1]) else -1)
    return found


def fit(function, weight, low, high, degree):
    """Coefficients of the polynomial p for which weight * (function - p) is smallest, and how large that is."""
    low, high, count = m.mpf(low), m.mpf(high), degree + 2

    def nodes(number):
        return [(low + high) / 2 - (high - low) / 2 * m.cos(m.pi * i / (number - 1)) for i in range(number)]

    places, worst, coefficients = nodes(count), m.mpf(0), []
    for _ in range(ROUNDS):
        matrix, values = m.matrix(count, count), m.matrix(count, 1)
        for row, x in enumerate(places):
            for column in range(degree + 1):
                matrix[row, column] = x ** column
            matrix[row, degree + 1] = (-1) ** row / weight(x)
            values[row] = function(x)
        solution = m.lu_solve(matrix, values)
        coefficients = [solution[column] for column in range(degree + 1)]
        found = extremes(lambda x: weight(x) * (function(x) - m.polyval(coefficients[::-1], x)), nodes(40 * count), count)
        worst = max(abs(value) for _, value in found)
        if len(found) < count:
            break
        places = [x for x, _ in found]
    return coefficients, worst


def odd(function, at_zero):
    """(f(x) / x - 1) / x^2 of x^2, with the weight that makes the error of f relative."""
    def quotient(t):
        x = m.sqrt(t)
        return (function(x) / x - 1) / t if t > NEAR_ZERO else m.mpf(at_zero)
    return quotient, lambda t: t * m.sqrt(t) / function(m.sqrt(t))


def at(function, limit):
    return lambda x: function(x) if abs(x) > NEAR_ZERO else m.mpf(limit)


def erfcx(t):
    x = 3 * (1 + t) / (1 - t)
    return m.exp(x * x) * m.erfc(x) * (1 + 2 * x)


def erf_quotient(t):
    """erf(x) / x of x^2: its slope at zero shows in a double from 1e-16 on."""
    return m.erf(m.sqrt(t)) / m.sqrt(t) if t > NEAR_ZERO ** 3 else 2 / m.sqrt(m.pi)


EXP2 = at(lambda f: m.expm1(f * m.log(2)) / f, m.log(2))
LOG2_ERFC = at(lambda x: m.log(m.erfc(x), 2) / x, -2 / m.sqrt(m.pi) / m.log(2))
LOG2 = at(lambda r: m.log(1 + r, 2) / r, 1 / m.log(2))
ROOT = m.sqrt(m.mpf(2))
# name: function, weight, from, to, degree, whether its coefficients are float
POLYNOMIALS = {
    "exp2_less_one": (EXP2, lambda f: 1 / EXP2(f), -0.5, 0.5, 6, False),
    "log_near_one": (at(lambda t: (2 * m.atanh(m.sqrt(t)) / m.sqrt(t) - 2) / t, m.mpf(2) / 3), lambda t: t / 2, NEAR_ZERO,
                     "0.029438", 3, False),
    "sine_near_zero": (*odd(m.sin, -m.mpf(1) / 6), NEAR_ZERO, "2.4675", 4, False),
    "cosine_near_zero": (at(lambda t: (m.cos(m.sqrt(t)) - 1) / t, -0.5), lambda t: t / m.cos(m.sqrt(t)), NEAR_ZERO, "0.617", 3,
                         False),
    "arcsine_near_zero": (*odd(m.asin, m.mpf(1) / 6), NEAR_ZERO, "0.25", 6, False),
    "angle_of": (*odd(m.atan, -m.mpf(1) / 3), NEAR_ZERO, "0.17158", 5, False),
    "erf_near_zero": (erf_quotient, lambda t: 1 / erf_quotient(t), NEAR_ZERO, 1, 7, False),
    "erfc_above_zero": (erfcx, lambda t: 1 / erfcx(t), -1, m.mpf("7.2") / m.mpf("13.2"), 12, False),
    "scaled_exp": (at(lambda r: (m.expm1(r) - r) / r ** 2, 0.5), lambda r: max(r * r, m.mpf("0.001")) / m.exp(r), "-0.3467",
                   "0.3467", 4, True),
    "log": (at(lambda r: (m.log1p(r) - r + r * r / 2) / r ** 3, m.mpf(1) / 3),
            at(lambda r: max(r * r, m.mpf("0.002")) * r / m.log1p(r), "0.002"), 1 / ROOT - 1, ROOT - 1, 7, True),
    # For double: the functions of elementary/wide.h, wide_angle.h and wide_power.h.
    "exp_less of double": (at(lambda r: (m.expm1(r) - r) / r ** 2, 0.5), lambda r: max(r * r, m.mpf("0.0001")) / m.exp(r),
                           "-0.3467", "0.3467", 9, False),
    "log_near of double": (at(lambda t: (2 * m.atanh(m.sqrt(t)) / m.sqrt(t) - 2) / t, m.mpf(2) / 3), lambda t: t / 2, NEAR_ZERO,
                           "0.029438", 6, False),
    "sine of double": (*odd(m.sin, -m.mpf(1) / 6), NEAR_ZERO, "0.617", 5, False),
    "cosine of double": (at(lambda t: (m.cos(m.sqrt(t)) - 1 + t / 2) / t ** 2, m.mpf(1) / 24),
                         lambda t: t * t / m.cos(m.sqrt(t)), NEAR_ZERO, "0.617", 5, False),
    "arcsine of double": (*odd(m.asin, m.mpf(1) / 6), NEAR_ZERO, "0.25", 11, False),
    "angle of double": (*odd(m.atan, -m.mpf(1) / 3), NEAR_ZERO, "0.17158", 10, False),
    "logarithm of a power, of double": (at(lambda t: (2 * m.atanh(m.sqrt(t)) / m.sqrt(t) - 2) / t, m.mpf(2) / 3),
                                        lambda t: t / 2, NEAR_ZERO, "0.0031", 4, False),
    "eighths of a power": (lambda x: 8 / x, lambda x: 1, 1 / ROOT, ROOT, 2, False),
    "inverse cube root": (lambda x: x ** (-m.mpf(1) / 3), lambda x: x ** (m.mpf(1) / 3), 1 / ROOT, ROOT, 5, False),
    "erf of double": (erf_quotient, lambda t: 1 / erf_quotient(t), 0, 1, 12, False),
    "erfc of double": (erfcx, lambda t: 1 / erfcx(t), -1, m.mpf("24.5") / m.mpf("30.5"), 24, False),
    "native_exp2": (lambda f: 2 ** f, lambda f: 2 ** -f, -0.5, 0.5, 5, True),
    "native_log2": (LOG2, lambda r: 1 / LOG2(r), 1 / ROOT - 1, ROOT - 1, 8, True),
    "exp2_less_one of float": (EXP2, lambda f: 1 / EXP2(f), -0.5, 0.5, 5, True),
    "log2_erfc": (LOG2_ERFC, at(lambda x: x * m.erfc(x) * m.log(2) / m.erf(x), 1), NEAR_ZERO, "3.93", 8, True),
    # In the library are the fits that are left for the others once the first, the second ... is rounded to a float.
    "sine_near_zero of float": (*odd(m.sin, -m.mpf(1) / 6), NEAR_ZERO, "2.5", 3, True),
}


def main():
    for name in sys.argv[1:] or POLYNOMIALS:
        *what, single = POLYNOMIALS[name]
        coefficients, worst = fit(*what)
        values = [struct.unpack("f", struct.pack("f", float(c)))[0] if single else float(c) for c in coefficients]
        print(f"{name}: relative error 2^{float(m.log(worst, 2)):.1f}")
        print("  " + ", ".join(value.hex() for value in values))


if __name__ == "__main__":
    main()
