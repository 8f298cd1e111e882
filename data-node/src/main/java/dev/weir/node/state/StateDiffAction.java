package dev.weir.node.state;

import org.opensearch.action.ActionType;

/**
 * Waits for the state that follows one that the gateway has, and answers with the changes. Its name
 * makes it a right of every user that may monitor the cluster, as reading the state is.
 */
public final class StateDiffAction extends ActionType<StateDiffResponse> {
  /** The name on the wire. */
  public static final String NAME = "cluster:monitor/weir/state/diff";

  /** The only instance. */
  public static final StateDiffAction INSTANCE = new StateDiffAction();

  private StateDiffAction() {
    super(NAME, StateDiffResponse::new);
  }
}
