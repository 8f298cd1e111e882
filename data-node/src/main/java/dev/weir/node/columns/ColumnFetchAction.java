package dev.weir.node.columns;

import org.opensearch.action.ActionType;

/**
 * Fetches the documents of a search from one shard, as columns where it can. Its name makes it a
 * right of users that may read the indices, as the fetch phase is.
 */
public final class ColumnFetchAction extends ActionType<ColumnFetchResponse> {
  /** The name on the wire. */
  public static final String NAME = "indices:data/read/weir/column_fetch";

  /** The only instance. */
  public static final ColumnFetchAction INSTANCE = new ColumnFetchAction();

  private ColumnFetchAction() {
    super(NAME, ColumnFetchResponse::new);
  }
}
