package dev.weir.routing;

import dev.weir.config.policy.Attribute;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.ShardCopy;
import java.util.List;

/**
 * Which nodes are near: those with all of the gateway's attributes. The others' scores are
 * multiplied, so that near ones are preferred until their load makes them as much worse.
 */
record Locality(List<Attribute> attributes, double awayFactor) {
  static Locality of(RoutingPolicy policy) {
    return new Locality(policy.attributes(), policy.awayFactor());
  }

  double factor(ShardCopy copy) {
    for (int i = 0; i < attributes.size(); i++) {
      Attribute attribute = attributes.get(i);
      if (!attribute.value().equals(copy.nodeAttributes().get(attribute.name()))) {
        return awayFactor;
      }
    }
    return 1;
  }
}
