/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Figures over time: a line for each of the largest caches, or for what all stacks hold. */

const CHART = { width: 800, height: 260, left: 70, right: 12, top: 10, bottom: 28 };
const SERIES_MAX = 8;
const SPAN_UNIT = { count: 'count', bytes: 'bytes' };

/* Returns the charts of this run: [{name, unit, seconds, series: [{name, values}]}]. */
function chartsOfRun() {
  const charts = [];
  const chart = report.chart;
  for (const member of chart ? chart.metrics : [])
    charts.push({
      name: member.replace(/_/g, ' '),
      unit: member.includes('bytes') ? SPAN_UNIT.bytes : SPAN_UNIT.count,
      seconds: chart.interval_seconds,
      series: chart.series.map(({ cache, values }) => ({ name: cache, values: values[member] })),
    });
  if (chart && chart.held)
    charts.push({ name: 'bytes held', unit: SPAN_UNIT.bytes, seconds: chart.interval_seconds,
      series: chart.held.map(({ cache, values }) => ({ name: cache, values })) });
  return charts;
}

/* The next "round" number: 1, 2 or 5 with zeros. */
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= number);
}

function yAxis(most, unit) {
  const lines = [];
  for (let i = 0; i <= 4; i++) {
    const y = CHART.top + (CHART.height - CHART.top - CHART.bottom) * (1 - i / 4);
    lines.push(drawing('line', { class: 'grid', x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y }),
      drawing('text', { x: CHART.left - 6, y: y + 4, 'text-anchor': 'end' },
        formatFigure(unit, most * i / 4)));
  }
  return lines;
}

function xAxis(count, seconds) {
  const labels = [];
  for (let i = 0; i <= 4; i++)
    labels.push(drawing('text', {
      x: CHART.left + (CHART.width - CHART.left - CHART.right) * i / 4,
      y: CHART.height - 8,
      'text-anchor': i === 0 ? 'start' : i === 4 ? 'end' : 'middle',
    }, seconds ? `${(count * seconds * i / 4).toPrecision(3)} s` : `${i * 25} % of the run`));
  return labels;
}

function pathOfSeries(values, most) {
  const step = (CHART.width - CHART.left - CHART.right) / Math.max(1, values.length - 1);
  const height = CHART.height - CHART.top - CHART.bottom;
  return values.map((value, i) => `${i ? 'L' : 'M'}${(CHART.left + i * step).toFixed(1)} ` +
    `${(CHART.top + height * (1 - value / most)).toFixed(1)}`).join('');
}

function drawSeries({ name, values }, place, chart, most) {
  const whole = values.reduce((sum, value) => sum + value, 0);
  return drawing('path', { class: `series s${place}`, d: pathOfSeries(values, most) },
    drawing('title', {}, `${name}: most ${formatFigure(chart.unit, Math.max(...values))}, ` +
      `mean ${formatFigure(chart.unit, Math.round(whole / values.length))}`));
}

function legend(series) {
  return element('ul', { class: 'legend' }, ...series.map(({ name }, place) =>
    element('li', { class: `s${place}` }, name)));
}

/* The same figures for those who do not see the picture. */
function chartTable(chart, series) {
  return element('details', { class: 'control' }, element('summary', {}, 'As a table'),
    element('div', { class: 'wide' }, element('table', {},
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Interval'),
        ...series.map(({ name }) => element('th', { scope: 'col', class: 'number' }, name)))),
      element('tbody', {}, ...series[0].values.map((_, i) => element('tr', {},
        element('th', { scope: 'row' }, String(i + 1)),
        ...series.map(({ values }) => element('td', { class: 'number' },
          formatFigure(chart.unit, values[i])))))))));
}

function chartNodes(chart) {
  const series = chart.series.slice(0, SERIES_MAX);
  const count = series[0].values.length;
  const most = roundUp(Math.max(1, ...series.flatMap(({ values }) => values)));
  const words = `${labelOf(chart.name)} over time: ${series.map(({ name }) => name).join(', ')}`;
  return [drawing('svg', { viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: 'img', 'aria-label': words },
    ...yAxis(most, chart.unit), ...xAxis(count, chart.seconds),
    ...series.map((one, place) => drawSeries(one, place, chart, most))),
  legend(series), chartTable(chart, series)];
}

function startChart() {
  const charts = chartsOfRun().filter(({ series }) => series.length && series[0].values.length > 1);
  if (!charts.length)
    return;
  const show = number => byId('chart-body').replaceChildren(...chartNodes(charts[number]));
  byId('chart').hidden = false;
  choices(byId('chart-bar'), charts.map(({ name }, i) => [i, labelOf(name)]), 0, show);
  show(0);
}
