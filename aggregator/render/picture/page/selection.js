/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What the reader chose to see, and the figures of it. All parts of the page show the same
   selection; each is called when it changes. */

const firstWeight =
  Math.max(0, report.metrics.findIndex((metric, i) => i === report.rank && metric.adds_up));

const selection = {
  typed: '', /* the filter, and as a pattern: */
  pattern: null, /* RegExp; null: everything */
  chosen: new Map(), /* key of parts -> the only text to show */
  weight: firstWeight,
  stack: -1, /* the one with details; -1: none */
  parts: null, /* Uint8Array: which ones are shown; null: all */
  figures: report.stacks.figures,
  totals: report.shown,
  stacks: [], /* those shown, by rank */
};

const watchers = [];

/* what: 'filter', 'weight' or 'stack'. */
function selectionChanged(what) {
  for (const watcher of watchers)
    watcher(what);
}

function onSelection(watcher) {
  watchers.push(watcher);
}

/* Returns a pattern of what a reader typed: a text, or a /regex/; null for nothing. Throws if the
   regex is wrong. */
function patternOf(typed) {
  const regex = /^\/(.*)\/(i?)$/.exec(typed);
  if (!typed)
    return null;
  if (regex)
    return new RegExp(regex[1], regex[2]);
  return new RegExp(typed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}

/* Takes what a reader typed as the filter. Throws if it is a wrong regex. */
function setFilter(typed) {
  selection.pattern = patternOf(typed);
  selection.typed = typed;
}

/* Returns which texts have the pattern. */
function matchTexts(pattern) {
  return Uint8Array.from(report.texts, one => pattern.test(one) ? 1 : 0);
}

/* Returns which stacks have a frame with the pattern. */
function matchStacks(texts, ofFrame) {
  const { count, starts, frames } = report.stacks;
  const ofFrames = Uint8Array.from(report.frames, frame => texts[frame[ofFrame]]);
  const matched = new Uint8Array(count);
  for (let stack = 0; stack < count; stack++)
    for (let i = starts[stack]; i < starts[stack + 1] && !matched[stack]; i++)
      matched[stack] = ofFrames[frames[i]];
  return matched;
}

function matchParts() {
  const { count, stack, keys } = report.parts;
  const matched = new Uint8Array(count).fill(1);
  const texts = selection.pattern && matchTexts(selection.pattern);
  const stacks = texts && matchStacks(texts, FRAME.LINE);
  const labels = [...keys.values()];
  for (let part = 0; texts && part < count; part++)
    matched[part] = stacks[stack[part]] || labels.some(values => texts[values[part]]) ? 1 : 0;
  for (const [key, wanted] of selection.chosen) {
    const values = keys.get(key);
    for (let part = 0; part < count; part++)
      matched[part] &= values[part] === wanted ? 1 : 0;
  }
  return matched;
}

/* Adds a figure to a sum; unknown figures count nothing. */
function addFigure(metric, sum, figure) {
  if (!isKnown(figure))
    return sum;
  if (!isKnown(sum))
    return figure;
  return metric.adds_up ? sum + figure : Math.max(sum, figure);
}

/* Returns the figures of the stacks in the parts that are shown. */
function figuresOfParts(matched) {
  const { count, stack, figures } = report.parts;
  return report.metrics.map((metric, number) => {
    const sums = new Float64Array(report.stacks.count).fill(metric.adds_up ? 0 : NaN);
    const column = figures[number];
    for (let part = 0; part < count; part++)
      if (matched[part] && metric.adds_up)
        sums[stack[part]] += column[part];
      else if (matched[part])
        sums[stack[part]] = addFigure(metric, sums[stack[part]], column[part]);
    return sums;
  });
}

function totalOf(number, figures) {
  const metric = report.metrics[number];
  let sum = metric.adds_up ? 0 : NaN;
  for (const figure of figures)
    sum = addFigure(metric, sum, figure);
  return sum;
}

function listStacks(matched) {
  const has = new Uint8Array(report.stacks.count);
  for (let part = 0; matched && part < report.parts.count; part++)
    has[report.parts.stack[part]] |= matched[part];
  const list = [];
  for (let stack = 0; stack < report.stacks.count; stack++)
    if (!matched || has[stack])
      list.push(stack);
  return list;
}

function applyFilter() {
  const filtered = selection.pattern || selection.chosen.size;
  selection.parts = filtered ? matchParts() : null;
  selection.figures = filtered ? figuresOfParts(selection.parts) : report.stacks.figures;
  selection.totals = filtered
    ? selection.figures.map((figures, number) => totalOf(number, figures)) : report.shown;
  selection.stacks = listStacks(selection.parts);
  selectionChanged('filter');
}

function weightMetric() {
  return report.metrics[selection.weight];
}

function chooseWeight(number) {
  selection.weight = number;
  selectionChanged('weight');
}

function chooseStack(stack) {
  selection.stack = stack;
  selectionChanged('stack');
}

/* Shows only what has these texts; again: everything. pairs: [key, text]. */
function choosePart(pairs) {
  const chosen = pairs.every(([key, value]) => selection.chosen.get(key) === value);
  for (const [key, value] of pairs) {
    if (chosen)
      selection.chosen.delete(key);
    else
      selection.chosen.set(key, value);
  }
  applyFilter();
}
