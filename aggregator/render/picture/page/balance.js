/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The page without stacks: where all memory of the host is, part by part, its slab caches, and the
   kernel memory of its cgroups. */

const FIRST_ROWS = 20; /* of a table, until a reader wants all */

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

const CACHES = {
  title: 'Cache',
  name: row => row.cache,
  notes: row => [row.reclaimable ? 'reclaimable' : '', ...row.other_names || []],
  columns: [
    { label: 'Change', help: 'growth of the objects in use', member: 'change_bytes_per_second',
      format: formatRate },
    { label: 'Size', help: 'memory of all slabs', member: 'slab_bytes', format: formatBytes },
    { label: 'In use', help: 'objects', member: 'objects_in_use', format: formatCount },
    { label: 'Used', help: 'share of the slabs that is used', member: 'use_percent',
      format: formatPercent },
    { label: 'Object', help: 'size of an object', member: 'object_bytes', format: formatBytes },
  ],
};

const CGROUPS = {
  title: 'Cgroup',
  name: row => row.cgroup,
  notes: row => [row.is_rest ? 'without those below' : ''],
  columns: [
    { label: 'Change', help: 'growth of its own kernel memory',
      member: 'own_change_bytes_per_second', format: formatRate },
    { label: 'Kernel', help: 'kernel memory, without that of other rows', member: 'own_bytes',
      format: formatBytes },
    { label: 'Slab', help: 'slab caches that the kernel cannot shrink, with all cgroups below',
      member: 'slab_unreclaimable_bytes', format: formatBytes },
    { label: 'Sockets', help: 'buffers of sockets, with all cgroups below',
      member: 'sockets_bytes', format: formatBytes },
    { label: 'Dying', help: 'removed cgroups below that still use memory', member: 'dying',
      format: formatCount },
  ],
};

/* A table that its columns sort: {kind, rows, box, sort, descending, all}. */
function sortedRow({ name, notes, columns: cells }, row) {
  return element('tr', {}, element('th', { scope: 'row' }, name(row),
    element('span', { class: 'note of' }, notes(row).filter(Boolean).join(', '))),
  ...cells.map(({ member, format }) => element('td', { class: 'number' },
    isKnown(row[member]) ? format(row[member]) : UNKNOWN)));
}

function sortedHead(shown, { label, help }, number) {
  const sorted = shown.sort === number;
  return element('th', {
    scope: 'col', class: 'number',
    'aria-sort': sorted ? (shown.descending ? 'descending' : 'ascending') : null,
  }, element('button', { type: 'button', title: help, onclick: () => {
    drawSorted({ ...shown, sort: number, descending: !sorted || !shown.descending });
    shown.box.querySelector('th[aria-sort] button').focus();
  } }, label, sorted ? (shown.descending ? ' \u25be' : ' \u25b4') : ''));
}

/* Rows whose figure is not known come last. */
function drawSorted(shown) {
  const { kind, box, all, sort, descending } = shown;
  const { member } = kind.columns[sort];
  const figure = row => isKnown(row[member]) ? row[member] * (descending ? 1 : -1) : -Infinity;
  const order = (a, b) => a < b ? 1 : a > b ? -1 : 0;
  const rows = [...shown.rows].sort((a, b) => order(figure(a), figure(b)) ||
    order(a[kind.columns[1].member], b[kind.columns[1].member]));
  const more = all ? 0 : Math.max(0, rows.length - FIRST_ROWS);
  box.replaceChildren(
    element('div', { class: 'wide' }, element('table', { class: 'sorted' },
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, kind.title),
        ...kind.columns.map((column, number) => sortedHead(shown, column, number)))),
      element('tbody', {}, ...rows.slice(0, rows.length - more)
        .map(row => sortedRow(kind, row))))),
    ...more ? [element('button', { type: 'button', class: 'control',
      onclick: () => drawSorted({ ...shown, all: true }) }, `${formatCount(more)} more`)] : []);
}

function startSorted(id, kind, rows) {
  byId(id).hidden = rows.length === 0;
  drawSorted({ kind, rows, box: byId(`${id}-body`), sort: 0, descending: true, all: false });
}

function startBalance() {
  const { dying, dying_below: below } = report;
  byId('balance').hidden = report.balance.length === 0;
  byId('balance-body').append(balanceTable(report.balance));
  startSorted('caches', CACHES, report.caches);
  startSorted('cgroups', CGROUPS, report.cgroups);
  if (dying)
    byId('dying').textContent = `${numberOf(dying, 'removed cgroup')} still ` +
      `${dying === 1 ? 'uses' : 'use'} memory${below ? `, most of them below ${below}` : ''}.`;
}
