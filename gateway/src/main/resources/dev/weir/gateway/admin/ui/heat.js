// The latency heat map: time to the right, latency upwards, a darker cell has more requests.

import { by, follow, make, say, show } from './dom.js';
import { clock, count, millis } from './format.js';
import { ANSWERED, BIN_MS, History, labelOf, quantile, sum } from './history.js';

const GUTTER = 50;
const FOOT = 18;
const STEPS = 24;
const LABELLED = new Set([1, 10, 100, 1000, 10000, 60000]);

export class Heat {
  #canvas = by('heat');
  #colors = null;
  #cursor = null; // {column, row} or null
  #layout = null;

  constructor(history) {
    this.history = history;
    this.way = by('heat-of');
    this.#choices([]);
    this.way.addEventListener('change', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colors = null;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.#canvas);
    this.#canvas.addEventListener('pointermove', (event) => this.#point(event));
    this.#canvas.addEventListener('pointerleave', () => this.#move(null));
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    this.#canvas.addEventListener('blur', () => this.#move(null));
  }

  show() {
    this.#choices(this.history.before.stats.requests.by_action);
    this.draw();
  }

  #choices(rows) {
    follow(
      this.way,
      [{ way: ANSWERED, name: ANSWERED }, { way: '', name: 'all requests' }, ...rows.map((row) => ({ way: labelOf(row), name: labelOf(row) }))],
      (one) => `way:${one.way}`,
      (one) => ({ node: make('option', { value: one.way }, one.name) }),
      () => {},
    );
  }

  draw() {
    const canvas = this.#canvas;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    this.#colors ??= colors();
    const bounds = this.history.bounds;
    const rows = (bounds.length || 15) + 1;
    const places = this.history.columns;
    const layout = { x: GUTTER, places, column: (width - GUTTER) / places, row: (height - FOOT) / rows, rows, bottom: height - FOOT, width };
    this.#layout = layout;
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const columns = this.#columns();
    const most = Math.max(0, ...columns.flatMap((column) => column?.counts ?? []));
    this.#grid(context, layout, bounds);
    columns.forEach((column, i) => this.#cells(context, layout, column, i, most));
    this.#line(context, layout, columns, 0.5, []);
    this.#line(context, layout, columns, 0.99, [4, 3]);
    this.#crosshair(context, layout);
    show(by('heat-empty'), most === 0);
    say(by('heat-most'), most > 0 ? `${count(Math.ceil(most))} in ${BIN_MS / 1000} s` : 'most');
    this.#tell(columns);
  }

  /** One entry for each place, the newest at the right; null where nothing was looked at. */
  #columns() {
    const { bins } = this.history;
    const places = this.#layout.places;
    const columns = new Array(places).fill(null);
    bins.forEach((bin, i) => {
      if (bin.known > 0) columns[places - bins.length + i] = { bin, counts: History.countsOf(bin, this.way.value) };
    });
    return columns;
  }

