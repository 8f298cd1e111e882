package dev.weir.core.actions;

import dev.weir.core.coordinate.Environment;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;

/** The actions on the cluster itself: the nodes' descriptions. */
public final class ClusterActions {
  private ClusterActions() {}

  /** Adds them. */
  public static Actions.Builder addTo(Actions.Builder actions, Environment environment) {
    return actions.with(
        NodesInfoAction.INSTANCE, NodesInfoRequest.class, new NodesInfoHandler(environment));
  }
}
