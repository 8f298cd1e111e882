package dev.weir.node.capability;

import org.opensearch.action.ActionType;

/**
 * Asks a node for the plugin's version and capabilities. Its name makes it a right of every user
 * that may monitor the cluster.
 */
public final class CapabilitiesAction extends ActionType<CapabilitiesResponse> {
  /** The name on the wire. */
  public static final String NAME = "cluster:monitor/weir/capabilities";

  /** The only instance. */
  public static final CapabilitiesAction INSTANCE = new CapabilitiesAction();

  private CapabilitiesAction() {
    super(NAME, CapabilitiesResponse::new);
  }
}
