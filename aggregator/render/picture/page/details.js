/* SPDX-License-Identifier: GPL-2.0-or-later */

/* All that is known of one stack: what opens below its row. */

const PARTS_MAX = 20;
const AGE_NAMES = ['below 1 s', '1 to 10 s', '10 to 60 s', '60 to 600 s', '600 s or older'];
/* The limits of the classes of lifetimes in us; the last class has none. */
const LIFE_LIMITS_US =
	[ 1, 4, 15, 60, 250, 1e3, 4e3, 15e3, 60e3, 250e3, 1e6, 4e6, 15e6, 60e6, 250e6 ];

function figureList(stack) {
  return element('dl', { class: 'figures' }, ...report.metrics.flatMap((metric, number) => {
    const figure = report.stacks.figures[number][stack];
    const share = metric.adds_up ? ` (${formatShare(figure, report.shown[number])})` : '';
    return [element('dt', { title: metric.help }, metric.label),
      element('dd', { title: formatExact(metric, figure) },
        `${formatFigure(metric.unit, figure)}${share}`)];
  }));
}

function frameItem(frame) {
  const source = frame[FRAME.SOURCE];
  const item = element('li', { class: frame[FRAME.INLINED] ? 'inlined' : null },
    element('code', {}, text(frame[FRAME.LINE])));
  if (source !== undefined && text(source))
    item.append(element('pre', { class: 'source' }, text(source)));
  return item;
}

function frameList(stack) {
  const { starts, frames } = report.stacks;
  const list = element('ol', { class: 'frames' }, ...Array.from(
    frames.subarray(starts[stack], starts[stack + 1]), frame => frameItem(report.frames[frame])));
  if (report.stacks.cut.has(stack))
    list.append(element('li', { class: 'note' }, 'The stack reached the depth limit here.'));
  return list;
}

/* Sums of the weight by the texts of a key. */
function sumsOf(stack, key) {
  const { starts, list } = report.partsOf;
  const values = report.parts.keys.get(key);
  const figures = report.parts.figures[selection.weight];
  const sums = new Map();
  for (let i = starts[stack]; i < starts[stack + 1]; i++)
    addTo(sums, values[list[i]], figures[list[i]]);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function sumTable(stack, key) {
  const metric = weightMetric();
  const sums = sumsOf(stack, key);
  const rows = sums.slice(0, PARTS_MAX).map(([value, sum]) => element('tr', {},
    element('td', {}, text(value)),
    figureColumn(metric, sum)));
  const rest = sums.length - rows.length;
  if (rest > 0)
    rows.push(element('tr', {}, element('td', { class: 'note', colspan: 2 }, `${rest} more`)));
  return element('table', {}, element('caption', {}, `By ${key}`), element('tbody', {}, ...rows));
}

/* "below 1 us", "1 us to 4 us". */
function lifeName(place, count) {
	const limit = at => formatSpan(LIFE_LIMITS_US[at] * 1000);
	if (place === count - 1)
		return `${limit(place - 1)} or longer`;
	return place ? `${limit(place - 1)} to ${limit(place)}` : `below ${limit(place)}`;
}

function bars(title, names, counts) {
  const most = Math.max(...counts);
  if (!most)
    return [];
  return [element('table', { class: 'bars' }, element('caption', {}, title), element('tbody', {},
    ...counts.map((count, i) => {
      const bar = element('span', { class: 'share' });
      bar.style.width = `${count / most * 100}%`;
      return element('tr', {}, element('th', { scope: 'row' }, names[i]),
        element('td', { class: 'bar' }, bar, formatCount(count)));
    })))];
}

/* Whether what was allocated early is still held, as of a leak. */
function halvesTable(halves) {
  const row = (name, allocated, held) => element('tr', {},
    element('th', { scope: 'row' }, name),
    element('td', { class: 'number' }, `${formatCount(held)} of ${formatCount(allocated)}`),
    element('td', { class: 'number' }, formatShare(held, allocated)));
  return element('table', { class: 'bars' }, element('caption', {}, 'Kept of what was allocated'),
    element('tbody', {}, row('in the first half', halves[0], halves[1]),
      row('in the second half', halves[2], halves[3])));
}

/* Ages, lifetimes and what was held, of a stack or of all. */
function timeTables(times) {
  const lives = times.freed_by_lifetime;
  const parts = times.held_over_time.length;
  return [halvesTable(times.halves), ...bars('Held, by age', AGE_NAMES, times.held_by_age),
    ...bars('Freed, by lifetime', lives.map((_, i) => lifeName(i, lives.length)), lives),
    ...bars('Held at the end of each part of the run', times.held_over_time.map((_, i) =>
      `${i + 1} of ${parts}`), times.held_over_time)];
}

function detailNodes(stack) {
  const keys = [...report.parts.keys.keys()];
  return [frameList(stack), figureList(stack),
    element('div', { class: 'tables' }, ...keys.filter(key => key !== 'callsite')
      .map(key => sumTable(stack, key)),
    ...(report.times_of_stacks ? timeTables(report.times_of_stacks[stack]) : []))];
}

/* The row below that of a stack. It has the width of the table, and does not widen it. */
function detailsRow(stack, columns) {
  const words = `Stack ${formatCount(stack + 1)} of ${formatCount(report.stacks.count)}`;
  return element('tr', { class: 'details' }, element('td', { colspan: columns },
    element('div', { class: 'details-box', role: 'region', 'aria-label': words },
      ...detailNodes(stack))));
}
