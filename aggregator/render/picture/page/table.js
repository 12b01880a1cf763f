/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The stacks by rank: a page of rows at a time, so any number of stacks costs the same. */

const PAGE_ROWS = 10;

/* What --held says of a stack in a word, what matters most last. */
const GROWTH_WORDS = ['turns over', 'may grow', 'grows'];

/* A column: its id is also that in the address; values() are of all stacks, NaN if not known. */
function metricColumn(metric, number) {
  return {
    id: metric.member, label: metric.label, help: metric.help, isMain: isMain(number), number,
    values: () => selection.figures[number],
  };
}

function heldColumns() {
  const growth = report.stacks.growth.map(text);
  const ranks = numbers(growth.map(word => word ? GROWTH_WORDS.indexOf(word) : null));
  const kept = numbers(report.times_of_stacks.map(({ halves }) =>
    halves[0] ? halves[1] / halves[0] * 100 : null));
  return [
    { id: 'growth', label: 'Over the run', isMain: true, values: () => ranks, isWord: true,
      help: 'grows: what was allocated early is kept like what was allocated late; turns over: ' +
        'only the newest is held; may grow: not all frees are seen',
      format: stack => growth[stack] },
    { id: 'kept', label: 'Kept', isMain: true, values: () => kept,
      help: 'of the objects that were allocated in the first half of the run, how many are held',
      format: stack => formatPercent(kept[stack]) },
  ];
}

/* Those of metrics are first, so their numbers are those of metrics. */
const columns = [...report.metrics.map(metricColumn),
  ...(report.stacks.growth ? heldColumns() : [])];

const table = {
  sort: report.rank,
  descending: true,
  page: 0,
  rows: [], /* stacks in order */
  columns: new Set([...columns.keys()].filter(number => columns[number].isMain)),
};

/* Orders stacks; those without a figure come last, equal ones by rank. */
function sortRows() {
  const figures = columns[table.sort].values();
  const sign = table.descending ? -1 : 1;
  const order = (a, b) => {
    const ofA = figures[a], ofB = figures[b];
    if (Number.isNaN(ofA) || Number.isNaN(ofB))
      return Number.isNaN(ofA) - Number.isNaN(ofB) || a - b;
    return sign * (ofA - ofB) || a - b;
  };
  table.rows = Int32Array.from(selection.stacks).sort(order);
}

function pageCount() {
  return Math.max(1, Math.ceil(table.rows.length / PAGE_ROWS));
}

function sortBy(number) {
  table.descending = table.sort === number ? !table.descending : true;
  table.sort = number;
  table.page = 0;
  sortRows();
  drawTable();
  byId('stacks').querySelector('th[aria-sort] button').focus();
  saveView();
}

function columnClass(number) {
  if (columns[number].isWord)
    return 'word';
  return number === selection.weight ? 'number weight' : 'number';
}

function headCell(number) {
  const { label, help } = columns[number];
  const sorted = table.sort === number;
  return element('th', {
    scope: 'col',
    class: columnClass(number),
    'aria-sort': sorted ? (table.descending ? 'descending' : 'ascending') : null,
  }, element('button', { type: 'button', title: help, onclick: () => sortBy(number) },
    label, sorted ? (table.descending ? ' \u25be' : ' \u25b4') : ''));
}

function shownColumns() {
  return [...columns.keys()]
    .filter(i => table.columns.has(i) || i === selection.weight || i === table.sort);
}

function drawHead() {
  byId('stacks').tHead.replaceChildren(element('tr', {},
    element('th', { scope: 'col', class: 'number' }, '#'), ...shownColumns().map(headCell),
    element('th', { scope: 'col', class: 'number bar' }, 'Share',
      element('span', { class: 'note of' }, `of ${weightMetric().label.toLowerCase()}`)),
    element('th', { scope: 'col' }, 'Stack')));
}

/* The position of the call site among the functions of a stack. */
function siteOf(stack) {
  const site = labelOfStack(stack, 'callsite') || '';
  const isSite = name => site === name || site.startsWith(`${name} `);
  return Math.max(0, namesOf(stack).findIndex(isSite));
}

/* The call site, the functions that called it, and where it happened. */
function stackCell(site, callers, places) {
  return element('td', { class: 'stack' },
    element('span', { class: 'site' }, site),
    element('span', { class: 'callers' }, callers.map(name => ` \u2190 ${name}`).join('')),
    element('span', { class: 'places' }, places.join(' \u00b7 ')));
}

function placesOf(stack) {
  return ['cache', 'point', 'process'].map(key => labelOfStack(stack, key)).filter(Boolean);
}

function figureCell(stack, number) {
  const column = columns[number];
  if (column.format)
    return element('td', { class: columnClass(number), title: column.help }, column.format(stack));
  const metric = report.metrics[number];
  const figure = selection.figures[number][stack];
  const margins = number === report.rank && !selection.parts && report.stacks.margins;
  const margin = margins && margins[stack] > 0 ? ` \u00b1${formatPercent(margins[stack])}` : '';
  return element('td', {
    class: columnClass(number),
    title: formatExact(metric, figure),
  }, formatFigure(metric.unit, figure), margin && element('span', { class: 'note' }, margin));
}

function shareCell(stack) {
  const part = selection.figures[selection.weight][stack];
  const whole = selection.totals[selection.weight];
  const bar = element('span', { class: 'share' });
  bar.style.width = `${whole > 0 ? Math.max(0, part / whole * 100) : 0}%`;
  return element('td', { class: 'number bar' }, bar, formatShare(part, whole));
}

