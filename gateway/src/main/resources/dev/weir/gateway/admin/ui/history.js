// History of the polled figures: differences of counters over time. Uses no document.

export const BIN_MS = 5000;
export const BINS = 120;
const SAMPLES = 150;
const SAMPLE_MS = 2000;

/** The label of a path and an action. */
export const labelOf = (row) => (row.path === 'coordinated' ? row.action : `${row.action} · ${row.path}`);

/** All requests that nodes answered. The gateway's own rejections are fast and would hide the latency of the nodes. */
export const ANSWERED = 'answered by nodes';

const LOCAL = / · local$/;

/** Converts cumulative counts to counts per bucket; the last one has the requests beyond the last bound. */
export function buckets(row) {
  const counts = row.cumulative_counts.map((within, i) => Math.max(0, within - (i > 0 ? row.cumulative_counts[i - 1] : 0)));
  counts.push(Math.max(0, row.requests - (row.cumulative_counts.at(-1) ?? 0)));
  return counts;
}

export const sum = (counts) => counts.reduce((all, one) => all + one, 0);

export const plus = (into, counts) => {
  counts.forEach((one, i) => (into[i] = (into[i] ?? 0) + one));
  return into;
};

/**
 * A quantile in milliseconds, interpolated linearly within its bucket.
 * Null without requests, Infinity beyond the last bound.
 */
export function quantile(counts, bounds, share) {
  const all = sum(counts);
  if (all <= 0) return null;
  let left = all * share;
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] > 0 && left <= counts[i]) {
      if (i >= bounds.length) return Infinity;
      const low = i === 0 ? 0 : bounds[i - 1];
      return low + (bounds[i] - low) * (left / counts[i]);
    }
    left -= counts[i];
  }
  return Infinity;
}

/** Rejected requests since the start, by reason. */
export function refusals(stats) {
  const found = new Map();
  const add = (why, n) => found.set(why, (found.get(why) ?? 0) + (n ?? 0));
  add('max in flight', stats.requests.in_flight_rejections);
  add('pacing', sum(stats.pacing.rules.map((rule) => rule.rejected)));
  for (const [work, queue] of Object.entries(stats.queues)) {
    for (const row of queue.rejections) add(`${work}: ${row.reason.replaceAll('-', ' ')}`, row.count);
  }
  const memory = stats.request_memory;
  for (const [bound, n] of Object.entries(memory.rejections)) add(`memory: ${bound}`, n);
  // pools also count rejected responses of nodes, which are rejected before the gateway knows their request
  const ofPools = sum(Object.values(memory.pools).map((pool) => pool.rejections));
  add('memory: incoming responses', Math.max(0, ofPools - sum(Object.values(memory.rejections)) + memory.rejections.request));
  add('writes: retries exhausted', stats.bulk.rejections);
  add('deadline expired on arrival', stats.deadlines['expired-on-arrival']);
  return found;
}

/** The number of requests with a status that passes the test. */
export const withStatus = (stats, test) =>
  sum(Object.entries(stats.requests.by_path_and_status).map(([key, n]) => (test(Number(key.split('/')[1])) ? n : 0)));

/** Counters over time. Clears itself after a restart of the gateway. */
export class History {
  constructor() {
    this.samples = [];
    this.bins = [];
    this.bounds = [];
    this.before = null;
    this.seeded = null;
  }

  /** Begins with the steps that the gateway kept, `past` of its page /history with its kinds of requests. */
  seed(past, at, stats) {
    if (this.before !== null) return;
    this.bounds = past.latency_bounds_ms;
    this.#roll(at - (BINS - 1) * BIN_MS);
    this.#roll(at);
    for (const step of past.steps) {
      const to = at - (past.now - step.ended_at);
      if (to < at - BINS * BIN_MS) continue;
      const from = to - step.seconds * 1000;
      const differences = new Map();
      for (const flow of step.flows ?? []) {
        const counts = flow.counts.concat(new Array(Math.max(0, this.bounds.length + 1 - flow.counts.length)).fill(0));
        differences.set(labelOf(flow), plus(differences.get(labelOf(flow)) ?? [], counts));
      }
      this.#spread(differences, from, to);
      if (to < at - SAMPLES * SAMPLE_MS) continue;
      const sample = {
        at: to,
        seconds: step.seconds,
        rate: step.requests / step.seconds,
        refused: new Map(),
        refusedRate: step.rejections / step.seconds,
        failedRate: step.errors / step.seconds,
        cores: step.cpu_cores,
        underWay: step.in_flight,
        waiting: step.waiting,
        heap: step.heap_used_bytes,
        half: step.median_ms ?? null,
        tail: step.p99_ms ?? null,
        answered: new Map(),
      };
      // a step takes the place of the polls in the same time
      const polls = Math.round(to / SAMPLE_MS) - Math.round(from / SAMPLE_MS);
      for (let i = 0; i < polls; i++) this.samples.push(sample);
    }
    this.samples.splice(0, Math.max(0, this.samples.length - SAMPLES));
    this.seeded = stats.gateway.started_at;
  }

