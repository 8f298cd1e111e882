package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Results of a batch.
 *
 * @param more whether further results follow
 * @param batchId by which to ask for them; 0 if none follow
 */
record BatchReply(boolean more, long batchId, List<EntryResult<?>> results) {
  /**
   * Reads the plugin's {@code ShardBatchResponse}: a boolean that says whether more follow, and if
   * so the batch's id as a long; the number of results as a vint; and each result as a vint with
   * the place of its request, a boolean that is true for a failure, a vint with its length, and its
   * bytes.
   *
   * @param sent the calls in the order in which they were sent
   */
  static BatchReply read(StreamInput in, List<BatchEntry<?>> sent) throws IOException {
    boolean more = in.readBoolean();
    long batchId = more ? in.readLong() : 0;
    int count = in.readVInt();
    List<EntryResult<?>> results = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      int place = in.readVInt();
      if (place < 0 || place >= sent.size()) {
        throw new IOException(
            "got a result of request " + place + " (expected: of 0 to " + (sent.size() - 1) + ")");
      }
      boolean failed = in.readBoolean();
      BytesReference bytes = in.readBytesReference();
      BatchEntry<?> entry = sent.get(place);
      if (entry.isWanted()) {
        results.add(entry.read(failed, bytes, in));
      }
    }
    return new BatchReply(more, batchId, results);
  }
}
