package dev.weir.routing;

import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.ShardCopy;
import java.util.List;

/**
 * Determines which nodes are near: those with all of the gateway's attributes. A penalty multiplies
 * the scores of remote nodes, so that near ones are preferred until their load outweighs it.
 */
record Locality(List<NodeAttribute> attributes, double remotePenalty) {
  static Locality of(RoutingPolicy policy) {
    return new Locality(policy.gatewayAttributes(), policy.remotePenalty());
  }

  double penalty(ShardCopy copy) {
    for (int i = 0; i < attributes.size(); i++) {
      NodeAttribute attribute = attributes.get(i);
      if (!attribute.value().equals(copy.nodeAttributes().get(attribute.name()))) {
        return remotePenalty;
      }
    }
    return 1;
  }
}
