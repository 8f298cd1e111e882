package dev.weir.node.batch;

import dev.weir.node.load.JointResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * Results of a batch. On the wire: a boolean that says whether more follow, and if so the batch's
 * id as a long; the beginning of each result of a query, which shows the search context that it
 * opened even if the rest is not read: their number as a vint, and each as a vint with the place of
 * its request, a vint with its length, and its bytes; the number of results as a vint; and each
 * result as a vint with the place of its request in the batch, a boolean that is true for a
 * failure, a vint with its length, and its bytes: those of a response of its own, or of an
 * exception.
 */
final class ShardBatchResponse extends TransportResponse implements JointResponse {
  /** A flag, the id of a search context, and the id of its session, of 22 characters. */
  private static final int BEGINNING_BYTES = 1 + Long.BYTES + 1 + 22;

  private final boolean more;
  private final long batch;
  private final List<Result> results;
  private final String workAction;

  /**
   * The result of one request.
   *
   * @param opensContext whether it may have the id of a search context that it opened
   * @param bytes in the version of the gateway
   * @param openContext the search context that it may leave open, if the batch may free it; null
   *     for none
   */
  record Result(
      int place,
      boolean failed,
      boolean opensContext,
      BytesReference bytes,
      @Nullable ShardSearchContextId openContext) {}

  /**
   * Makes a response.
   *
   * @param batch the id by which to ask for more; ignored if there is no more
   * @param workAction the action of one of the requests, of work of a pool if there is some
   */
  ShardBatchResponse(boolean more, long batch, List<Result> results, String workAction) {
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
    List<Result> queries = results.stream().filter(Result::opensContext).toList();
    out.writeVInt(queries.size());
    for (Result query : queries) {
      out.writeVInt(query.place());
      out.writeBytesReference(
          query.bytes().slice(0, Math.min(BEGINNING_BYTES, query.bytes().length())));
    }
    out.writeVInt(results.size());
    for (Result result : results) {
      out.writeVInt(result.place());
      out.writeBoolean(result.failed());
      out.writeBytesReference(result.bytes());
    }
  }
}
