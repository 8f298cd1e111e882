package dev.weir.core.actions;

import dev.weir.core.coordinate.CoordinationServices;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;

/** The actions on the cluster itself: node information. */
public final class ClusterActions {
  private ClusterActions() {}

  /** Adds these actions to a registry. */
  public static ActionRegistry.Builder addTo(
      ActionRegistry.Builder actions, CoordinationServices environment) {
    return actions.register(
        NodesInfoAction.INSTANCE, NodesInfoRequest.class, new NodesInfoHandler(environment));
  }
}
