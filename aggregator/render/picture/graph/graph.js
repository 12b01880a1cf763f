/* SPDX-License-Identifier: GPL-2.0-or-later */
// Search and zoom of --format=svg. Without this script the picture is complete: only narrow names
// are shorter than they need to be.
(function () {
	'use strict';

	const SVG = 'http://www.w3.org/2000/svg';
	const HTML = 'http://www.w3.org/1999/xhtml';
	const TEXT_MARGIN = 6;
	const NAME_MIN = 5;
	const picture = document.documentElement;
	const graph = document.getElementById('graph');
	const details = document.getElementById('details');
	const tools = document.getElementById('tools');
	const nodes = [];
	let zoomed, at, characterWidth, input, result;

	// Reads the boxes: callers come first, so the open ones are the path to the next one.
	function readNodes() {
		const open = [];

		for (const box of graph.children) {
			const title = box.querySelector('title').textContent;
			const node = {
				box,
				title,
				name: title.slice(0, title.indexOf('\n')),
				x: parseFloat(box.getAttribute('x')),
				width: parseFloat(box.getAttribute('width')),
				y: parseFloat(box.getAttribute('y')),
				text: box.querySelector('text'),
				children: [],
				shown: true,
			};

			while (open.length && open[open.length - 1].y <= node.y)
				open.pop();
			node.parent = open[open.length - 1] || null;
			if (node.parent)
				node.parent.children.push(node);
			open.push(node);
			box.node = node;
			nodes.push(node);
		}
		for (const node of nodes)
			node.children.sort((a, b) => a.x - b.x);
	}

	function measure() {
		const probe = document.createElementNS(SVG, 'text');

		probe.textContent = 'm'.repeat(50);
		graph.appendChild(probe);
		characterWidth = probe.getComputedTextLength() / 50 || 7.3;
		probe.remove();
	}

	function fitName(node, width) {
		const pixels = picture.clientWidth * width / 100 - TEXT_MARGIN;
		const room = Math.floor(pixels / characterWidth);
		let name = '';

		if (room >= node.name.length)
			name = node.name;
		else if (room >= NAME_MIN)
			name = node.name.slice(0, room - 2) + '..';
		if (!node.text && name) {
			node.text = document.createElementNS(SVG, 'text');
			node.text.setAttribute('x', 3);
			node.text.setAttribute('y', 12);
			node.box.appendChild(node.text);
		}
		if (node.text && node.text.textContent !== name)
			node.text.textContent = name;
	}

	function isAbove(node, other) {
		for (; node; node = node.parent)
			if (node === other)
				return true;
		return false;
	}

	function place(node) {
		const around = node !== zoomed && isAbove(zoomed, node);
		const inside = around || isAbove(node, zoomed);
		const scale = 100 / zoomed.width;
		const x = around ? 0 : (node.x - zoomed.x) * scale;
		const width = around ? 100 : node.width * scale;

		node.shown = inside;
		node.box.style.display = inside ? '' : 'none';
		node.box.classList.toggle('around', around);
		if (!inside)
			return;
		node.box.setAttribute('x', x + '%');
		node.box.setAttribute('width', width + '%');
		fitName(node, width);
	}

	function zoom(node) {
		zoomed = node;
		nodes.forEach(place);
		show(node);
	}

	function show(node) {
		details.textContent = node.title.replace(/\n/g, ' · ');
	}

	function matcher(term) {
		const pattern = /^\/(.+)\/$/.exec(term);

		if (pattern) {
			try {
				const expression = new RegExp(pattern[1], 'i');

				return name => expression.test(name);
			} catch (error) {
				return null;
			}
		}
		return name => name.toLowerCase().includes(term.toLowerCase());
	}

	// What is found inside of something found counts once.
	function search(term) {
		const matches = term ? matcher(term) : () => false;
		let share = 0;

		if (!matches) {
			result.textContent = 'not a regular expression';
			return;
		}
		for (const node of nodes) {
			const found = node.parent !== null && matches(node.name);

			node.box.classList.toggle('found', found);
			node.covered = found || (node.parent !== null && node.parent.covered);
			if (found && !node.parent.covered)
				share += node.width;
		}
		result.textContent = term ? `found: ${share.toFixed(share < 1 ? 2 : 1)} %` : '';
	}

	function reset() {
		input.value = '';
		search('');
		zoom(nodes[0]);
	}

	function select(node) {
		if (!node || !node.shown)
			return;
		if (at)
			at.box.classList.remove('at');
		at = node;
		at.box.classList.add('at');
		show(at);
		at.box.scrollIntoView({ block: 'nearest' });
	}

	function sibling(node, step) {
		const siblings = node.parent ? node.parent.children : [node];

		return siblings[siblings.indexOf(node) + step];
	}

	const keys = {
		ArrowUp: () => select(at.children[0]),
		ArrowDown: () => select(at.parent),
		ArrowLeft: () => select(sibling(at, -1)),
		ArrowRight: () => select(sibling(at, 1)),
		Enter: () => zoom(at),
	};

	function onKey(event) {
		if (event.key === 'Escape') {
			reset();
		} else if (event.target === input) {
			return;
		} else if (event.key === '/') {
			input.focus();
		} else if (keys[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
			if (!at)
				select(zoomed);
			else
				keys[event.key]();
		} else {
			return;
		}
		event.preventDefault();
	}

	function make(name, properties) {
		return Object.assign(document.createElementNS(HTML, name), properties);
	}

	function makeTools() {
		const button = make('button', { textContent: 'Reset', type: 'button' });

		input = make('input', { type: 'search', placeholder: 'Search or /regex/' });
		input.setAttribute('aria-label', 'Search functions');
		result = make('span', {});
		result.setAttribute('role', 'status');
		input.addEventListener('input', () => search(input.value));
		button.addEventListener('click', reset);
		tools.append(input, button, result);
	}

	function nodeOf(target) {
		const box = target.closest && target.closest('#graph > svg');

		return box ? box.node : null;
	}

	readNodes();
	picture.setAttribute('width', '100%');
	graph.setAttribute('tabindex', '0');
	measure();
	makeTools();
	zoom(nodes[0]);
	graph.addEventListener('click', event => {
		const node = nodeOf(event.target);

		if (node)
			zoom(node);
	});
	graph.addEventListener('mouseover', event => {
		const node = nodeOf(event.target);

		if (node)
			show(node);
	});
	document.addEventListener('keydown', onKey);
	window.addEventListener('resize', () => zoom(zoomed));
}());
