package dev.weir.core.actions;

import org.opensearch.action.search.CreatePitRequest;
import org.opensearch.common.unit.TimeValue;

/**
 * Opens a point in time for a request of the gateway's own, such as an export. It may be of no
 * shard; a client's gets a node's error then.
 */
public final class InternalPitRequest extends CreatePitRequest {
  public InternalPitRequest(TimeValue keepAlive, String... indices) {
    super(keepAlive, false, indices);
  }
}
