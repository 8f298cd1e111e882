package dev.weir.node.bulk;

import dev.weir.node.load.JointResponse;
import java.io.IOException;
import java.util.List;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.transport.TransportResponse;

/**
 * Results of a batch. On the wire: a boolean that says whether more follow, and if so the batch's
 * id as a long; the number of results as a vint; the place of each result's part in the batch as a
 * vint, first, so that it is known of which parts the results are even if the rest is not read; and
 * each result as a boolean that is true for a failure, a vint with its length, and its bytes: those
 * of a response of its own, or of an exception.
 */
final class BulkBatchResponse extends TransportResponse implements JointResponse {
  private final boolean more;
  private final long batch;
  private final List<Result> results;

  /**
   * The result of one part.
   *
   * @param bytes in the version of the gateway
   */
  record Result(int place, boolean failed, BytesReference bytes) {}

  /**
   * Makes a response.
   *
   * @param batch the id by which to ask for more; ignored if there is no more
   */
  BulkBatchResponse(boolean more, long batch, List<Result> results) {
    this.more = more;
    this.batch = batch;
    this.results = List.copyOf(results);
  }

  @Override
  public String workAction() {
    return BulkBatchService.PART_ACTION;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeBoolean(more);
    if (more) {
      out.writeLong(batch);
    }
    out.writeVInt(results.size());
    for (Result result : results) {
      out.writeVInt(result.place());
    }
    for (Result result : results) {
      out.writeBoolean(result.failed());
      out.writeBytesReference(result.bytes());
    }
  }
}
