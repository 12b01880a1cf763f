/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The flame graph, on a canvas: the width of a function is its part of the weight, and what it
 * called is above it (an icicle: below it). Only what is at least a pixel wide is drawn, so a
 * picture of 100,000 stacks has some thousand boxes; narrower neighbours are one grey box together.
 */

const ROW_PX = 19;
const LEAST_PX = 1;
const TEXT_LEAST_PX = 30;
const FONT = '12px system-ui, sans-serif';

const flame = {
  kind: 'flame', /* or 'icicle', or 'calls' */
  direction: 'callers',
  tree: null,
  zoom: null, /* the node that has the full width */
  focus: null, /* the node of the keyboard */
  pattern: null, /* what is searched for */
  found: null, /* Uint8Array by text: has the pattern */
  boxes: [], /* what is drawn: {node, x, width, level} */
  width: 0,
  levels: 0,
};

function canvas() {
  return byId('flame');
}

/* Returns the nodes from the root to this one. */
function pathOf(node) {
  const path = [];
  for (; node; node = node.parent)
    path.unshift(node);
  return path;
}

/* Adds boxes for the children of a node that is drawn from x to x + width. */
function addChildren(node, x, width, level) {
  const scale = width / node.total;
  let narrow = 0;
  for (const child of childrenOf(flame.tree, node)) {
    const childWidth = child.total * scale;
    if (childWidth < LEAST_PX) {
      narrow += childWidth;
      continue;
    }
    flame.boxes.push({ node: child, x, width: childWidth, level });
    addChildren(child, x, childWidth, level + 1);
    x += childWidth;
  }
  if (narrow >= LEAST_PX)
    flame.boxes.push({ node: null, x, width: narrow, level });
}

function layOut() {
  const path = pathOf(flame.zoom);
  flame.boxes = path.map((node, level) => ({ node, x: 0, width: flame.width, level }));
  if (flame.zoom.total > 0)
    addChildren(flame.zoom, 0, flame.width, path.length);
  flame.levels = flame.boxes.reduce((most, box) => Math.max(most, box.level + 1), 0);
}

function topOf(box) {
  return (flame.kind === 'flame' ? flame.levels - 1 - box.level : box.level) * ROW_PX;
}

/* A number from 0 to 1 that looks random, but is always the same for a name. */
function spread(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++)
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return (hash >>> 8) / 0xffffff;
}

const HUE_KERNEL = 28; /* orange; modules and programs have hues of their own */

function colorOf(node, isDark) {
  if (!node || node.name < 0)
    return isDark ? '#3a3f47' : '#d5d9df';
  if (flame.found && flame.found[node.name])
    return isDark ? '#a83bd0' : '#e08af9';
  const module = nodeModule(node);
  const hue = !module || module === 'kernel' ? HUE_KERNEL : 90 + Math.floor(spread(module) * 190);
  const part = spread(nodeName(node));
  const light = isDark ? 26 + part * 12 : 72 + part * 13;
  return `hsl(${hue + (part - 0.5) * 22} ${isDark ? 52 : 74}% ${light}%)`;
}

const COLOURS_MAX = 8; /* modules in the list of colours */

function sampleColor(module, isDark) {
  const hue = module === 'kernel' ? HUE_KERNEL : 90 + Math.floor(spread(module) * 190);
  return `hsl(${hue} ${isDark ? '52% 32%' : '74% 78%'})`;
}

/* What the colours say: the modules and programs with most functions in the picture. */
function showColours(isDark) {
  const counts = new Map();
  for (const { node } of flame.boxes)
    if (node && node.name >= 0)
      addTo(counts, nodeModule(node) || 'kernel', 1);
  const sample = (color, words) => {
    const box = element('span', { class: 'sample', 'aria-hidden': 'true' });
    box.style.background = color;
    return element('li', {}, box, words);
  };
  const shown = largest(counts, COLOURS_MAX);
  const items = shown.map(module => sample(sampleColor(module, isDark), module));
  if (counts.size > shown.length)
    items.push(element('li', {}, `${counts.size - shown.length} more`));
  if (flame.boxes.some(({ node }) => !node))
    items.push(sample(isDark ? '#3a3f47' : '#d5d9df', 'narrower functions, together'));
  byId('colours').replaceChildren(...items);
}

