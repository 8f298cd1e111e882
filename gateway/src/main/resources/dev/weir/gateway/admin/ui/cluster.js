// The clusters behind the gateway, and the configuration that it runs by.

import { by, follow, make, pairs, say, show } from './dom.js';
import { age, count } from './format.js';

export function showCluster({ stats }) {
  const { cluster, proxy } = stats;
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
      say(made.title, cluster.name || 'not heard from yet');
      pairs(made.list, [
        ['Nodes connected', `${cluster.connected_nodes} of ${cluster.nodes}`, cluster.connected_nodes < cluster.nodes ? 'warn' : 'none'],
        ['State', cluster.version > 0 ? `version ${cluster.version}, term ${cluster.term}` : '–'],
        ['Confirmed', cluster.version > 0 ? `${age(cluster.age_ms)} ago` : '–', cluster.age_ms > 60000 ? 'warn' : 'none'],
        ['Passing through', `${count(proxy.in_flight)} in flight, ${count(proxy.connections)} connections`],
        ['Refused seeds', cluster.rejected_seeds.length > 0 ? cluster.rejected_seeds.join(', ') : 'none', cluster.rejected_seeds.length > 0 ? 'warn' : 'none'],
        ['Last trouble', cluster.last_error || 'none', cluster.last_error ? 'warn' : 'none'],
        ['UUID', cluster.uuid || '–'],
      ]);
    },
  );
}

export function showConfig({ config }) {
  const { reload } = config;
  const refusedNow = reload.problems.length > 0;
  pairs(by('config'), [
    ['In force', reload.applied > 0 ? `after ${count(reload.applied)} ${reload.applied === 1 ? 'reading' : 'readings'} of the file` : 'as it was started'],
    ['Refused', reload.rejected > 0 ? `${reload.rejected === 1 ? 'once' : `${count(reload.rejected)} times`}${refusedNow ? ', the newest too' : ''}` : 'never', refusedNow ? 'warn' : 'none'],
    ['At the next start', reload.restart_required.length > 0 ? reload.restart_required.join(', ') : 'nothing changes', reload.restart_required.length > 0 ? 'warn' : 'none'],
    ['REST', config.http.listen],
    ['Admin', config.admin.listen],
    ['Copies by', config.routing.algorithm],
    ['Drain', `delay ${config.admin['drain-delay']}, then at most ${config.admin['drain-timeout']}`],
  ]);
  show(by('config-problems'), refusedNow);
  say(by('config-problems'), reload.problems.join('\n'));
}
