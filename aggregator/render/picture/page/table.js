/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The stacks by rank: a page of rows at a time, so any number of stacks costs the same. */

const PAGE_ROWS = 25;

const table = {
  sort: report.rank,
  descending: true,
  page: 0,
  rows: [], /* stacks in order */
  columns: new Set(report.metrics.map((_, number) => number).filter(isMain)),
};

/* Orders stacks; those without a figure come last, equal ones by rank. */
function sortRows() {
  const figures = selection.figures[table.sort];
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
}

function headCell(number) {
  const metric = report.metrics[number];
  const sorted = table.sort === number;
  return element('th', {
    scope: 'col',
    class: number === selection.weight ? 'number weight' : 'number',
    'aria-sort': sorted ? (table.descending ? 'descending' : 'ascending') : null,
  }, element('button', { type: 'button', title: metric.help, onclick: () => sortBy(number) },
    metric.label, sorted ? (table.descending ? ' \u25be' : ' \u25b4') : ''));
}

function shownColumns() {
  return report.metrics.map((_, i) => i)
    .filter(i => table.columns.has(i) || i === selection.weight || i === table.sort);
}

function drawHead() {
  byId('stacks').tHead.replaceChildren(element('tr', {},
    element('th', { scope: 'col', class: 'number' }, '#'), ...shownColumns().map(headCell),
    element('th', { scope: 'col', class: 'number' }, 'Share',
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
  const metric = report.metrics[number];
  const figure = selection.figures[number][stack];
  const margins = number === report.rank && !selection.parts && report.stacks.margins;
  const margin = margins && margins[stack] > 0 ? ` \u00b1${formatPercent(margins[stack])}` : '';
  return element('td', {
    class: number === selection.weight ? 'number weight' : 'number',
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
    'aria-selected': String(stack === selection.stack),
  }, element('td', { class: 'number' }, formatCount(number + 1)),
  ...shownColumns().map(column => figureCell(stack, column)), shareCell(stack),
  stackCell(labelOfStack(stack, 'callsite') || names[0], names.slice(siteOf(stack) + 1),
    placesOf(stack)));
}

/* Why there are no rows. */
function noRows() {
  const reason = report.lines.find(line => line.startsWith('Nothing left: '));
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
  drawPages();
}

function turnTo(page) {
  table.page = Math.min(Math.max(0, page), pageCount() - 1);
  drawTable();
}

function focusRow(place) {
  const rows = byId('stacks').tBodies[0].querySelectorAll('tr[data-stack]');
  const row = rows[Math.min(Math.max(0, place), rows.length - 1)];
  if (!row)
    return;
  for (const other of rows)
    other.tabIndex = other === row ? 0 : -1;
  row.focus();
}

function moveRow(row, by) {
  const place = row.sectionRowIndex + by;
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
  Enter: row => openDetails(Number(row.dataset.stack)),
  ' ': row => openDetails(Number(row.dataset.stack)),
};

function rowOf(event) {
  return event.target.closest('tbody tr[data-stack]');
}

function openDetails(stack) {
  chooseStack(stack);
  byId('details').focus();
  byId('details').scrollIntoView({ block: 'nearest' });
}

function markRow() {
  for (const row of byId('stacks').tBodies[0].rows)
    row.setAttribute('aria-selected', String(Number(row.dataset.stack) === selection.stack));
}

function columnBox(metric, number) {
  const box = element('input', { type: 'checkbox', checked: table.columns.has(number),
    onchange: () => {
      table.columns[box.checked ? 'add' : 'delete'](number);
      drawTable();
    } });
  return element('label', { title: metric.help }, box, ` ${metric.label}`);
}

function startTable() {
  byId('column-list').append(...report.metrics.map(columnBox));
  byId('columns').hidden = report.metrics.length < 2;
  byId('stacks').addEventListener('keydown', event => {
    const row = rowOf(event);
    if (!row || !tableKeys[event.key])
      return;
    event.preventDefault();
    tableKeys[event.key](row);
  });
  byId('stacks').addEventListener('click', event => {
    const row = rowOf(event);
    if (row)
      chooseStack(Number(row.dataset.stack));
  });
  onSelection(what => {
    if (what === 'stack') {
      markRow();
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