/* Cuts a name to a width; the ends of names say the most about what differs. */
function shortened(context, name, width) {
  if (context.measureText(name).width <= width)
    return name;
  let low = 0, high = name.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${name.slice(0, middle)}\u2026`).width <= width)
      low = middle;
    else
      high = middle - 1;
  }
  return low ? `${name.slice(0, low)}\u2026` : '';
}

function drawBox(context, box, isDark) {
  const top = topOf(box);
  const isAbove = box.node && box.node !== flame.zoom && box.level < pathOf(flame.zoom).length;
  context.globalAlpha = isAbove ? 0.55 : 1;
  context.fillStyle = colorOf(box.node, isDark);
  context.fillRect(box.x, top, Math.max(LEAST_PX, box.width - 0.5), ROW_PX - 1);
  context.globalAlpha = 1;
  if (!box.node || box.width < TEXT_LEAST_PX)
    return;
  context.fillStyle = isDark ? '#f2f2f2' : '#1b1b1b';
  context.fillText(shortened(context, nodeName(box.node), box.width - 8), box.x + 4, top + 13);
}

function drawFocus(context) {
  const box = flame.boxes.find(({ node }) => node && node === flame.focus);
  if (!box || document.activeElement !== canvas())
    return;
  context.strokeStyle = theme() === 'dark' ? '#ffffff' : '#0b57d0';
  context.lineWidth = 2;
  context.strokeRect(box.x + 1, topOf(box) + 1, Math.max(2, box.width - 2), ROW_PX - 3);
}

function drawFlame() {
  const node = canvas();
  flame.width = node.parentElement.clientWidth;
  if (!flame.width || flame.kind === 'calls')
    return;
  layOut();
  const ratio = window.devicePixelRatio || 1;
  const height = flame.levels * ROW_PX;
  node.width = Math.round(flame.width * ratio);
  node.height = Math.round(height * ratio);
  node.style.height = `${height}px`;
  const context = node.getContext('2d');
  context.scale(ratio, ratio);
  context.font = FONT;
  const isDark = theme() === 'dark';
  for (const box of flame.boxes)
    drawBox(context, box, isDark);
  drawFocus(context);
  showColours(isDark);
  const words = nodeWords(flame.tree, flame.zoom).join(': ');
  node.setAttribute('aria-label', `Flame graph by ${weightMetric().label}: ` +
    `${numberOf(selection.stacks.length, 'stack')}. ${words}`);
}

/* A flame graph grows up from its root, which is what a reader should see first. */
function showRoot() {
  const box = byId('flame-box');
  box.scrollTop = flame.kind === 'flame' ? box.scrollHeight : 0;
}

function boxAt(event) {
  const { left, top } = canvas().getBoundingClientRect();
  const x = event.clientX - left, y = event.clientY - top;
  return flame.boxes.find(box => x >= box.x && x < box.x + Math.max(LEAST_PX, box.width) &&
    y >= topOf(box) && y < topOf(box) + ROW_PX);
}

function showTip(lines, event) {
  const tip = byId('tip');
  tip.replaceChildren(...lines.map(line => element('div', {}, line)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 12, window.innerWidth - width - 8);
  const below = event.clientY + 16;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${below + height > window.innerHeight ? event.clientY - height - 12 : below}px`;
}

function hideTip() {
  byId('tip').hidden = true;
}

function zoomTo(node) {
  flame.zoom = node;
  flame.focus = node;
  drawFlame();
  point(node);
  showRoot();
}

/* Says which function has the keyboard. */
function point(node) {
  byId('pointed').textContent = nodeWords(flame.tree, node).join(': ');
}

function focusNode(node) {
  if (!node)
    return;
  flame.focus = node;
  drawFlame();
  point(node);
  const box = flame.boxes.find(one => one.node === node);
  const view = byId('flame-box');
  if (box && topOf(box) < view.scrollTop)
    view.scrollTop = topOf(box);
  else if (box && topOf(box) + ROW_PX > view.scrollTop + view.clientHeight)
    view.scrollTop = topOf(box) + ROW_PX - view.clientHeight;
}

