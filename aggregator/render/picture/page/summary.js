/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The answer and the sums come first, after what limits the figures; facts of the run come last. */

function showWarnings() {
  byId('warnings').hidden = report.warnings.length === 0;
  byId('warning-list').append(...report.warnings.map(line => element('li', {}, line)));
}

/* A command to paste. Without the clipboard, the button selects it. */
function commandNodes(command) {
  const code = element('code', {}, command);
  const button = element('button', { type: 'button', class: 'control', onclick: async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = 'Copied';
    } catch {
      window.getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
  } }, 'Copy');
  return [code, ' ', button];
}

function showAnswer() {
  const { verdict, growth } = report;
  byId('answer').hidden = !verdict && growth.length === 0;
  if (verdict) {
    const { sentence, next, is_suspect: isSuspect } = verdict;
    byId('answer').classList.toggle('suspect', isSuspect);
    byId('verdict').append(element('p', { class: 'sentence' }, sentence),
      ...next ? [element('p', { class: 'next' }, 'Next: ', ...commandNodes(next))] : []);
  }
  byId('growth').append(...growth.flatMap(lineNodes));
}

/* A tile has the sum of a metric over all that is shown. */
function tile(metric, number) {
  const shown = report.shown[number];
  const all = report.all[number];
  const note = words => element('span', { class: 'note' }, words);
  const part = shown === all || !metric.adds_up ? []
    : [note(`${formatShare(shown, all)} of ${formatFigure(metric.unit, all)}`)];
  const margin = report.facts.get('allocations_before_filters_margin_percent');
  if (number === 0 && margin && margin.value > 0)
    part.push(note(`\u00b1 ${formatPercent(margin.value)} (sampled)`));
  return element('li', { title: `${formatExact(metric, shown)}; ${metric.help}` },
    element('span', { class: 'figure' }, formatFigure(metric.unit, shown)),
    element('span', {}, metric.label), ...part);
}

/* How many events were lost, as far as that is known. It stands out if that is more than
   --max-loss. */
function lossText() {
  const lost = report.facts.get('lost_events');
  if (report.complete)
    return '0';
  if (!lost || !lost.value.high)
    return 'not known';
  const { low, high } = lost.value;
  return low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`;
}

function lossTile() {
  const kind = report.complete ? 'good' : report.loss_is_small ? null : 'bad';
  return element('li', { class: kind },
    element('span', { class: 'figure' }, lossText()), element('span', {}, 'Lost events'));
}

function showTiles() {
  const stacks = element('li', {},
    element('span', { class: 'figure' }, formatCount(report.stacks.count)),
    element('span', {}, report.stacks.count === 1 ? 'Stack' : 'Stacks'));
  const tiles = [...report.metrics.entries()].filter(([number]) => isMain(number))
    .map(([number, metric]) => tile(metric, number));
  byId('summary').hidden = false;
  byId('tiles').append(...tiles, stacks, lossTile());
}

/* "Label: text" -> a term and its description. */
function lineNodes(line) {
  const end = line.indexOf(': ');
  return [element('dt', {}, end < 0 ? '' : line.slice(0, end)),
    element('dd', {}, end < 0 ? line : line.slice(end + 2))];
}

function factText({ type, value }) {
  if (type === 'list')
    return value.join(', ');
  if (type === 'range')
    return value.low === value.high ? formatCount(value.low)
      : `${formatCount(value.low)} to ${formatCount(value.high)}`;
  if (type === 'flag')
    return value ? 'yes' : 'no';
  if (type === 'count')
    return formatCount(value);
  if (type === 'bytes')
    return `${formatCount(value)} bytes`;
  if (type === 'seconds')
    return `${value} s`;
  if (type === 'percent')
    return formatPercent(value);
  return type === 'ns' ? `${formatCount(value)} ns` : String(value);
}

/* What a reader asks first. */
const FIRST_LINES = ['Read as: ', 'Run: ', 'Part: ', 'Command: ', 'Traced command: ', 'Lost: ',
  'Sampled: '];

function showFacts() {
  const first = FIRST_LINES.flatMap(start => report.lines.filter(line => line.startsWith(start)));
  const others = report.lines.filter(line => !first.includes(line));
  byId('lines').append(...first.concat(others).flatMap(lineNodes));
  byId('facts').tBodies[0].append(...[...report.facts.values()].map(fact => element('tr', {},
    element('th', { scope: 'row' }, wordsOf(fact.id)), element('td', {}, factText(fact)))));
}

function startSummary() {
  showWarnings();
  showAnswer();
  if (!report.caches)
    showTiles();
  showFacts();
  byId('reference').hidden = report.lines.length + report.facts.size === 0;
}
