/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * How far figures of two runs differ by chance alone, if the same load makes independent events at
 * a steady rate. The number of such events is Poisson distributed. A sum over events, such as
 * bytes, and an estimate from sampled events are a Poisson distributed number times a scale:
 * variance / figure (Bohm and Zech, "Statistics of weighted Poisson events and its applications",
 * 2014).
 *
 * Each figure has its own bounds. Those of a difference follow from them: the squares of the
 * distances to the bounds add up (Zou and Donner, "Construction of confidence limits about effect
 * measures: a general approach", 2008).
 *
 * Loads that come in bursts differ by more: then the variance must be measured.
 */

/* A figure of one run. */
typedef struct {
	double figure;   /* at least 0 */
	double variance; /* between runs of the same load, in squares of its unit */
	double factor;   /* to what is compared: 1 / seconds, for example */
} NoisyFigure;

/* Returns the change of figure * factor that chance does not exceed: at so many standard errors of
   a normal distribution, to that side. Infinite: nothing is known. */
double noise_of_change(NoisyFigure before, NoisyFigure after, double errors);

/* Chance makes one of the rows of so many reports exceed their noise. */
enum { NOISE_REPORTS = 20 };

/* Returns the standard errors of each row at which the noise of that many rows together holds in
   all but one of NOISE_REPORTS reports: each row gets an equal part of the exceptions
   (Bonferroni). */
double noise_errors(uint64_t rows);

/* Returns the same with variances that were measured on this number of blocks of time, 2 or more:
   Student's distribution, by Wallace's approximation ("Bounds on normal approximations to
   Student's and the chi-square distributions", 1959). */
double noise_errors_measured(double errors, uint32_t blocks);
