// Shares of the clusters: by weight, by counted requests, and after a change. Uses no document.

/** Minimum span between two compared counts. */
const WINDOW_MS = 10000;

/** The gateway's names of overrides for all policies and for the whole gateway. */
const ALL = '*';
const WHOLE = 'the whole gateway';

const add = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** The share of each cluster, 0 to 1, in the order of the clusters; without weights the first one gets everything. */
export function shares(weights, clusters) {
  const known = clusters.map((name) => Math.max(0, Number(weights?.[name] ?? 0)));
  const all = add(known);
  return new Map(clusters.map((name, i) => [name, all > 0 ? known[i] / all : i === 0 ? 1 : 0]));
}

/** Whether weights are equal, by the gateway's comparison. */
export function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

const nameOf = (row) => row.policy ?? '';

function inherits(traffic, row) {
  const whole = traffic.policies.find((one) => nameOf(one) === '');
  return nameOf(row) === '' || (whole !== undefined && same(row.configured_weights ?? {}, whole.configured_weights ?? {}));
}

/** The override in force for a policy; null without one. */
export function shiftOf(traffic, row) {
  const instead = new Map(traffic.overrides.map((shift) => [shift.policy, shift]));
  const own = nameOf(row) === '' ? undefined : instead.get(nameOf(row));
  return own ?? (inherits(traffic, row) ? instead.get(WHOLE) : undefined) ?? instead.get(ALL) ?? null;
}

/**
 * The weights of each policy after a change, by the policies' names: `{shift: policy, weights}`, `{cutOver: cluster}`
 * or `{reset: true}`.
 */
export function after(traffic, change) {
  const own = new Set(traffic.overrides.map((shift) => shift.policy));
  const weights = (row) => {
    if (change.reset) return row.configured_weights ?? {};
    if (change.cutOver !== undefined) return { [change.cutOver]: 1 };
    const meant = nameOf(row) === change.shift || (change.shift === '' && inherits(traffic, row) && !own.has(nameOf(row)));
    return meant ? change.weights : row.weights;
  };
  return new Map(traffic.policies.map((row) => [nameOf(row), weights(row)]));
}

/** Recent counts. Clears itself after a restart of the gateway. */
export class Lately {
  #samples = [];

  /** Adds a response of `/traffic`; `at` is in milliseconds of a monotonic clock. */
  take(traffic, at, born) {
    const now = { at, born, clusters: new Map(), policies: new Map() };
    for (const cluster of traffic.clusters) now.clusters.set(cluster.name, cluster);
    for (const row of traffic.policies) now.policies.set(nameOf(row), row.requests ?? {});
    if (this.#samples.length > 0 && this.#samples.at(-1).born !== born) this.#samples = [];
    this.#samples.push(now);
    while (this.#samples.length > 2 && this.#samples[1].at <= at - WINDOW_MS) this.#samples.shift();
  }

  /** The span of the counts in seconds. */
  get seconds() {
    return this.#samples.length > 1 ? (this.#samples.at(-1).at - this.#samples[0].at) / 1000 : 0;
  }

  /** Recent requests of a policy by cluster; null before the second response. */
  requests(policy) {
    const [first, last] = [this.#samples[0]?.policies.get(policy), this.#samples.at(-1)?.policies.get(policy)];
    if (this.seconds === 0 || !first || !last) return null;
    return Object.fromEntries(Object.entries(last).map(([name, n]) => [name, Math.max(0, n - (first[name] ?? 0))]));
  }

  /** Recent `requests` or `errors` of a cluster per second; null before the second response. */
  rate(cluster, what) {
    const [first, last] = [this.#samples[0]?.clusters.get(cluster), this.#samples.at(-1)?.clusters.get(cluster)];
    return this.seconds > 0 && first && last ? Math.max(0, last[what] - first[what]) / this.seconds : null;
  }
}

/** Use of a rollback budget in percent: errors beyond those of the rollback target, and differing shadow reads. */
export function beyond(budget) {
  const percent = (part, all) => (all > 0 ? (100 * part) / all : 0);
  return {
    errors: Math.max(0, percent(budget.other_errors, budget.other_requests) - percent(budget.errors, budget.requests)),
    differences: percent(budget.differences, budget.compared),
  };
}
