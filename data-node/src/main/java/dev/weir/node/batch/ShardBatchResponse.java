package dev.weir.node.batch;

import dev.weir.node.load.JointResponse;
import java.io.IOException;
import java.util.List;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.transport.TransportResponse;

/**
 * Results of a batch. On the wire: a boolean that says whether more follow, and if so the batch's
 * id as a long; the beginning of each result of a query, which shows the search context that it
 * opened even if the rest is not read: their number as a vint, and each as a vint with the place of
 * its request, a vint with its length, and its bytes, none if it has no open context; the number of
 * results as a vint; and each result as a vint with the place of its request in the batch, a byte
 * with its form, a vint with its length, and its bytes: those of a response of its own, or of an
 * exception. The bits of the form are 1 for a failure, 2 for a result that was reduced together
 * with others of the response, and 4 for one of which hits were left out; then a vint with their
 * number follows the form; and 8 for one whose aggregations and those of others of the response
 * became one, which the one with the lowest shard index has.
 */
final class ShardBatchResponse extends TransportResponse implements JointResponse {
  /** A flag, the id of a search context, and the id of its session, of 22 characters. */
  private static final int BEGINNING_BYTES = 1 + Long.BYTES + 1 + 22;

  /** The bits of a result's form. */
  private static final int FAILED = 1;

  private static final int REDUCED = 2;
  private static final int HITS_LEFT_OUT = 4;
  private static final int MERGED = 8;

  private final boolean more;
  private final long batch;
  private final List<BatchResult> results;
  private final String workAction;

  /**
   * Makes a response.
   *
   * @param batch the id by which to ask for more; ignored if there is no more
   * @param workAction the action of one of the requests, of work of a pool if there is some
   */
  ShardBatchResponse(boolean more, long batch, List<BatchResult> results, String workAction) {
    this.more = more;
    this.batch = batch;
    this.results = List.copyOf(results);
    this.workAction = workAction;
  }

  @Override
  public String workAction() {
    return workAction;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeBoolean(more);
    if (more) {
      out.writeLong(batch);
    }
    List<BatchResult> queries = results.stream().filter(BatchResult::isQuery).toList();
    out.writeVInt(queries.size());
    for (BatchResult query : queries) {
      out.writeVInt(query.place());
      int beginning = query.hasContext() ? BEGINNING_BYTES : 0;
      out.writeBytesReference(query.bytes().slice(0, Math.min(beginning, query.bytes().length())));
    }
    out.writeVInt(results.size());
    for (BatchResult result : results) {
      out.writeVInt(result.place());
      out.writeByte(form(result));
      if (result.leftOutHits() > 0) {
        out.writeVInt(result.leftOutHits());
      }
      out.writeBytesReference(result.bytes());
    }
  }

  private static byte form(BatchResult result) {
    return (byte)
        ((result.failed() ? FAILED : 0)
            | (result.isReduced() ? REDUCED : 0)
            | (result.leftOutHits() > 0 ? HITS_LEFT_OUT : 0)
            | (result.isMerged() ? MERGED : 0));
  }
}
