package dev.weir.gateway.app;

import dev.weir.gateway.actions.Actions;
import dev.weir.gateway.actions.DocumentActions;
import dev.weir.gateway.cluster.IndexNames;
import dev.weir.gateway.coordinate.Delays;
import dev.weir.gateway.coordinate.Environment;
import dev.weir.gateway.coordinate.TrackedSender;
import dev.weir.gateway.parse.RestFrontDoor;
import dev.weir.gateway.parse.RestThreadContext;
import dev.weir.protocol.registry.OpenSearchRegistries;

/**
 * The rooms that a coordinated request walks through: parse, actions, coordinate, and the sender to
 * the nodes.
 *
 * @param context OpenSearch's thread context, closed with the gateway
 * @param door where requests come in
 */
record Walk(RestThreadContext context, RestFrontDoor door) implements AutoCloseable {
  static Walk of(OpenSearchRegistries registries, Backend backend) {
    RestThreadContext context = new RestThreadContext(registries.settings());
    IndexNames names = new IndexNames(context.threadContext());
    Environment environment =
        new Environment(
            new TrackedSender(backend.clients(), backend.loads()),
            backend.follower(),
            Delays.real(),
            System::nanoTime);
    Actions.Builder actions = Actions.builder();
    DocumentActions.addTo(actions, environment, names, backend.selector());
    return new Walk(context, new RestFrontDoor(registries, context, actions.build()));
  }

  @Override
  public void close() {
    context.close();
  }
}
