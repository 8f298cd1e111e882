package dev.weir.node.bulk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.RequestHandlerRegistry;
import org.opensearch.transport.TransportRequest;

/**
 * The parts of a bulk for shards of this node. On the wire, after the parent task: the bytes of a
 * response from which on the rest waits for the next one, as a vint; the shortest time that a
 * result waits for others, in milliseconds as a vint; and each part as a boolean that is true and
 * its bytes as they would be the payload of a message of its own; then a boolean that is false.
 * Parts have no lengths, so that documents are copied once, as in a message of their own. If one
 * part cannot be read, none is carried out.
 */
final class BulkBatchRequest extends TransportRequest {
  private static final int MAX_WAIT_MILLIS = 10_000;

  private final int maxResponseBytes;
  private final int minWaitMillis;
  private final List<TransportRequest> parts = new ArrayList<>();

  /**
   * Reads a request.
   *
   * @param handler reads the parts
   */
  BulkBatchRequest(StreamInput in, RequestHandlerRegistry<? extends TransportRequest> handler)
      throws IOException {
    super(in);
    maxResponseBytes = in.readVInt();
    minWaitMillis = in.readVInt();
    while (in.readBoolean()) {
      parts.add(handler.newRequest(in));
    }
  }

  /** Returns the parts in their order; each has a parent task of its own. */
  List<TransportRequest> parts() {
    return parts;
  }

  /** Returns the size of results from which on a response is sent, in bytes. */
  int maxResponseBytes() {
    return maxResponseBytes;
  }

  /** Returns the shortest time that a result waits for others, in milliseconds. */
  long minWaitMillis() {
    return Math.max(1, Math.min(minWaitMillis, MAX_WAIT_MILLIS));
  }

  @Override
  public String getDescription() {
    return "requests[" + parts.size() + "]";
  }
}
