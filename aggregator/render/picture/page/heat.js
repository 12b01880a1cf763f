/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Which processes allocate from which caches: the largest of both, by the weight. */

const HEAT_ROWS = 16;
const HEAT_COLUMNS = 12;

/* What the columns are, in order of preference: of hits of probe points, not of caches. */
const heatColumn = ['cache', 'point'].find(key => report.parts.keys.has(key));

function addTo(map, key, amount) {
  map.set(key, (map.get(key) || 0) + amount);
}

/* Returns the largest keys of a map. */
function largest(map, count) {
  return [...map].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).slice(0, count)
    .map(([key]) => key);
}

function heatSums() {
  const rows = report.parts.keys.get('process');
  const columns = report.parts.keys.get(heatColumn);
  const figures = report.parts.figures[selection.weight];
  const sums = { rows: new Map(), columns: new Map(), fields: new Map() };
  for (let part = 0; part < report.parts.count; part++) {
    if (selection.parts && !selection.parts[part])
      continue;
    addTo(sums.rows, rows[part], figures[part]);
    addTo(sums.columns, columns[part], figures[part]);
    addTo(sums.fields, rows[part] * report.texts.length + columns[part], figures[part]);
  }
  return sums;
}

function heatName(key, value) {
  const chosen = selection.chosen.get(key) === value;
  return element('th', { scope: key === 'process' ? 'row' : 'col' }, element('button', {
    type: 'button', 'aria-pressed': String(chosen), title: text(value),
    onclick: () => choosePart([[key, value]]),
  }, text(value)));
}

function heatField(sums, row, column, most) {
  const metric = weightMetric();
  const sum = sums.fields.get(row * report.texts.length + column) || 0;
  const words = `${text(row)}, ${text(column)}: ${formatExact(metric, sum)}`;
  const cell = element('td', { class: 'field' });
  if (sum > 0) {
    /* By the root, so that small sums are seen, too. */
    cell.style.setProperty('--heat', String(Math.sqrt(sum / most)));
    cell.append(element('button', { type: 'button', title: words, 'aria-label': words,
      onclick: () => choosePart([['process', row], [heatColumn, column]]) },
    formatFigure(metric.unit, sum)));
  }
  return cell;
}

function drawHeat() {
  const sums = heatSums();
  const rows = largest(sums.rows, HEAT_ROWS);
  const columns = largest(sums.columns, HEAT_COLUMNS);
  let most = 0;
  for (const sum of sums.fields.values())
    most = Math.max(most, sum);
  const rest = sums.rows.size - rows.length + sums.columns.size - columns.length;
  byId('heat-body').replaceChildren(element('table', {},
    element('thead', {}, element('tr', {}, element('td'),
      ...columns.map(column => heatName(heatColumn, column)))),
    element('tbody', {}, ...rows.map(row => element('tr', {}, heatName('process', row),
      ...columns.map(column => heatField(sums, row, column, most)))))));
  byId('heat').hidden = rows.length === 0;
  const names = heatColumn === 'cache' ? 'slab caches' : 'points';
  byId('heat-title').textContent = `Processes and ${names}${rest > 0 ? ', the largest' : ''}`;
}

function startHeat() {
  if (!heatColumn || !report.parts.keys.has('process'))
    return;
  byId('heat').hidden = false;
  onSelection(what => {
    if (what !== 'stack')
      drawHeat();
  });
}
