/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What a reader chose, in the fragment of the page's address: so a link shows the same view, and
   the way back leads to the view before. Only what differs from the first view is there. */

const address = {
  isRestoring: false, /* the view comes from the address */
  isTyped: false, /* the filter was all that changed last */
  typed: '', /* the filter then */
};

/* The view as a fragment: "filter=tcp_&weight=bytes_allocated&stack=3". */
function viewAsText() {
  const view = new URLSearchParams();
  if (selection.typed)
    view.set('filter', selection.typed);
  for (const [key, value] of selection.chosen)
    view.set(`only-${key}`, text(value));
  if (selection.weight !== firstWeight)
    view.set('weight', weightMetric().member);
  if (table.sort !== (selection.weight === firstWeight ? report.rank : selection.weight))
    view.set('sort', columns[table.sort].id);
  if (!table.descending)
    view.set('order', 'ascending');
  if (selection.stack >= 0)
    view.set('stack', selection.stack + 1);
  return view.toString();
}

function currentFragment() {
  return window.location.hash.slice(1);
}

/* A filter that is typed letter by letter is one view. */
function saveView() {
  const view = viewAsText();
  if (address.isRestoring || view === currentFragment())
    return;
  const isTyped = selection.typed !== address.typed;
  const change = isTyped && address.isTyped ? 'replaceState' : 'pushState';
  address.isTyped = isTyped;
  address.typed = selection.typed;
  window.history[change](null, '', `${window.location.href.split('#')[0]}${view && `#${view}`}`);
}

/* Sets what the address says; what it does not say, or says wrongly, is as at first. */
function readView(view) {
  const typed = view.get('filter') || '';
  const numberOfColumn = id => columns.findIndex(column => column.id === id);
  const weight = report.metrics.findIndex(({ member, adds_up: addsUp }) =>
    addsUp && member === view.get('weight'));
  const stack = Number(view.get('stack')) - 1;
  byId('filter').value = typed;
  if (!readFilter(typed))
    setFilter('');
  selection.chosen.clear();
  for (const key of report.parts.keys.keys()) {
    const value = report.texts.indexOf(view.get(`only-${key}`));
    if (value >= 0)
      selection.chosen.set(key, value);
  }
  selection.weight = weight >= 0 ? weight : firstWeight;
  byId('weight').value = String(selection.weight);
  table.sort = numberOfColumn(view.get('sort'));
  if (table.sort < 0)
    table.sort = selection.weight === firstWeight ? report.rank : selection.weight;
  table.descending = view.get('order') !== 'ascending';
  selection.stack = Number.isInteger(stack) && stack < report.stacks.count ? stack : -1;
}

/* Shows the view of the address. A fragment without values is a place in the page. */
function restoreView() {
  const fragment = currentFragment();
  address.isRestoring = true;
  if (!fragment || fragment.includes('='))
    readView(new URLSearchParams(fragment));
  applyFilter();
  turnToStack(selection.stack);
  address.isRestoring = false;
  address.isTyped = false;
  address.typed = selection.typed;
}

function startAddress() {
  onSelection(saveView);
  window.addEventListener('popstate', restoreView);
  restoreView();
}
