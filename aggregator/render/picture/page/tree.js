/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The selected stacks as a tree of functions, from the outermost caller ('callers') or from the
 * function that allocated ('callees'). A node is a range of an array of stacks, and is divided when
 * its children are asked for: nobody looks at most of a tree.
 */

function newNode(parent, name, depth, lo, hi, total) {
  return { parent, name, depth, lo, hi, total, self: 0, children: null };
}

/* Returns the tree of the current selection; the root has no name. */
function newTree(direction) {
  const weights = selection.figures[selection.weight];
  const order = Int32Array.from(selection.stacks.filter(stack => weights[stack] > 0));
  let total = 0;
  for (const stack of order)
    total += weights[stack];
  return {
    weights,
    order,
    inner: direction === 'callees',
    places: new Int32Array(report.texts.length).fill(-1), /* of each name among the children */
    root: newNode(null, -1, 0, 0, order.length, total),
  };
}

/* Returns the name at a depth of a stack, or -1 below its end. */
function nameAt(tree, stack, depth) {
  const { starts, names } = report.stacks;
  const length = starts[stack + 1] - starts[stack];
  if (depth >= length)
    return -1;
  return names[tree.inner ? starts[stack] + depth : starts[stack + 1] - 1 - depth];
}

/* Counts the stacks of each child, and their weights. Returns the children, by first use. */
function countChildren(tree, node) {
  const children = [];
  for (let i = node.lo; i < node.hi; i++) {
    const stack = tree.order[i];
    const name = nameAt(tree, stack, node.depth);
    if (name < 0) {
      node.self += tree.weights[stack];
      continue;
    }
    if (tree.places[name] < 0) {
      tree.places[name] = children.length;
      children.push(newNode(node, name, node.depth + 1, 0, 0, 0));
    }
    const child = children[tree.places[name]];
    child.hi++;
    child.total += tree.weights[stack];
  }
  return children;
}

/* Orders the stacks of a node by its children; those that end here come first. */
function divide(tree, node, children) {
  const old = tree.order.slice(node.lo, node.hi);
  let next = node.lo + old.length - children.reduce((sum, child) => sum + child.hi, 0);
  for (const child of children) {
    child.lo = next;
    next += child.hi;
    child.hi = child.lo;
  }
  let ended = node.lo;
  for (const stack of old) {
    const name = nameAt(tree, stack, node.depth);
    if (name < 0)
      tree.order[ended++] = stack;
    else
      tree.order[children[tree.places[name]].hi++] = stack;
  }
}

/* Returns the children of a node, largest first. */
function childrenOf(tree, node) {
  if (node.children)
    return node.children;
  const children = countChildren(tree, node);
  divide(tree, node, children);
  for (const child of children)
    tree.places[child.name] = -1;
  node.children = children.sort((a, b) => b.total - a.total || a.name - b.name);
  return node.children;
}

function nodeName(node) {
  return node.name < 0 ? 'all' : text(node.name);
}

/* The module of each name: that of its first frame. */
const modules = new Map();
for (const frame of report.frames)
  if (!modules.has(frame[FRAME.NAME]))
    modules.set(frame[FRAME.NAME], frame[FRAME.MODULE]);

function nodeModule(node) {
  return node.name < 0 ? '' : text(modules.get(node.name));
}

/* What is said of a node: its name, and its figures with all digits. */
function nodeWords(tree, node) {
  const metric = weightMetric();
  const module = nodeModule(node);
  const self = node.children && node.self > 0 && node.parent
    ? `; of these in stacks that end here: ${formatFigure(metric.unit, node.self)}` : '';
  return [`${nodeName(node)}${module ? ` [${module}]` : ''}`,
    `${formatExact(metric, node.total)}, ${formatShare(node.total, tree.root.total)}` +
      ` of what is shown, in ${numberOf(node.hi - node.lo, 'stack')}${self}`];
}
