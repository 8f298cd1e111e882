// The state of the gateway: the label in the header, and the line below it.

import { by, say, set } from './dom.js';
import { age, clock, count } from './format.js';
import { dualOf, logFailures } from './repeats.js';

export class State {
  #heardAt = null;

  heard(figures) {
    this.#heardAt = new Date();
    const { stats, ready } = figures;
    say(by('version'), stats.gateway.version);
    say(by('uptime'), age(stats.gateway.uptime_ms));
    say(by('as-of'), clock(this.#heardAt));
    say(by('where'), stats.cluster.name || ' ');
    document.title = stats.cluster.name ? `Weir · ${stats.cluster.name}` : 'Weir';
    delete document.body.dataset.stale;
    this.#tell(...pillOf(stats, ready), lineOf(figures));
  }

  silent(why) {
    document.body.dataset.stale = '';
    const since = this.#heardAt ? ` Figures are of ${clock(this.#heardAt)}.` : ' No figures so far.';
    const what = why.name === 'TimeoutError' ? 'The gateway did not answer within 5 s.' : 'The gateway does not answer.';
    this.#tell('Disconnected', 'bad', [`${what}${since}`, 'bad']);
  }

  paused(paused) {
    if (paused) this.#tell('Paused', 'none', ['Paused: the page loads no figures. Rates and the heat map have a gap for this time.', 'none']);
  }

  #tell(pill, tone, [line, lineTone]) {
    say(by('state'), pill);
    set(by('state'), 'data-tone', tone);
    say(by('strip'), line);
    set(by('strip'), 'data-tone', lineTone);
  }
}

function pillOf(stats, ready) {
  if (stats.gateway.draining) return ['Draining', 'warn'];
  return ready.ready ? ['Ready', 'good'] : ['Not ready', 'bad'];
}

function lineOf({ stats, ready, traffic, config }) {
  if (stats.gateway.draining) return drainingLine(stats);
  if (!ready.ready) return [`Not ready: ${ready.reasons.join('; ')}`, 'bad'];
  if (ready.rejected_configuration) {
    return ['The gateway rejected the changed configuration; the previous one is in force. See the problems below.', 'warn'];
  }
  const lost = logFailures(dualOf({ traffic, stats }));
  if (lost > 0) return [`The repair log could not be written: ${count(lost)} entries are lost`, 'bad'];
  const back = traffic.overrides.find((shift) => shift.changed_by === 'rollback');
  if (back) return [`Rolled back to ${Object.keys(back.weights).join(', ')}: ${back.reason}`, 'warn'];
  const missing = traffic.clusters.filter((cluster) => !cluster.available);
  if (missing.length > 0) return [missing.map((cluster) => `Cluster ${cluster.name} is unavailable: ${cluster.unavailability_reason}`).join('; '), 'warn'];
  const { nodes, connected_nodes: connected, last_error: error } = stats.cluster;
  if (connected < nodes) return [`${nodes - connected} of ${nodes} nodes are unreachable${error ? `: ${error}` : ''}`, 'warn'];
  if (config.reload.restart_required.length > 0) {
    return [`Changed keys that need a restart: ${config.reload.restart_required.join(', ')}`, 'warn'];
  }
  if (traffic.overrides.length > 0) return ['Serving; weights that were set by hand override those of the file', 'warn'];
  return [`Serving; ${stats.clusters.length > 1 ? `${stats.clusters.length} clusters; of ${stats.selected_cluster} ` : ''}${nodes} ${nodes === 1 ? 'node' : 'nodes'} connected; the configuration is in force`, 'good'];
}

function drainingLine(stats) {
  const under = stats.in_flight;
  const left = under.requests + stats.proxy.in_flight;
  if (left === 0 && under.connections === 0) {
    return ['Drained: no request is in flight and no client is connected. You can stop the process.', 'good'];
  }
  return [`Draining: ${left} ${left === 1 ? 'request' : 'requests'} in flight, ${under.connections} client ${under.connections === 1 ? 'connection' : 'connections'} open`, 'warn'];
}
