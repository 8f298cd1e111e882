// Functions that create and update elements. They insert all text as text, never as HTML.

export const by = (id) => document.getElementById(id);

/** Makes an element: `make('td', {class: 'n'}, 'text', child)`. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Changes an element's text only if it differs, so that selections survive and screen readers stay silent. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function set(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

const kept = new WeakMap();

/**
 * Synchronises the children of an element with a list. Each key keeps its child, so that focus and open details
 * survive an update.
 *
 * @param create returns an object with the child `node` for a new item
 * @param update shows the item in the object that `create` returned
 */
export function follow(parent, items, key, create, update) {
  const known = kept.get(parent) ?? kept.set(parent, new Map()).get(parent);
  const left = new Set(known.keys());
  items.forEach((item, place) => {
    const name = key(item);
    let one = known.get(name);
    if (!one) {
      one = create(item);
      known.set(name, one);
    }
    left.delete(name);
    if (parent.children[place] !== one.node) {
      parent.insertBefore(one.node, parent.children[place] ?? null);
    }
    update(one, item);
  });
  for (const name of left) {
    known.get(name).node.remove();
    known.delete(name);
  }
}

/**
 * A bar that shows a value relative to its limit, with the numbers beside it.
 *
 * @param usual whether a full bar is normal and not an alarm
 */
export function meter(label, usual = false) {
  const fill = make('i');
  const mark = make('b', { hidden: true });
  const bar = make('span', { class: 'bar', role: 'meter', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuenow': 0, 'aria-valuemax': 1 }, fill, mark);
  const words = make('span', { class: 'of' }, '–');
  const node = make('span', { class: 'meter' }, bar, words);
  return {
    node,
    show(value, limit, text, peak) {
      const share = limit > 0 ? Math.min(1, value / limit) : 0;
      fill.style.width = `${(share * 100).toFixed(1)}%`;
      set(node, 'data-tone', share >= 0.98 ? (usual ? 'warn' : 'bad') : share >= 0.8 && !usual ? 'warn' : 'calm');
      show(mark, peak > 0 && limit > 0);
      if (peak > 0 && limit > 0) mark.style.left = `${(Math.min(1, peak / limit) * 100).toFixed(1)}%`;
      set(bar, 'aria-valuenow', Math.round(value * 10) / 10);
      set(bar, 'aria-valuemax', Math.max(1, Math.round(limit * 10) / 10));
      set(bar, 'aria-valuetext', text);
      say(words, text);
    },
  };
}

/** A sparkline without text; it only illustrates the figure beside it. */
export function spark() {
  const area = draw('path', { class: 'area' });
  const line = draw('path', { class: 'line' });
  const node = draw('svg', { class: 'spark', viewBox: '0 0 120 28', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, area, line);
  return {
    node,
    /** Shows values, the newest last, null for unknown ones. `places` is the number of values that fit. */
    show(values, places, top = 0) {
      const most = Math.max(top, ...values.map((value) => value ?? 0)) || 1;
      const step = 120 / Math.max(1, places - 1);
      const first = 120 - (values.length - 1) * step;
      let path = '';
      let under = '';
      let begun = -1;
      const end = (x) => {
        if (begun >= 0) under += `L${x.toFixed(1)} 28L${begun.toFixed(1)} 28Z`;
        begun = -1;
      };
      values.forEach((value, i) => {
        const x = first + i * step;
        if (value === null) {
          end(x - step);
          return;
        }
        const y = 26.5 - (value / most) * 24;
        const to = `${begun < 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
        if (begun < 0) begun = x;
        path += to;
        under += to;
      });
      end(120);
      set(line, 'd', path);
      set(area, 'd', under);
    },
  };
}

/** Shows names and values in a definition list. */
export function pairs(list, entries) {
  follow(
    list,
    entries,
    ([name]) => name,
    ([name]) => {
      const value = make('dd');
      return { node: make('div', {}, make('dt', {}, name), value), value };
    },
    (one, [, value, tone]) => {
      say(one.value, value);
      set(one.value, 'data-tone', tone ?? 'none');
    },
  );
}