/* Returns the node beside the focus that is drawn. */
function neighbour(by) {
  const level = flame.boxes.filter(({ node }) => node && flame.focus &&
    node.depth === flame.focus.depth);
  const place = level.findIndex(({ node }) => node === flame.focus);
  const box = level[place + by];
  return box && box.node;
}

function firstChild() {
  const box = flame.boxes.find(({ node }) => node && node.parent === flame.focus);
  return box && box.node;
}

/* The arrows follow the picture: its root is at the bottom or at the top. */
function upOrDown(key) {
  const outwards = (key === 'ArrowUp') === (flame.kind === 'flame');
  focusNode(outwards ? firstChild() : flame.focus.parent);
}

const flameKeys = {
  ArrowUp: () => upOrDown('ArrowUp'),
  ArrowDown: () => upOrDown('ArrowDown'),
  ArrowLeft: () => focusNode(neighbour(-1)),
  ArrowRight: () => focusNode(neighbour(1)),
  Home: () => focusNode(flame.tree.root),
  Enter: () => zoomTo(flame.focus),
  ' ': () => zoomTo(flame.focus),
  Escape: () => zoomTo(flame.tree.root),
  Backspace: () => zoomTo(flame.zoom.parent || flame.tree.root),
};

function drawKind() {
  const isCalls = flame.kind === 'calls';
  byId('flame-box').hidden = isCalls;
  byId('flame-help').hidden = isCalls;
  byId('colours').hidden = isCalls;
  byId('reset').hidden = isCalls;
  byId('calls-box').hidden = !isCalls;
  if (isCalls) {
    drawCalls();
    return;
  }
  drawFlame();
  showRoot();
}

function newPicture() {
  flame.tree = newTree(flame.direction);
  flame.zoom = flame.tree.root;
  flame.focus = flame.tree.root;
  byId('pointed').textContent = '';
  drawKind();
}

/* Returns the weight of the stacks that have a function with the pattern, each counted once. */
function weightFound() {
  const { starts, names } = report.stacks;
  let sum = 0;
  for (const stack of flame.tree.order) {
    let i = starts[stack];
    while (i < starts[stack + 1] && !flame.found[names[i]])
      i++;
    if (i < starts[stack + 1])
      sum += flame.tree.weights[stack];
  }
  return sum;
}

function showFound() {
  const sum = flame.found ? weightFound() : 0;
  byId('found').textContent = flame.found
    ? `Found: ${formatShare(sum, flame.tree.root.total)} of what is shown. ` +
      formatExact(weightMetric(), sum)
    : '';
}

function search(typed) {
  let pattern = null;
  try {
    pattern = patternOf(typed);
  } catch (error) {
    byId('found').textContent = `Not a regular expression: ${error.message}`;
    return;
  }
  flame.pattern = pattern;
  flame.found = pattern && matchTexts(pattern);
  showFound();
  drawKind();
}

function startFlame() {
  const node = canvas();
  choices(byId('kinds'), [['flame', 'Flame graph'], ['icicle', 'Icicle'], ['calls', 'Call tree']],
    flame.kind, kind => { flame.kind = kind; drawKind(); });
  choices(byId('directions'), [['callers', 'Outermost first'], ['callees', 'Innermost first']],
    flame.direction, direction => { flame.direction = direction; newPicture(); });
  node.addEventListener('mousemove', event => {
    const box = boxAt(event);
    if (box && box.node)
      showTip(nodeWords(flame.tree, box.node), event);
    else
      hideTip();
    node.classList.toggle('pointing', Boolean(box && box.node));
  });
  node.addEventListener('mouseleave', hideTip);
  node.addEventListener('click', event => {
    const box = boxAt(event);
    if (box && box.node)
      zoomTo(box.node);
  });
  node.addEventListener('keydown', event => {
    if (!flameKeys[event.key])
      return;
    event.preventDefault();
    flameKeys[event.key]();
  });
  node.addEventListener('focus', drawFlame);
  node.addEventListener('blur', drawFlame);
  byId('reset').addEventListener('click', () => zoomTo(flame.tree.root));
  byId('search').addEventListener('input', event => search(event.target.value.trim()));
  window.addEventListener('resize', drawFlame);
  onSelection(what => {
    if (what === 'stack')
      return;
    newPicture();
    showFound();
  });
}
