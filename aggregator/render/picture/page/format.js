/* SPDX-License-Identifier: GPL-2.0-or-later */
'use strict';

/* Numbers as people read them. A figure that is not known is null or NaN. */

const UNKNOWN = '-';

/* Larger numbers were rounded when the page read them. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

function isKnown(number) {
  return number !== null && number !== undefined && !Number.isNaN(number);
}

function formatCount(number) {
  if (!isKnown(number))
    return UNKNOWN;
  const text = number.toLocaleString('en-US');
  return Math.abs(number) > EXACT_MAX ? `about ${text}` : text;
}

/* Two or three significant digits and the unit: "1.5 KiB". */
function formatScaled(number, units, step) {
  let unit = 0;
  while (Math.abs(number) >= step && unit < units.length - 1) {
    number /= step;
    unit++;
  }
  const digits = unit && Math.abs(number) < 10 ? 1 : 0;
  return `${number.toFixed(digits)} ${units[unit]}`;
}

function formatBytes(number) {
  return formatScaled(number, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], 1024);
}

function formatSpan(ns) {
  if (ns < 1e9)
    return formatScaled(ns, ['ns', 'us', 'ms'], 1000);
  const digits = ns < 1e10 ? 1 : 0;
  return `${(ns / 1e9).toLocaleString('en-US', { maximumFractionDigits: digits })} s`;
}

/* A figure in few characters, for tables and pictures. */
function formatFigure(unit, number) {
  if (!isKnown(number))
    return UNKNOWN;
  if (unit === 'bytes')
    return formatBytes(number);
  if (unit === 'ns')
    return formatSpan(number);
  return formatCount(number);
}

/* All digits, and the unit in words. */
function formatExact(metric, number) {
  if (!isKnown(number))
    return `${metric.label}: not known`;
  const units = { bytes: ' bytes', ns: ' ns' };
  const short = metric.unit === 'count' ? '' : ` (${formatFigure(metric.unit, number)})`;
  return `${metric.label}: ${formatCount(number)}${units[metric.unit] || ''}${short}`;
}

/* Seconds and the like. */
function formatDecimals(number) {
  return number.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function formatPercent(percent) {
  if (!isKnown(percent))
    return UNKNOWN;
  if (percent === 0)
    return '0 %';
  if (percent < 0.01)
    return '<0.01 %';
  const digits = percent >= 10 ? 0 : percent >= 1 ? 1 : 2;
  return `${percent.toFixed(digits)} %`;
}

function formatShare(part, whole) {
  return whole > 0 ? formatPercent(part * 100 / whole) : UNKNOWN;
}

/* A name of JSON in words, without its unit: "age_max_seconds" -> "age max". */
function wordsOf(member) {
  return member.replace(/_(percent|seconds|ns)(?=_|$)/, '').replace(/_/g, ' ');
}

function labelOf(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/* "1 stack", "2,000 stacks". */
function numberOf(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