  /** Adds the figures of a moment; `at` is in milliseconds of a monotonic clock. */
  take(stats, at) {
    this.bounds = stats.requests.latency_bounds_ms;
    const now = {
      at,
      stats,
      born: stats.gateway.started_at,
      ways: new Map(stats.requests.by_action.map((row) => [labelOf(row), buckets(row)])),
      refused: refusals(stats),
      failed: withStatus(stats, (status) => status >= 500),
    };
    const before = this.before;
    this.before = now;
    // queue counters belong to the selected cluster: never compare those of two clusters
    const moved = before !== null && before.stats.selected_cluster !== stats.selected_cluster;
    if (before ? before.born !== now.born : this.seeded !== null && this.seeded !== now.born) {
      this.samples = [];
      this.bins = [];
    }
    this.#roll(at);
    if (before && before.born === now.born && at > before.at) this.#compare(moved ? { ...before, refused: now.refused } : before, now);
  }

  #compare(before, now) {
    const seconds = (now.at - before.at) / 1000;
    let finished = 0;
    const differences = new Map();
    for (const [way, counts] of now.ways) {
      const old = before.ways.get(way);
      const more = counts.map((n, i) => Math.max(0, n - (old?.[i] ?? 0)));
      const some = sum(more);
      finished += some;
      if (some > 0) differences.set(way, more);
    }
    this.#spread(differences, before.at, now.at);
    const refused = new Map([...now.refused].map(([why, n]) => [why, Math.max(0, n - (before.refused.get(why) ?? 0)) / seconds]));
    const { stats } = now;
    this.samples.push({
      at: now.at,
      seconds,
      rate: finished / seconds,
      refused,
      refusedRate: sum([...refused.values()]),
      failedRate: Math.max(0, now.failed - before.failed) / seconds,
      cores: Math.max(0, stats.gateway.cpu_ms - before.stats.gateway.cpu_ms) / 1000 / seconds,
      underWay: stats.in_flight.requests,
      waiting: waiting(stats),
      heap: stats.memory.heap_used_bytes,
      half: this.quantileOver(10000, 0.5, ANSWERED),
      tail: this.quantileOver(10000, 0.99, ANSWERED),
      answered: new Map(stats.nodes.map((node) => {
        const old = before.stats.nodes.find((one) => one.node === node.node);
        return [node.node, old ? Math.max(0, node.received_responses - old.received_responses) / seconds : null];
      })),
    });
    if (this.samples.length > SAMPLES) this.samples.shift();
  }

  /** Removes expired bins and adds bins up to now. */
  #roll(at) {
    const newest = Math.floor(at / BIN_MS) * BIN_MS;
    let next = this.bins.length > 0 ? this.bins.at(-1).start + BIN_MS : newest;
    if (next < newest - BINS * BIN_MS) {
      this.bins = [];
      next = newest;
    }
    for (; next <= newest; next += BIN_MS) this.bins.push({ start: next, ways: new Map(), known: 0 });
    while (this.bins.length > BINS) this.bins.shift();
  }

  /** Distributes the counts between two moments over their bins, by time. */
  #spread(differences, from, to) {
    for (const bin of this.bins) {
      const part = Math.min(to, bin.start + BIN_MS) - Math.max(from, bin.start);
      if (part <= 0) continue;
      bin.known += part;
      for (const [way, more] of differences) {
        const share = more.map((n) => (n * part) / (to - from));
        bin.ways.set(way, plus(bin.ways.get(way) ?? [], share));
      }
    }
  }

  /** Counts of a bin's buckets: of one label, of the requests that nodes answered, or of all. */
  static countsOf(bin, way) {
    if (way && way !== ANSWERED) return bin.ways.get(way) ?? [];
    const all = [];
    for (const [one, counts] of bin.ways) {
      if (!way || !LOCAL.test(one)) plus(all, counts);
    }
    return all;
  }

  /** Counts of the buckets over the last `ms` milliseconds, and how many seconds of them have figures. */
  over(ms, way) {
    const end = this.before?.at ?? 0;
    const counts = [];
    let known = 0;
    for (const bin of this.bins) {
      if (bin.start + BIN_MS > end - ms) {
        plus(counts, History.countsOf(bin, way));
        known += bin.known;
      }
    }
    return { counts, seconds: known / 1000 };
  }

  quantileOver(ms, share, way) {
    return quantile(this.over(ms, way).counts, this.bounds, share);
  }

  /** One value per sample, the newest last. */
  line(pick) {
    return this.samples.map(pick);
  }

  newest() {
    return this.samples.at(-1) ?? null;
  }

  /** The number of samples that fit into a sparkline; it grows with the history. */
  get places() {
    return this.samples.length <= SAMPLES / 5 ? SAMPLES / 5 : this.samples.length <= SAMPLES / 2 ? SAMPLES / 2 : SAMPLES;
  }

  /** The number of bins in the heat map; it grows with the history. */
  get columns() {
    return this.bins.length <= BINS / 5 ? BINS / 5 : this.bins.length <= BINS / 2 ? BINS / 2 : BINS;
  }
}

/** All waiting requests: for nodes, for pacing, for a coalesced search, for the write byte limit of a node. */
export const waiting = (stats) =>
  sum(Object.values(stats.queues).map((queue) => queue.waiting_requests)) +
  stats.pacing.waiting_requests +
  stats.coalescing.waiting_searches +
  sum(stats.bulk.nodes.map((node) => node.waiting_shard_requests));
