/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Elements of the page. Texts of the data only ever become text nodes and attributes that are
   texts, so no name can become markup. */

const SVG = 'http://www.w3.org/2000/svg';

function byId(id) {
  return document.getElementById(id);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else if (value === true)
      node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/* Returns a new element. An attribute onNAME is a function; children are elements and texts. */
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function drawing(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/* A button that shows with aria-pressed whether it is chosen. */
function choice(text, isChosen, onclick) {
  return element('button', { type: 'button', 'aria-pressed': String(isChosen), onclick }, text);
}

/* Shows one of several named values as buttons; chosen() is called with the new value. */
function choices(box, values, current, chosen) {
  box.replaceChildren(...values.map(([value, text]) => choice(text, value === current, () => {
    choices(box, values, value, chosen);
    box.children[values.findIndex(([other]) => other === value)].focus();
    chosen(value);
  })));
}

/* Lets the reader's device do its part between two long tasks. */
function soon(work) {
  setTimeout(work, 0);
}
