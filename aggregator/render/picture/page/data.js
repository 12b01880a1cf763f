/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The data of the page, an object of JSON:
 *
 * schema_version    1
 * command, counted  the command, and what its events are called: "allocations"
 * complete          nothing was lost, and nothing may have been
 * loss_is_small     no more was lost than --max-loss allows, and it is known how much
 * verdict           {sentence, next, is_suspect}, as in doc/JSON.md; null: the report has none
 * growth            how slab caches grew while they were traced: lines as in the text report
 * lines, warnings   the closing lines of the text report; those that limit what figures mean
 * facts             [{id, type, value}], as in doc/JSON.md; type: text, list, flag, count, range,
 *                   bytes, percent, seconds, ns, time
 * metrics           [{member, name, help, unit, adds_up}]; name: null if the member says it all;
 *                   unit: count, bytes, ns. adds_up: the figures of stacks have a sum, so areas
 *                   may show them; else the sum of several is the largest
 * rank              position of the metric that ranks the stacks
 * shown, all        sums, a figure for each metric: of the shown stacks, and before filters
 * stacks            {frames, depths, figures, margins, growth, cut}, by rank. frames: those of all
 *                   stacks, one stack after the other, each innermost first; depths: how many each
 *                   has.
 *                   figures: for each metric an array, a figure for each stack, null if not known.
 *                   margins: percent, of the rank; only if events were sampled. growth: a text
 *                   for each stack, "grows"; only with --held. cut: the stacks that reached the
 *                   depth limit
 * times             {held_by_age, freed_by_lifetime, held_over_time, halves} as in doc/JSON.md;
 *                   only with --held. halves: of each half of the run, objects allocated, and of
 *                   these held. times_of_stacks: the same of each stack
 * parts             {stack, process, cache, ..., figures}: the stacks, divided. For each key an
 *                   array with a stack, or a text, for each part; figures as above
 * frames            [[name, module, line, file, line number, source, inlined]]: texts; the last
 *                   four only where source lines are known. line: as in the text report
 * texts             texts, which others name by position; "" is not known
 *
 * Optional, not of every run:
 *
 * lengths           of time spans: how many begin at 1 ns, 2 ns, 5 ns, 10 ns, ... and are below the
 *                   next
 * chart             {times_seconds, series}: when each interval of the run begins, and when the
 *                   last ends; for each slab cache {cache, allocations, bytes_allocated,
 *                   objects_held, bytes_held}, arrays with a figure for each interval, the last
 *                   two only with --held. cache null: all others
 * charts            [{name, unit, shows_growth, start, times_seconds, series}]: any figures over
 *                   time; shows_growth: a second chart shows how they grew. series:
 *                   [{name, values}], a value or null for each time; with one time more, values
 *                   are of the intervals between. start: when second 0 was, in seconds since 1970;
 *                   null: times are of the run
 * balance           [{title, bytes, share_percent, change_bytes_per_second}]: the parts of all
 *                   memory of the host
 * caches, cgroups   rows as in doc/JSON.md. A page with them has no stacks, metrics, parts and
 *                   frames
 * dying             removed cgroups that still use memory; dying_below: the path below which most
 *                   are, or null
 * diff              with --diff, of which all other members are the newer run: {member, per,
 *                   rows_compared, rows_beyond_noise, rows_unclear, all, old, new, change, noise,
 *                   what} as in doc/JSON.md, of what ranks, the last five with an entry for each
 *                   row; keys: texts as in parts; names, depths: texts as in stacks; old_lines:
 *                   lines of the older run; recorded_differently: ids of facts
 */

const DEFAULTS = {
  verdict: null,
  metrics: [], rank: 0, shown: [], all: [], frames: [], texts: [],
  stacks: { frames: [], depths: [], figures: [], cut: [] }, parts: { stack: [], figures: [] },
};

const FRAME = { NAME: 0, MODULE: 1, LINE: 2, FILE: 3, NUMBER: 4, SOURCE: 5, INLINED: 6 };

function numbers(array) {
  return Float64Array.from(array, number => number === null ? NaN : number);
}

/* Returns where the frames of each stack begin, and where the last ones end. */
function startsOf(depths) {
  const starts = new Int32Array(depths.length + 1);
  for (let i = 0; i < depths.length; i++)
    starts[i + 1] = starts[i] + depths[i];
  return starts;
}

function readStacks(json) {
  const frames = Int32Array.from(json.stacks.frames);
  const names = frames.map(frame => json.frames[frame][FRAME.NAME]);
  return {
    count: json.stacks.depths.length,
    starts: startsOf(json.stacks.depths),
    frames,
    names,
    figures: json.stacks.figures.map(numbers),
    margins: json.stacks.margins || null,
    growth: json.stacks.growth || null,
    cut: new Set(json.stacks.cut),
  };
}

function readParts(json) {
  const keys = new Map();
  for (const [key, values] of Object.entries(json.parts))
    if (key !== 'figures')
      keys.set(key, Int32Array.from(values));
  const stack = keys.get('stack');
  keys.delete('stack');
  return { count: stack.length, stack, keys, figures: json.parts.figures.map(numbers) };
}

/* Returns the parts of each stack: those of stack s are list[starts[s]] to list[starts[s + 1]]. */
function partsOfStacks(parts, stacks) {
  const depths = new Int32Array(stacks);
  for (const stack of parts.stack)
    depths[stack]++;
  const starts = startsOf(depths);
  const next = starts.slice();
  const list = new Int32Array(parts.count);
  for (let part = 0; part < parts.count; part++)
    list[next[parts.stack[part]]++] = part;
  return { starts, list };
}

function readReport() {
  const json = { ...DEFAULTS, ...JSON.parse(byId('data').textContent) };
  const stacks = readStacks(json);
  const parts = readParts(json);
  for (const metric of json.metrics)
    metric.label = labelOf(metric.name || wordsOf(metric.member));
  return {
    ...json,
    stacks,
    parts,
    partsOf: partsOfStacks(parts, stacks.count),
    facts: new Map(json.facts.map(fact => [fact.id, fact])),
  };
}

const report = readReport();

/* The figures that readers want to see first, beside what ranks the stacks. */
const MAIN_FIGURES = ['allocations', 'bytes_allocated', 'bytes_wasted', 'peak_bytes',
  'age_max_seconds', 'value', 'value_bytes', 'time_seconds', 'time_max_seconds'];

function isMain(number) {
  return number === report.rank || MAIN_FIGURES.includes(report.metrics[number].member);
}

function text(number) {
  return report.texts[number];
}

/* The names of a stack's functions, innermost first. */
function namesOf(stack) {
  const { starts, names } = report.stacks;
  return Array.from(names.subarray(starts[stack], starts[stack + 1]), text);
}

/* The label of a stack in a key of parts, that of its largest part; null without that key. */
function labelOfStack(stack, key) {
  const values = report.parts.keys.get(key);
  const { starts, list } = report.partsOf;
  return values && starts[stack] < starts[stack + 1] ? text(values[list[starts[stack]]]) : null;
}
