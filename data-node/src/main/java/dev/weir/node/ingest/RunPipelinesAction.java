package dev.weir.node.ingest;

import org.opensearch.action.ActionType;

/**
 * Runs the pipelines of the items of a bulk and returns the items. Its name makes it a right of
 * those that may write to the indices.
 */
public final class RunPipelinesAction extends ActionType<RunPipelinesResponse> {
  /** The name on the wire. */
  public static final String NAME = "indices:data/write/weir/run_pipelines";

  /** The only instance. */
  public static final RunPipelinesAction INSTANCE = new RunPipelinesAction();

  private RunPipelinesAction() {
    super(NAME, RunPipelinesResponse::new);
  }
}