  #grid(context, layout, bounds) {
    const { ink, grid, ground } = this.#colors;
    context.fillStyle = ground;
    context.fillRect(layout.x, 0, layout.width - layout.x, layout.bottom);
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.lineWidth = 1;
    bounds.forEach((bound, i) => {
      if (!LABELLED.has(bound)) return;
      const y = layout.bottom - (i + 1) * layout.row;
      context.strokeStyle = grid;
      context.beginPath();
      context.moveTo(layout.x, Math.round(y) + 0.5);
      context.lineTo(layout.width, Math.round(y) + 0.5);
      context.stroke();
      context.fillStyle = ink;
      context.fillText(bound < 1000 ? `${bound} ms` : `${bound / 1000} s`, layout.x - 6, Math.max(7, y));
    });
    context.textBaseline = 'alphabetic';
    const minutes = (layout.places * BIN_MS) / 60000;
    const step = minutes / (layout.width < 480 ? 2 : minutes > 2 ? 5 : 4);
    for (let minute = minutes; minute >= 0; minute -= step) {
      const x = layout.width - (minute / minutes) * (layout.width - layout.x);
      context.textAlign = minute === 0 ? 'right' : minute === minutes ? 'left' : 'center';
      context.fillStyle = ink;
      context.fillText(minute === 0 ? 'now' : minute % 1 === 0 || minute > 2 ? `−${minute} min` : `−${minute * 60} s`, x, layout.bottom + 14);
    }
  }

  #cells(context, layout, column, i, most) {
    if (!column || most === 0) return;
    const x = layout.x + i * layout.column;
    const gap = layout.column > 4 ? 1 : 0; // narrow columns touch
    column.counts.forEach((n, row) => {
      if (n <= 0) return;
      const strength = Math.log1p((n / most) * 60) / Math.log1p(60);
      context.fillStyle = this.#colors.steps[Math.min(STEPS - 1, Math.floor(strength * STEPS))];
      context.fillRect(x, layout.bottom - (row + 1) * layout.row + gap / 2, layout.column - gap + (gap ? 0 : 0.5), layout.row - gap / 2);
    });
  }

  #line(context, layout, columns, share, dash) {
    const path = new Path2D();
    let drawing = false;
    columns.forEach((column, i) => {
      const place = column && sum(column.counts) >= 1 ? placeOf(column.counts, share) : null;
      if (place === null) {
        drawing = false;
        return;
      }
      const x = layout.x + (i + 0.5) * layout.column;
      const y = layout.bottom - place * layout.row;
      if (drawing) path.lineTo(x, y);
      else path.moveTo(x, y);
      drawing = true;
    });
    context.lineJoin = 'round';
    context.setLineDash([]);
    context.strokeStyle = this.#colors.halo;
    context.lineWidth = 3.5;
    context.stroke(path);
    context.setLineDash(dash);
    context.strokeStyle = this.#colors.strong;
    context.lineWidth = 1.5;
    context.stroke(path);
    context.setLineDash([]);
  }

  #crosshair(context, layout) {
    if (!this.#cursor) return;
    context.strokeStyle = this.#colors.strong;
    context.lineWidth = 1;
    context.strokeRect(layout.x + this.#cursor.column * layout.column - 0.5, 0.5, layout.column + 1, layout.bottom - 1);
  }

  #tell(columns) {
    const minute = this.history.over(60000, this.way.value);
    const summary = sum(minute.counts) > 0
      ? `median ${millis(quantile(minute.counts, this.history.bounds, 0.5))}, p99 ${millis(quantile(minute.counts, this.history.bounds, 0.99))} in the last minute`
      : 'no request in the last minute';
    const label = `Heat map of the latency in the last minutes: ${summary}`;
    if (document.activeElement !== this.#canvas && this.#canvas.getAttribute('aria-label') !== label) {
      this.#canvas.setAttribute('aria-label', label);
    }
    say(by('heat-words'), this.#cursor ? this.#moment(columns[this.#cursor.column]) : 'Use the pointer or the arrow keys to read one moment');
  }

  #moment(column) {
    if (!column) return 'No figures of that moment';
    const when = clock(new Date(performance.timeOrigin + column.bin.start));
    const all = sum(column.counts);
    if (all < 0.5) return `${when} no request finished`;
    const { bounds } = this.history;
    return `${when} ${count(all)} requests in ${BIN_MS / 1000} s, median ${millis(quantile(column.counts, bounds, 0.5))}, p99 ${millis(quantile(column.counts, bounds, 0.99))}`;
  }

  #point(event) {
    if (!this.#layout) return;
    const column = Math.floor((event.offsetX - this.#layout.x) / this.#layout.column);
    this.#move(column >= 0 && column < this.#layout.places ? { column } : null);
  }

  #key(event) {
    const places = this.#layout?.places ?? this.history.columns;
    const at = this.#cursor?.column ?? places;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: places - this.history.bins.length, End: places - 1, PageUp: at - 12, PageDown: at + 12 }[event.key];
    if (event.key === 'Escape') this.#move(null);
    if (to === undefined) return;
    event.preventDefault();
    this.#move({ column: Math.max(0, Math.min(places - 1, to)) });
  }

  #move(cursor) {
    if (cursor?.column === this.#cursor?.column) return;
    this.#cursor = cursor;
    this.draw();
  }
}

/** The height of a quantile's line, in rows from the bottom. */
function placeOf(counts, share) {
  let left = sum(counts) * share;
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] > 0 && left <= counts[i]) return i + left / counts[i];
    left -= counts[i];
  }
  return counts.length;
}

function colors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  const stops = [1, 2, 3, 4].map((i) => of(`--heat-${i}`));
  const steps = [];
  for (let i = 0; i < STEPS; i++) {
    const place = (i / (STEPS - 1)) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(place));
    steps.push(mixed(stops[low], stops[low + 1], place - low));
  }
  return { steps, ink: of('--quiet'), grid: of('--hair'), ground: of('--well'), strong: of('--ink'), halo: of('--card') };
}

function mixed(one, other, share) {
  const parts = [one, other].map((color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)));
  return `rgb(${parts[0].map((part, i) => Math.round(part + (parts[1][i] - part) * share)).join(' ')})`;
}
