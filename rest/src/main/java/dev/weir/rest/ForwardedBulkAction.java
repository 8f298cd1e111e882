package dev.weir.rest;

import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkResponse;

/**
 * A bulk that a node carries out as a whole: a section of one that was begun here, with items that
 * only nodes can judge, such as those that go through an ingest pipeline.
 */
public final class ForwardedBulkAction extends ActionType<BulkResponse> {
  /** The one instance. */
  public static final ForwardedBulkAction INSTANCE = new ForwardedBulkAction();

  private ForwardedBulkAction() {
    super("indices:data/write/bulk[whole]", BulkResponse::new);
  }
}
