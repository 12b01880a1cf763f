/* SPDX-License-Identifier: GPL-2.0-or-later */

/* The call tree: the same tree as the flame graph, as rows that open. */

const CHILDREN_MAX = 100;
const OPEN_SHARE = 0.5; /* a child with so much of its parent is open at first */

function figureColumn(metric, figure) {
  return element('td', { class: 'number', title: formatExact(metric, figure) },
    figure > 0 ? formatFigure(metric.unit, figure) : '');
}

function callRow(node) {
  const metric = weightMetric();
  const whole = flame.tree.root.total;
  const leaf = childrenOf(flame.tree, node).length === 0;
  const bar = element('span', { class: 'share' });
  bar.style.width = `${whole > 0 ? node.total / whole * 100 : 0}%`;
  const isFound = flame.found && node.name >= 0 && flame.found[node.name];
  const module = nodeModule(node);
  const label = element('td', { class: isFound ? 'call found' : 'call' },
    element('span', { class: 'twist', 'aria-hidden': 'true' }, leaf ? '' : '\u25b8'),
    nodeName(node), module ? element('span', { class: 'note' }, ` [${module}]`) : '');
  label.style.paddingInlineStart = `${Math.min(node.depth, 40) * 0.9 + 0.3}em`;
  const row = element('tr', {
    tabindex: -1, 'aria-level': node.depth + 1, 'aria-expanded': leaf ? null : 'false',
  }, label, element('td', { class: 'number bar' }, bar, formatShare(node.total, whole)),
  figureColumn(metric, node.total), figureColumn(metric, node.self));
  row.node = node;
  return row;
}

function openRow(row) {
  if (row.getAttribute('aria-expanded') !== 'false')
    return;
  row.setAttribute('aria-expanded', 'true');
  row.querySelector('.twist').textContent = '\u25be';
  const children = childrenOf(flame.tree, row.node);
  const rows = children.slice(0, CHILDREN_MAX).map(callRow);
  row.after(...rows);
  if (children.length > CHILDREN_MAX) {
    const rest = element('tr', { tabindex: -1, 'aria-level': row.node.depth + 2 },
      element('td', { class: 'call note', colspan: 4 },
        numberOf(children.length - CHILDREN_MAX, 'smaller function')));
    rest.node = newNode(row.node, -1, row.node.depth + 1, 0, 0, 0);
    rows[rows.length - 1].after(rest);
  }
  for (const [i, child] of children.slice(0, CHILDREN_MAX).entries())
    if (child.total >= row.node.total * OPEN_SHARE)
      openRow(rows[i]);
}

function closeRow(row) {
  if (row.getAttribute('aria-expanded') !== 'true')
    return;
  row.setAttribute('aria-expanded', 'false');
  row.querySelector('.twist').textContent = '\u25b8';
  while (row.nextSibling && row.nextSibling.node.depth > row.node.depth)
    row.nextSibling.remove();
}

function focusCall(row) {
  if (!row)
    return;
  for (const other of row.parentElement.rows)
    other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

function parentRow(row) {
  let other = row.previousSibling;
  while (other && other.node.depth >= row.node.depth)
    other = other.previousSibling;
  return other;
}

const callKeys = {
  ArrowDown: row => focusCall(row.nextSibling),
  ArrowUp: row => focusCall(row.previousSibling),
  ArrowRight: row => {
    if (row.getAttribute('aria-expanded') === 'false')
      openRow(row);
    else
      focusCall(row.nextSibling);
  },
  ArrowLeft: row => {
    if (row.getAttribute('aria-expanded') === 'true')
      closeRow(row);
    else
      focusCall(parentRow(row));
  },
  Enter: row => toggleRow(row),
  Home: row => focusCall(row.parentElement.rows[0]),
  End: row => focusCall(row.parentElement.rows[row.parentElement.rows.length - 1]),
};

function toggleRow(row) {
  if (row.getAttribute('aria-expanded') === 'true')
    closeRow(row);
  else
    openRow(row);
}

function drawCalls() {
  const body = element('tbody');
  const head = ['Function', 'Share', weightMetric().label, 'Ends here'];
  const root = callRow(flame.tree.root);
  root.tabIndex = 0;
  body.append(root);
  openRow(root);
  body.addEventListener('click', event => {
    const row = event.target.closest('tr');
    toggleRow(row);
    focusCall(row);
  });
  body.addEventListener('keydown', event => {
    const row = event.target.closest('tr');
    if (!row || !callKeys[event.key])
      return;
    event.preventDefault();
    callKeys[event.key](row);
  });
  const titles = head.map((word, i) =>
    element('th', { scope: 'col', class: i ? 'number' : '' }, word));
  byId('calls-box').replaceChildren(
    element('table', { role: 'treegrid', 'aria-label': 'Call tree' },
      element('thead', {}, element('tr', {}, ...titles)), body));
}
