/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The page without stacks: where all memory of the host is, part by part, and its slab caches. */

const CACHE_ROWS = 20; /* until a reader wants all */

const caches = { sort: 0, descending: true, all: false };

/* "+1.2 MiB/s". */
function formatRate(bytes) {
  if (!isKnown(bytes) || bytes === 0)
    return isKnown(bytes) ? '0' : UNKNOWN;
  return `${bytes > 0 ? '+' : '-'}${formatBytes(Math.abs(bytes))}/s`;
}

/* A figure with a bar below it: its share of the largest. */
function barCell(figure, most, words, kind = '') {
  const bar = element('span', { class: `share ${kind}` });
  bar.style.width = `${most > 0 ? Math.max(0, figure) / most * 100 : 0}%`;
  return element('td', { class: 'number bar' }, bar, words);
}

function changeCell(change, most) {
  return barCell(Math.abs(change || 0), most, formatRate(change), change > 0 ? 'grown' : 'shrunk');
}

/* The parts as bars, the largest first, each with its change; without those that are empty. */
function balanceTable(parts) {
  const rows = parts.filter(row => row.bytes || row.change_bytes_per_second)
    .sort((a, b) => b.bytes - a.bytes);
  const most = Math.max(...rows.map(({ bytes }) => bytes));
  const mostChange = Math.max(...rows.map(row => Math.abs(row.change_bytes_per_second || 0)));
  const titles = ['Memory', 'Size', 'Share', 'Change'];
  return element('table', { class: 'balance' },
    element('thead', {}, element('tr', {}, ...titles.map((title, i) =>
      element('th', { scope: 'col', class: i ? 'number' : null }, title)))),
    element('tbody', {}, ...rows.map(row => element('tr', {},
      element('th', { scope: 'row' }, row.title), barCell(row.bytes, most, formatBytes(row.bytes)),
      element('td', { class: 'number' }, formatPercent(row.share_percent)),
      changeCell(row.change_bytes_per_second, mostChange)))));
}

const CACHE_COLUMNS = [
  { label: 'Change', help: 'growth of the objects in use',
    figure: row => row.change_bytes_per_second, format: formatRate },
  { label: 'Size', help: 'memory of all slabs', figure: row => row.slab_bytes,
    format: formatBytes },
  { label: 'In use', help: 'objects', figure: row => row.objects_in_use, format: formatCount },
  { label: 'Used', help: 'share of the slabs that is used', figure: row => row.use_percent,
    format: formatPercent },
  { label: 'Object', help: 'size of an object', figure: row => row.object_bytes,
    format: formatBytes },
];

function cacheRow(row) {
  const notes = [...row.other_names || []];
  if (row.reclaimable)
    notes.unshift('reclaimable');
  return element('tr', {}, element('th', { scope: 'row' }, row.cache,
    element('span', { class: 'note of' }, notes.join(', '))),
  ...CACHE_COLUMNS.map(({ figure, format }) =>
    element('td', { class: 'number' }, isKnown(figure(row)) ? format(figure(row)) : UNKNOWN)));
}

function cacheHead({ label, help }, number) {
  const sorted = caches.sort === number;
  return element('th', {
    scope: 'col', class: 'number',
    'aria-sort': sorted ? (caches.descending ? 'descending' : 'ascending') : null,
  }, element('button', { type: 'button', title: help, onclick: () => sortCaches(number) }, label,
    sorted ? (caches.descending ? ' \u25be' : ' \u25b4') : ''));
}

function sortCaches(number) {
  caches.descending = caches.sort === number ? !caches.descending : true;
  caches.sort = number;
  drawCaches();
  byId('caches-body').querySelector('th[aria-sort] button').focus();
}

function drawCaches() {
  const { figure } = CACHE_COLUMNS[caches.sort];
  const sign = caches.descending ? -1 : 1;
  const rows = [...report.caches].sort((a, b) => sign * (figure(a) - figure(b)) ||
    b.slab_bytes - a.slab_bytes);
  const shown = caches.all ? rows : rows.slice(0, CACHE_ROWS);
  const more = rows.length - shown.length;
  byId('caches-body').replaceChildren(
    element('div', { class: 'wide' }, element('table', { class: 'sorted' },
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Cache'),
        ...CACHE_COLUMNS.map(cacheHead))),
      element('tbody', {}, ...shown.map(cacheRow)))),
    ...more ? [element('button', { type: 'button', class: 'control', onclick: () => {
      caches.all = true;
      drawCaches();
    } }, `${formatCount(more)} more`)] : []);
}

function startBalance() {
  if (report.balance.length) {
    byId('balance').hidden = false;
    byId('balance-body').append(balanceTable(report.balance));
  }
  byId('caches').hidden = false;
  drawCaches();
}
