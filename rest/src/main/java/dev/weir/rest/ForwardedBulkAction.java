package dev.weir.rest;

import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkResponse;

/**
 * A bulk that a node executes as a whole: a section of a streaming bulk with items that only a node
 * can process, for example with an ingest pipeline.
 */
public final class ForwardedBulkAction extends ActionType<BulkResponse> {
  public static final ForwardedBulkAction INSTANCE = new ForwardedBulkAction();

  private ForwardedBulkAction() {
    super("indices:data/write/bulk[whole]", BulkResponse::new);
  }
}
