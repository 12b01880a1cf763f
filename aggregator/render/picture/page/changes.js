/* SPDX-License-Identifier: GPL-2.0-or-later */

/* How this run differs from an older one (--diff): the rows that changed most, a page at a time. */

const CHANGE_ROWS = 25;
const ALLOCATORS_FROM = 1000; /* stacks */

const changes = { rows: [], page: 0 };

/* A figure of a comparison: it may be a fraction, and time spans are seconds. */
function formatCompared(figure) {
  const { unit } = changes;
  if (!isKnown(figure))
    return UNKNOWN;
  if (unit === 'count')
    return formatDecimals(figure);
  const size = formatFigure(unit, Math.abs(figure) * (unit === 'ns' ? 1e9 : 1));
  return figure < 0 ? `-${size}` : size;
}

function formatChange(figure) {
  return figure > 0 ? `+${formatCompared(figure)}` : formatCompared(figure);
}

function namesOfChange(row) {
  const { names } = report.diff;
  return Array.from(names.slice(changes.starts[row], changes.starts[row + 1]), text);
}

function labelsOfChange(row) {
  return Object.values(report.diff.keys).map(values => text(values[row]));
}

/* The functions that allocate for others, as the call sites of the largest stacks show. */
function findAllocators() {
  const found = new Set();
  for (let stack = 0; stack < Math.min(report.stacks.count, ALLOCATORS_FROM); stack++)
    for (const name of namesOf(stack).slice(0, siteOf(stack)))
      found.add(name);
  return found;
}

/* The rows with the pattern of the filter, and with what was chosen in the map. */
function matchChanges() {
  const { what, keys } = report.diff;
  const has = row => !selection.pattern ||
    [...namesOfChange(row), ...labelsOfChange(row)].some(name => selection.pattern.test(name));
  const isChosen = row => [...selection.chosen].every(([key, value]) =>
    !keys[key] || keys[key][row] === value);
  changes.rows = [...what.keys()].filter(row => isChosen(row) && has(row));
  changes.page = 0;
}

/* New and more are what a reader looks for, so they stand out; words say the same as colours. */
const CHANGE_CLASSES = { new: 'bad', more: 'bad', gone: 'good', less: 'good' };

function changeRow(row) {
  const { old, new: after, change, noise, what } = report.diff;
  const names = namesOfChange(row);
  const site = names.find(name => !changes.allocators.has(name)) || names[0];
  const number = (...children) => element('td', { class: 'number' }, ...children);
  return element('tr', {},
    element('td', { class: `change ${CHANGE_CLASSES[what[row]] || ''}` }, what[row]),
    number(formatChange(change[row])), number(formatCompared(old[row])),
    number(formatCompared(after[row])),
    number(isKnown(noise[row]) ? `\u00b1${formatCompared(noise[row])}` : UNKNOWN),
    stackCell(site, names.slice(names.indexOf(site) + 1), labelsOfChange(row)));
}

function changePages() {
  const last = Math.max(0, Math.ceil(changes.rows.length / CHANGE_ROWS) - 1);
  const go = (label, page, words) => element('button', {
    type: 'button', 'aria-label': words, disabled: page < 0 || page > last,
    onclick: () => {
      changes.page = page;
      drawChanges();
    },
  }, label);
  return element('nav', { class: 'pages control', 'aria-label': 'Pages of the changes' },
    go('\u2039', changes.page - 1, 'Page before'),
    element('span', {}, `Page ${formatCount(changes.page + 1)} of ${formatCount(last + 1)}`),
    go('\u203a', changes.page + 1, 'Next page'));
}

function drawChanges() {
  const first = changes.page * CHANGE_ROWS;
  const titles = ['', 'Change', 'Old', 'New', 'By chance', 'Stack'];
  byId('changes-body').replaceChildren(element('div', { class: 'wide' },
    element('table', { class: 'compared' },
      element('thead', {}, element('tr', {}, ...titles.map((title, i) =>
        element('th', { scope: 'col', class: i && i < 5 ? 'number' : '' }, title)))),
      element('tbody', {}, ...changes.rows.slice(first, first + CHANGE_ROWS).map(changeRow)))),
  changePages());
}

function showCompared() {
  const { all, per, rows_compared: rows, rows_beyond_noise: beyond, rows_unclear: unclear } =
    report.diff;
  const label = changes.label.toLowerCase();
  const { change_percent: exact } = all;
  const percent = isKnown(exact) ? formatDecimals(exact) : UNKNOWN;
  const sentences = [
    ...[['Old', report.diff.old_lines], ['New', report.lines]].flatMap(([age, lines]) =>
      lines.filter(line => line.startsWith('Run: ')).map(line => `${age} run: ${line.slice(5)}.`)),
    `${labelOf(label)}${per}: ${formatCompared(all.old)} in the old run, ` +
      `${formatCompared(all.new)} in the new one (${all.change > 0 ? '+' : ''}${percent} %).`,
    beyond === null ? `${numberOf(rows, 'row')} compared.`
      : `${formatCount(beyond)} of ${numberOf(rows, 'row')} changed by more than chance explains.`,
  ];
  if (unclear)
    sentences.push(`${numberOf(unclear, 'row')} unclear: changed by more than if events were ` +
      'independent, but the runs do not show how unevenly they come.');
  if (report.diff.recorded_differently.length)
    sentences.push('Recorded differently, which may explain changes: ' +
      `${report.diff.recorded_differently.map(wordsOf).join(', ')}.`);
  byId('compared').append(...sentences.map(sentence => element('p', {}, sentence)));
  byId('old-lines').append(...report.diff.old_lines.flatMap(lineNodes));
}

function startChanges() {
  if (!report.diff)
    return;
  const metric = report.metrics.find(({ member }) => member === report.diff.member);
  changes.unit = metric ? metric.unit : 'count';
  changes.label = metric ? metric.label : wordsOf(report.diff.member);
  changes.allocators = findAllocators();
  changes.starts = startsOf(report.diff.depths);
  byId('changes').hidden = false;
  showCompared();
  onSelection(what => {
    if (what !== 'filter')
      return;
    matchChanges();
    drawChanges();
  });
}
