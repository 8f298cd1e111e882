// The selected cluster, and the configuration in force.

import { by, follow, make, pairs, say, show } from './dom.js';
import { age, count } from './format.js';

/** The entries that have a value. */
const filled = (entries) => entries.filter(([, value]) => value !== '');

export function showCluster({ stats }) {
  const { authorization, cluster, proxy } = stats;
  follow(
    by('clusters'),
    [cluster],
    () => 'only',
    () => {
      const title = make('h3');
      const list = make('dl', { class: 'pairs' });
      return { node: make('div', {}, title, list), title, list };
    },
    (made) => {
      say(made.title, cluster.name || 'no response so far');
      pairs(made.list, filled([
        ['Nodes connected', `${cluster.connected_nodes} of ${cluster.nodes}`, cluster.connected_nodes < cluster.nodes ? 'warn' : 'none'],
        ['State', cluster.version > 0 ? `version ${cluster.version}, term ${cluster.term}` : '–'],
        ['Last confirmed', cluster.version > 0 ? `${age(cluster.age_ms)} ago` : '–', cluster.age_ms > 60000 ? 'warn' : 'none'],
        ['Authorization', `${authorization.mode}: ${authorization.reason}`],
        ['Pass-through', `${count(proxy.in_flight)} in flight, ${count(proxy.connections)} connections`],
        ['Rejected seeds', cluster.rejected_seeds.length > 0 ? cluster.rejected_seeds.join(', ') : '', cluster.rejected_seeds.length > 0 ? 'warn' : 'none'],
        ['Last error', cluster.last_error, cluster.last_error ? 'warn' : 'none'],
        ['UUID', cluster.uuid],
      ]));
    },
  );
}

export function showConfig({ config }) {
  const { reload } = config;
  const refusedNow = reload.problems.length > 0;
  pairs(by('config'), filled([
    ['In force', reload.applied > 0 ? `after ${count(reload.applied)} ${reload.applied === 1 ? 'reload' : 'reloads'}` : 'since the start'],
    ['Rejected reloads', reload.rejected > 0 ? `${reload.rejected === 1 ? 'once' : `${count(reload.rejected)} times`}${refusedNow ? ', including the latest' : ''}` : '', refusedNow ? 'warn' : 'none'],
    ['Needs a restart', reload.restart_required.length > 0 ? reload.restart_required.join(', ') : '', reload.restart_required.length > 0 ? 'warn' : 'none'],
    ['REST address', config.http.listen],
    ['Admin address', config.admin.listen],
    ['Routing algorithm', config.routing.algorithm],
    ['Drain', `delay ${config.admin['drain-delay']}, timeout ${config.admin['drain-timeout']}`],
  ]));
  show(by('config-problems'), refusedNow);
  say(by('config-problems'), reload.problems.join('\n'));
}
