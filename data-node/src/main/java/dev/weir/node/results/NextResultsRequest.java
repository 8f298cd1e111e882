package dev.weir.node.results;

import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.TransportRequest;

/**
 * Asks for the next results of a batch, or says that nobody waits for them. On the wire, after the
 * parent task: the id from the last response as a long, and a boolean that is true to ask.
 */
public class NextResultsRequest extends TransportRequest {
  private final long batch;
  private final boolean wanted;

  /** Reads a request. */
  public NextResultsRequest(StreamInput in) throws IOException {
    super(in);
    batch = in.readLong();
    wanted = in.readBoolean();
  }

  /** Returns the id of the batch. */
  public final long batch() {
    return batch;
  }

  /** Returns false if nobody waits for the results. */
  public final boolean isWanted() {
    return wanted;
  }
}
