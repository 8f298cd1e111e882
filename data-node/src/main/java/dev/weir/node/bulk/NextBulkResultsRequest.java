package dev.weir.node.bulk;

import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.TransportRequest;

/**
 * Asks for the next results of a batch, or says that nobody waits for them. On the wire, after the
 * parent task: the id from the last response as a long, and a boolean that is true to ask.
 */
final class NextBulkResultsRequest extends TransportRequest {
  private final long batch;
  private final boolean wanted;

  NextBulkResultsRequest(StreamInput in) throws IOException {
    super(in);
    batch = in.readLong();
    wanted = in.readBoolean();
  }

  long batch() {
    return batch;
  }

  boolean isWanted() {
    return wanted;
  }
}