function bodyRow(stack, place) {
  const number = table.page * PAGE_ROWS + place;
  const names = namesOf(stack);
  return element('tr', {
    tabindex: place === 0 ? 0 : -1,
    'data-stack': stack,
    'aria-rowindex': number + 2,
    'aria-expanded': String(stack === selection.stack),
  }, element('td', { class: 'number' },
    element('span', { class: 'twist', 'aria-hidden': 'true' }), formatCount(number + 1)),
  ...shownColumns().map(column => figureCell(stack, column)), shareCell(stack),
  stackCell(labelOfStack(stack, 'callsite') || names[0], names.slice(siteOf(stack) + 1),
    placesOf(stack)));
}

/* Why there are no rows. */
function noRows() {
  const reason = report.lines.find(line => line.startsWith('Nothing to show: '));
  return element('tr', {}, element('td', { class: 'note', colspan: shownColumns().length + 3 },
    report.stacks.count ? 'No stack has what is filtered for.' : reason || 'No stack was seen.'));
}

function drawPages() {
  const last = pageCount() - 1;
  const go = (label, page, words) => element('button', {
    type: 'button', 'aria-label': words, disabled: page < 0 || page > last || page === table.page,
    onclick: () => turnTo(page),
  }, label);
  byId('pages').replaceChildren(go('\u00ab', 0, 'First page'),
    go('\u2039', table.page - 1, 'Page before'),
    element('span', {}, `Page ${formatCount(table.page + 1)} of ${formatCount(last + 1)}`),
    go('\u203a', table.page + 1, 'Next page'), go('\u00bb', last, 'Last page'));
}

function drawTable() {
  const first = table.page * PAGE_ROWS;
  const stacks = Array.from(table.rows.slice(first, first + PAGE_ROWS));
  drawHead();
  byId('stacks').setAttribute('aria-rowcount', table.rows.length + 1);
  byId('stacks').tBodies[0].replaceChildren(
    ...(stacks.length ? stacks.map(bodyRow) : [noRows()]));
  openRowOf(selection.stack);
  drawPages();
}

function rowsOfStacks() {
  return [...byId('stacks').tBodies[0].querySelectorAll('tr[data-stack]')];
}

/* Shows the details of a stack below its row, if that is there, and hides those of another. */
function openRowOf(stack) {
  byId('stacks').tBodies[0].querySelector('.details')?.remove();
  for (const row of rowsOfStacks()) {
    const isOpen = Number(row.dataset.stack) === stack;
    row.setAttribute('aria-expanded', String(isOpen));
    if (isOpen)
      row.after(detailsRow(stack, row.cells.length));
  }
}

function turnTo(page) {
  table.page = Math.min(Math.max(0, page), pageCount() - 1);
  drawTable();
}

function focusRow(place) {
  const rows = rowsOfStacks();
  const row = rows[Math.min(Math.max(0, place), rows.length - 1)];
  if (!row)
    return;
  for (const other of rows)
    other.tabIndex = other === row ? 0 : -1;
  row.focus();
}

function moveRow(row, by) {
  const place = rowsOfStacks().indexOf(row) + by;
  if (place < 0 && table.page > 0) {
    turnTo(table.page - 1);
    focusRow(PAGE_ROWS - 1);
  } else if (place >= PAGE_ROWS && table.page < pageCount() - 1) {
    turnTo(table.page + 1);
    focusRow(0);
  } else {
    focusRow(place);
  }
}

const tableKeys = {
  ArrowDown: row => moveRow(row, 1),
  ArrowUp: row => moveRow(row, -1),
  Home: () => focusRow(0),
  End: () => focusRow(PAGE_ROWS - 1),
  PageDown: () => { turnTo(table.page + 1); focusRow(0); },
  PageUp: () => { turnTo(table.page - 1); focusRow(0); },
  Enter: row => toggleDetails(row),
  ' ': row => toggleDetails(row),
  Escape: () => chooseStack(-1),
};

function rowOf(event) {
  return event.target.closest('tbody tr[data-stack]');
}

/* Opens the details of a row, or closes them. What does not fit on the screen is scrolled into
   it, as far as the row remains there. */
function toggleDetails(row) {
  const stack = Number(row.dataset.stack);
  chooseStack(selection.stack === stack ? -1 : stack);
  if (selection.stack < 0)
    return;
  const below = row.nextElementSibling.getBoundingClientRect().bottom - window.innerHeight;
  const above = row.getBoundingClientRect().top - byId('bar').offsetHeight;
  window.scrollBy(0, Math.max(0, Math.min(below, above)));
}

/* The page of rows that has a stack; nothing changes if it is filtered out. */
function turnToStack(stack) {
  const place = table.rows.indexOf(stack);
  if (place >= 0 && Math.floor(place / PAGE_ROWS) !== table.page)
    turnTo(Math.floor(place / PAGE_ROWS));
}

function columnBox({ label, help }, number) {
  const box = element('input', { type: 'checkbox', checked: table.columns.has(number),
    onchange: () => {
      table.columns[box.checked ? 'add' : 'delete'](number);
      drawTable();
    } });
  return element('label', { title: help }, box, ` ${label}`);
}

function startTable() {
  byId('column-list').append(...columns.map(columnBox));
  byId('columns').hidden = columns.length < 2;
  byId('stacks').addEventListener('keydown', event => {
    const row = rowOf(event);
    if (!row || !tableKeys[event.key])
      return;
    event.preventDefault();
    tableKeys[event.key](row);
  });
  byId('stacks').addEventListener('click', event => {
    const row = rowOf(event);
    if (!row)
      return;
    row.focus({ preventScroll: true });
    toggleDetails(row);
  });
  onSelection(what => {
    if (what === 'stack') {
      turnToStack(selection.stack);
      openRowOf(selection.stack);
      return;
    }
    if (what === 'weight') {
      table.sort = selection.weight;
      table.descending = true;
    }
    table.page = 0;
    sortRows();
    drawTable();
  });
}
