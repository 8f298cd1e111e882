// The last hour, as the gateway keeps it: charts of its steps, with marks for its events.

import { by, draw, follow, make, say, set, show } from './dom.js';
import { clock, count, millis, percent, rate } from './format.js';

const WIDTH = 720;
const HEIGHT = 46;

const KINDS = { reload: 'Configuration', traffic: 'Traffic', drain: 'Drain', readiness: 'Readiness' };
const MOST_EVENTS = 30;

/** The charts. `pick` returns one value of a step, or null; a second line is drawn dashed. */
const CHARTS = [
  { id: 'requests', name: 'Requests per second', lines: [(row, step) => row.requests / step.seconds], text: rate },
  { id: 'latency', name: 'Median and p99 of nodes', lines: [(row) => row.median_ms ?? null, (row) => row.p99_ms ?? null], text: millis },
  { id: 'errors', name: 'Errors 5xx per second', lines: [(row, step) => row.errors / step.seconds], text: rate, quiet: true },
  { id: 'rejections', name: 'Rejections per second', lines: [(row, step) => row.rejections / step.seconds], text: rate, quiet: true },
  { id: 'cpu', name: 'CPU of the gateway, processors', lines: [(row) => row.cpu_cores ?? null], text: (n) => (n === null ? '–' : n.toFixed(2)) },
  { id: 'node-cpu', name: 'CPU of the nodes, on average', lines: [(row) => row.node_cpu_ratio ?? null], text: (n) => (n === null ? '–' : percent(n)) },
];

/** Keeps the steps and the events. The poller asks for `path` and gives the answer to `take`. */
export class Past {
  steps = [];
  events = [];
  #born = null;
  #max = 720;
  #stepMs = 5000;
  #ahead = 0;
  #cursor = null;

