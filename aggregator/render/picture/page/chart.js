/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Figures over time: a line for each of the largest caches, or for whatever the data have. */

const CHART = { height: 260, left: 70, right: 12, top: 10, bottom: 28, widthMax: 1100 };
const SERIES_MAX = 8; /* as many as there are colours */
const LABEL_PX = 110; /* of the x axis */
const LEAST_SECONDS = 1e-6;
/* What charts can show: what happened in an interval is shown per second, as intervals differ. */
const CHARTS = [
  { member: 'allocations', name: 'Allocations per second', unit: 'count', isRate: true },
  { member: 'bytes_allocated', name: 'Bytes per second', unit: 'bytes', isRate: true },
  { member: 'objects_held', name: 'Objects held', unit: 'count', isRate: false },
  { member: 'bytes_held', name: 'Bytes held', unit: 'bytes', isRate: false },
];

/* Returns all charts, [{name, unit, start, times, series: [{name, values}]}]: those of the run, and
   those that the data name themselves. */
function allCharts() {
  const named = (report.charts || []).flatMap(({ times_seconds: times, series, ...chart }) => {
    const grown = chart.shows_growth ? [{ ...chart, name: `Growth: ${chart.name}`, times,
      series: largestSeries(series.map(grownSeries)).filter(({ name }) => name !== 'others') }]
      : [];
    return [{ ...chart, times, series: largestSeries(series) }, ...grown];
  });
  return [...chartsOfRun(), ...named];
}

/* By how much a series is above its least value: what grows may be small beside what is large. */
function grownSeries({ name, values }) {
  const least = Math.min(...values.filter(isKnown));
  return { name, values: values.map(value => isKnown(value) ? value - least : null) };
}

function chartsOfRun() {
  if (!report.chart)
    return [];
  const { times_seconds: times, series } = report.chart;
  const valuesOf = (one, { member, isRate }) => one[member].map((value, i) =>
    isRate ? Math.round(value / Math.max(LEAST_SECONDS, times[i + 1] - times[i])) : value);
  return CHARTS.filter(({ member }) => series.length && series[0][member]).map(chart => ({
    ...chart,
    times,
    series: largestSeries(series.map(one => ({ name: one.cache, values: valuesOf(one, chart) }))),
  }));
}

/* The series that are the largest in this chart, and one for all others. */
function largestSeries(series) {
  const peak = ({ values }) => Math.max(...values);
  const named = series.filter(({ name }) => name !== null).sort((a, b) => peak(b) - peak(a));
  const more = named.length < series.length || named.length > SERIES_MAX;
  const shown = named.slice(0, more ? SERIES_MAX - 1 : SERIES_MAX);
  const others = series.filter(one => !shown.includes(one));
  const sum = others.length && others[0].values.map((_, i) =>
    others.reduce((total, { values }) => total + values[i], 0));
  return others.length ? [...shown, { name: 'others', values: sum }] : shown;
}

/* The next number whose quarters are easy to read. */
function roundUp(number, unit) {
  const scale = unit === 'bytes' ? 1024 ** Math.floor(Math.log(number) / Math.log(1024)) : 1;
  const power = 10 ** Math.floor(Math.log10(number / scale));
  return [1, 2, 4, 6, 8, 10].map(step => step * power * scale).find(step => step >= number);
}

function yAxis(most, unit) {
  const lines = [];
  for (let i = 0; i <= 4; i++) {
    const y = CHART.top + (CHART.height - CHART.top - CHART.bottom) * (1 - i / 4);
    lines.push(
      drawing('line', {
        class: 'grid', x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y,
      }),
      drawing('text', { x: CHART.left - 6, y: y + 4, 'text-anchor': 'end' },
        formatFigure(unit, most * i / 4)));
  }
  return lines;
}

const DAY_SECONDS = 86400;

/* A time of a chart: seconds of the run, or of the day, with the day if the chart has several. */
function timeOf({ start, times }, seconds) {
  if (!isKnown(start))
    return `${formatDecimals(seconds)} s`;
  const day = times[times.length - 1] - times[0] < DAY_SECONDS ? {}
    : { month: 'short', day: 'numeric' };
  const short = times[times.length - 1] - times[0] < 600 ? { second: '2-digit' } : {};
  return new Date((start + seconds) * 1000).toLocaleString('en-GB',
    { ...day, hour: '2-digit', minute: '2-digit', ...short });
}

