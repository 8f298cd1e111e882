// Which cluster gets how much: by weights, by what was counted, by what a change would make of it. Pure: no document here.

/** Over how long counts are compared, at the least. */
const WINDOW_MS = 10000;

/** What weights that stand in for the file's are for, as the gateway says it. */
const ALL = '*';
const WHOLE = 'the whole gateway';

const add = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** The part of each cluster, 0 to 1, in the order of the clusters; without a weight the first one gets all. */
export function shares(weights, clusters) {
  const known = clusters.map((name) => Math.max(0, Number(weights?.[name] ?? 0)));
  const all = add(known);
  return new Map(clusters.map((name, i) => [name, all > 0 ? known[i] / all : i === 0 ? 1 : 0]));
}

/** Whether weights say the same, as the gateway compares them. */
export function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

const nameOf = (row) => row.policy ?? '';

function inherits(traffic, row) {
  const whole = traffic.policies.find((one) => nameOf(one) === '');
  return nameOf(row) === '' || (whole !== undefined && same(row.configured_weights ?? {}, whole.configured_weights ?? {}));
}

/** The weights that stand in for those of the file for a policy's requests; null for none. */
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

/** Counts of the last moments. Starts anew when the gateway did. */
export class Lately {
  #samples = [];

  /** Takes what `/traffic` says at a moment, in milliseconds of a clock that only goes forward. */
  take(traffic, at, born) {
    const now = { at, born, clusters: new Map(), policies: new Map() };
    for (const cluster of traffic.clusters) now.clusters.set(cluster.name, cluster);
    for (const row of traffic.policies) now.policies.set(nameOf(row), row.requests ?? {});
    if (this.#samples.length > 0 && this.#samples.at(-1).born !== born) this.#samples = [];
    this.#samples.push(now);
    while (this.#samples.length > 2 && this.#samples[1].at <= at - WINDOW_MS) this.#samples.shift();
  }

  /** How long is looked back on. */
  get seconds() {
    return this.#samples.length > 1 ? (this.#samples.at(-1).at - this.#samples[0].at) / 1000 : 0;
  }

  /** Requests by cluster that went by a policy; null while nothing can be compared. */
  requests(policy) {
    const [first, last] = [this.#samples[0]?.policies.get(policy), this.#samples.at(-1)?.policies.get(policy)];
    if (this.seconds === 0 || !first || !last) return null;
    return Object.fromEntries(Object.entries(last).map(([name, n]) => [name, Math.max(0, n - (first[name] ?? 0))]));
  }

  /** So many a second of what is counted of a cluster: `requests` or `errors`; null while nothing can be compared. */
  rate(cluster, what) {
    const [first, last] = [this.#samples[0]?.clusters.get(cluster), this.#samples.at(-1)?.clusters.get(cluster)];
    return this.seconds > 0 && first && last ? Math.max(0, last[what] - first[what]) / this.seconds : null;
  }
}

/** Of a budget: how many percent more went wrong elsewhere than at the cluster that is gone back to. */
export function beyond(budget) {
  const percent = (part, all) => (all > 0 ? (100 * part) / all : 0);
  return {
    errors: Math.max(0, percent(budget.other_errors, budget.other_requests) - percent(budget.errors, budget.requests)),
    differences: percent(budget.differences, budget.compared),
  };
}