  constructor() {
    this.cluster = by('past-of');
    this.cluster.addEventListener('change', () => this.show());
    this.box = by('past-charts');
    this.box.addEventListener('pointermove', (event) => this.#point(event));
    this.box.addEventListener('pointerleave', () => this.#move(null));
    this.box.addEventListener('keydown', (event) => this.#key(event));
  }

  /** What to ask the gateway for: all of it at first, then what is new. */
  get path() {
    const last = this.steps.at(-1);
    return last ? `history?since=${last.step}` : 'history?flows';
  }

  /** Adds an answer; returns whether it is the first one since the gateway's start. */
  take(answer, born) {
    const restarted = this.#born !== null && this.#born !== born;
    this.#born = born;
    if (restarted) {
      this.steps = [];
      this.events = [];
      this.#cursor = null;
      return false; // the next answer has all steps of the new process
    }
    const first = this.steps.length === 0;
    this.#max = answer.max_steps;
    this.#stepMs = answer.step_ms;
    this.#ahead = answer.now - Date.now(); // the two clocks may differ
    const last = this.steps.at(-1)?.step ?? 0;
    this.steps.push(...answer.steps.filter((step) => step.step > last));
    this.steps.splice(0, Math.max(0, this.steps.length - this.#max));
    const known = new Set(this.events.map((event) => event.event));
    this.events.push(...answer.events.filter((event) => !known.has(event.event)));
    const from = this.steps[0]?.ended_at ?? 0;
    this.events = this.events.filter((event) => Date.parse(event.at) >= from - this.#stepMs);
    return first && answer.steps.length > 0;
  }

  /** The figures of a step: of the gateway, or of one cluster; null where it has none. */
  #row(step) {
    const name = this.cluster.value;
    if (!name) return step;
    return step.clusters[name] ?? { requests: 0, errors: 0, rejections: 0 };
  }

  show(figures) {
    if (figures) this.#choices(figures.stats.clusters);
    const { steps } = this;
    show(by('past'), steps.length > 0);
    if (steps.length === 0) return;
    const shown = CHARTS.filter((chart) => steps.some((step) => chart.lines.some((pick) => (chart.quiet ? pick(this.#row(step), step) > 0 : pick(this.#row(step), step) !== null))));
    follow(this.box, shown, (chart) => chart.id, (chart) => this.#create(chart), (made, chart) => this.#draw(made, chart));
    this.#tell();
    this.#list();
  }

  #choices(clusters) {
    show(by('past-choice'), clusters.length > 1);
    follow(
      this.cluster,
      [{ value: '', name: 'the gateway' }, ...clusters.map((name) => ({ value: name, name }))],
      (one) => `of:${one.value}`,
      (one) => ({ node: make('option', { value: one.value }, one.name) }),
      () => {},
    );
  }

  #create(chart) {
    const lines = chart.lines.map((_, i) => draw('path', { class: i === 0 ? 'line' : 'line second' }));
    const marks = draw('path', { class: 'marks' });
    const cursor = draw('path', { class: 'cursor' });
    const picture = draw('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, marks, ...lines, cursor);
    const value = make('span', { class: 'words' });
    const node = make('li', {}, make('span', { class: 'label' }, chart.name), value, picture);
    const made = { node, lines, marks, cursor, value };
    return made;
  }

  /** Where a moment is drawn: the newest step is at the right, an hour takes the whole width. */
  #x(millis) {
    const end = this.steps.at(-1).ended_at;
    const span = Math.max(60 * this.#stepMs, end - this.steps[0].ended_at + this.#stepMs);
    return WIDTH * (1 - (end - millis) / span);
  }

  #draw(made, chart) {
    const values = chart.lines.map((pick) => this.steps.map((step) => pick(this.#row(step), step)));
    const most = Math.max(...values.flat().map((value) => value ?? 0)) || 1;
    values.forEach((line, i) => {
      let path = '';
      let drawing = false;
      line.forEach((value, place) => {
        if (value === null) {
          drawing = false;
          return;
        }
        path += `${drawing ? 'L' : 'M'}${this.#x(this.steps[place].ended_at).toFixed(1)} ${(HEIGHT - 2 - (value / most) * (HEIGHT - 6)).toFixed(1)}`;
        drawing = true;
      });
      set(made.lines[i], 'd', path);
    });
    set(made.marks, 'd', this.events.map((event) => `M${this.#x(Date.parse(event.at)).toFixed(1)} 0V${HEIGHT}`).join(''));
    const at = this.#cursor === null ? null : this.#x(this.steps[this.#cursor].ended_at).toFixed(1);
    set(made.cursor, 'd', at === null ? '' : `M${at} 0V${HEIGHT}`);
    const place = this.#cursor ?? this.steps.length - 1;
    const now = values.map((line) => chart.text(line[place])).join(' · ');
    say(made.value, `${now} (most ${chart.text(most)})`);
  }

  #tell() {
    const { steps } = this;
    const step = steps[this.#cursor ?? steps.length - 1];
    const minutes = Math.round((steps.at(-1).ended_at - steps[0].ended_at + this.#stepMs) / 60000);
    const events = this.#cursor === null ? [] : this.#near(step).map((event) => `${KINDS[event.kind] ?? event.kind}: ${event.text}`);
    const when = this.#cursor === null ? `The last ${minutes < 2 ? 'minute' : `${minutes} minutes`}` : clock(new Date(step.ended_at - this.#ahead));
    say(by('past-words'), [when, ...events].join(' · '));
  }

  #near(step) {
    return this.events.filter((event) => Math.abs(Date.parse(event.at) - step.ended_at) <= 2 * this.#stepMs);
  }

  #list() {
    const rows = this.events.toReversed().slice(0, MOST_EVENTS);
    show(by('past-events'), rows.length > 0);
    follow(
      by('past-events'),
      rows,
      (event) => event.event,
      (event) => ({
        node: make('li', {}, make('time', { datetime: event.at }, clock(new Date(Date.parse(event.at) - this.#ahead))), make('span', { class: 'badge' }, KINDS[event.kind] ?? event.kind), make('span', {}, event.text)),
      }),
      () => {},
    );
  }

  #point(event) {
    const picture = event.target.closest?.('li')?.querySelector('svg') ?? this.box.querySelector('svg');
    if (!picture || this.steps.length === 0) return;
    const area = picture.getBoundingClientRect();
    const x = ((event.clientX - area.left) / area.width) * WIDTH;
    let nearest = 0;
    this.steps.forEach((step, i) => {
      if (Math.abs(this.#x(step.ended_at) - x) < Math.abs(this.#x(this.steps[nearest].ended_at) - x)) nearest = i;
    });
    this.#move(nearest);
  }

  #key(event) {
    const last = this.steps.length - 1;
    const at = this.#cursor ?? last + 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last, PageUp: at - 60, PageDown: at + 60 }[event.key];
    if (event.key === 'Escape') this.#move(null);
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#move(Math.max(0, Math.min(last, to)));
  }

  #move(cursor) {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.show();
  }
}
