/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Starts the parts of the page, and has what they share: the theme, the filter, keys, printing. A
   page of all memory has no stacks, and so no filter. */

const FILTER_DELAY_MS = 120;
const darkDevice = window.matchMedia('(prefers-color-scheme: dark)');

function theme() {
  return document.documentElement.dataset.theme;
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const other = name === 'dark' ? 'Light' : 'Dark';
  byId('theme').textContent = other;
  byId('theme').setAttribute('aria-label', `${other} colours`);
  if (flame.tree)
    drawFlame();
}

/* The device chooses until the reader does. */
function startTheme() {
  const follow = () => setTheme(darkDevice.matches ? 'dark' : 'light');
  byId('theme').hidden = false;
  darkDevice.addEventListener('change', follow);
  byId('theme').addEventListener('click', () => {
    darkDevice.removeEventListener('change', follow);
    setTheme(theme() === 'dark' ? 'light' : 'dark');
  });
  follow();
}

function showChosen() {
  byId('chosen').replaceChildren(...[...selection.chosen].map(([key, value]) => element('button', {
    type: 'button', 'aria-label': `Show all, not only ${key} ${text(value)}`,
    onclick: () => choosePart([[key, value]]),
  }, `${key}: ${text(value)} \u00d7`)));
}

function showMatched() {
  const metric = weightMetric();
  const total = selection.totals[selection.weight];
  const whole = report.shown[selection.weight];
  const all = selection.stacks.length === report.stacks.count && !selection.parts;
  byId('matched').textContent = all ? '' :
    `${formatCount(selection.stacks.length)} of ${numberOf(report.stacks.count, 'stack')}, ` +
    `${formatFigure(metric.unit, total)} of ${formatFigure(metric.unit, whole)} ` +
    `${metric.label.toLowerCase()} (${formatShare(total, whole)})`;
}

/* Returns whether a reader typed a filter, which then is that of the page. */
function readFilter(typed) {
  try {
    setFilter(typed);
  } catch (error) {
    byId('matched').textContent = `Not a regular expression: ${error.message}`;
    return false;
  }
  return true;
}

function filterBy(typed) {
  if (readFilter(typed))
    applyFilter();
}

function startFilter() {
  let timer = 0;
  byId('filter').addEventListener('input', event => {
    clearTimeout(timer);
    timer = setTimeout(() => filterBy(event.target.value.trim()), FILTER_DELAY_MS);
  });
  for (const [number, metric] of report.metrics.entries())
    if (metric.adds_up)
      byId('weight').append(element('option', { value: number, title: metric.help }, metric.label));
  byId('weight').value = String(selection.weight);
  byId('weight').addEventListener('change', event => chooseWeight(Number(event.target.value)));
  onSelection(what => {
    if (what === 'stack')
      return;
    showChosen();
    showMatched();
  });
}

function isTyping(target) {
  return target.matches('input, select, textarea');
}

/* "/" goes to the search of the picture if the reader is there, else to the filter. */
function startKeys() {
  document.addEventListener('keydown', event => {
    const box = byId('pictures').contains(document.activeElement) ? byId('search') : byId('filter');
    if (event.key === '/' && !isTyping(event.target) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      box.focus();
      box.select();
    } else if (event.key === 'Escape' && event.target.matches('#filter, #search')) {
      event.target.value = '';
      event.target.dispatchEvent(new Event('input'));
    }
  });
}

/* Paper is white, and shows the details of a stack. */
function startPrinting() {
  let before = null;
  window.addEventListener('beforeprint', () => {
    before = theme();
    setTheme('light');
    byId('all-facts').open = true;
    if (table.rows.length && selection.stack < 0)
      openRowOf(table.rows[table.page * PAGE_ROWS]);
  });
  window.addEventListener('afterprint', () => {
    setTheme(before);
    byId('all-facts').open = false;
    if (table.rows.length)
      openRowOf(selection.stack);
  });
}

function startStacks() {
  startFilter();
  startKeys();
  soon(() => {
    startChanges();
    startTable();
    startFlame();
    startChart();
    startHeat();
    startAddress();
    showReady();
  });
}

function startOverview() {
  for (const id of ['bar', 'matched', 'ranking', 'pictures'])
    byId(id).hidden = true;
  soon(() => {
    startBalance();
    startChart();
    showReady();
  });
}

function showReady() {
  document.documentElement.dataset.ready = 'yes';
  performance.mark('ready');
}

function start() {
  byId('page').hidden = false;
  startTheme();
  startSummary();
  startPrinting();
  if (report.caches)
    startOverview();
  else
    startStacks();
}

start();