function xAxis(chart) {
  const { times } = chart;
  const labels = [];
  const steps = CHART.width < 5 * LABEL_PX ? 2 : 4;
  for (let i = 0; i <= steps; i++)
    labels.push(drawing('text', {
      x: CHART.left + (CHART.width - CHART.left - CHART.right) * i / steps,
      y: CHART.height - 8,
      'text-anchor': i === 0 ? 'start' : i === steps ? 'end' : 'middle',
    }, timeOf(chart, times[0] + (times[times.length - 1] - times[0]) * i / steps)));
  return labels;
}

/* Values of intervals have the width of these, so the line has steps; those of moments are joined.
   Where one is not known, there is no line. */
function pathOfSeries(values, times, most) {
  const scale = (CHART.width - CHART.left - CHART.right) / (times[times.length - 1] - times[0]);
  const height = CHART.height - CHART.top - CHART.bottom;
  const x = time => (CHART.left + (time - times[0]) * scale).toFixed(1);
  const isOfMoments = values.length === times.length;
  return values.map((value, i) => {
    if (!isKnown(value))
      return '';
    const pen = i && isKnown(values[i - 1]) ? 'L' : 'M';
    const y = (CHART.top + height * (1 - value / most)).toFixed(1);
    return `${pen}${x(times[i])} ${y}${isOfMoments ? '' : `H${x(times[i + 1])}`}`;
  }).join('');
}

function drawSeries({ name, values }, place, chart, most) {
  const whole = values.reduce((sum, value) => sum + value, 0);
  return drawing('path', { class: `series s${place}`, d: pathOfSeries(values, chart.times, most) },
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
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'From'),
        ...series.map(({ name }) => element('th', { scope: 'col', class: 'number' }, name)))),
      element('tbody', {}, ...series[0].values.map((_, i) => element('tr', {},
        element('th', { scope: 'row' }, timeOf(chart, chart.times[i])),
        ...series.map(({ values }) => element('td', { class: 'number' },
          formatFigure(chart.unit, values[i])))))))));
}

function chartNodes(chart) {
  const { series } = chart;
  const most = roundUp(Math.max(1, ...series.flatMap(({ values }) => values)), chart.unit);
  const words = `${chart.name} over time: ${series.map(({ name }) => name).join(', ')}`;
  const { width, height } = CHART;
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return [drawing('svg', { ...size, role: 'img', 'aria-label': words },
    ...yAxis(most, chart.unit), ...xAxis(chart),
    ...series.map((one, place) => drawSeries(one, place, chart, most))),
  legend(series), chartTable(chart, series)];
}

/* How many time spans have which length; empty ends of the list are left out. */
function lengthTable(lengths) {
  const first = lengths.findIndex(count => count > 0);
  const last = lengths.findLastIndex(count => count > 0);
  const from = place => [1, 2, 5][place % 3] * 10 ** Math.floor(place / 3);
  const name = place => `from ${formatSpan(from(place))}`;
  return bars(`Lengths of the ${report.counted}`,
    lengths.slice(first, last + 1).map((_, i) => name(first + i)),
    lengths.slice(first, last + 1));
}

/* With --held: how long objects were held. Of probe points: how long it took. */
function startTimes() {
  if (!report.times && !report.lengths)
    return;
  byId('chart').hidden = false;
  if (report.lengths)
    byId('chart-title').textContent = 'How long it took';
  byId('times').append(...(report.times ? timeTables(report.times) : []),
    ...(report.lengths ? lengthTable(report.lengths) : []));
}

function startChart() {
  startTimes();
  const charts = allCharts().filter(({ series }) => series[0].values.length > 1);
  if (!charts.length)
    return;
  let shown = 0;
  const show = number => {
    shown = number;
    CHART.width = Math.min(CHART.widthMax, byId('chart').clientWidth);
    byId('chart-body').replaceChildren(...chartNodes(charts[number]));
  };
  byId('chart').hidden = false;
  window.addEventListener('resize', () => show(shown));
  byId('chart-note').hidden = report.shown[0] === report.all[0];
  choices(byId('chart-bar'), charts.map(({ name }, i) => [i, name]), 0, show);
  show(0);
}
