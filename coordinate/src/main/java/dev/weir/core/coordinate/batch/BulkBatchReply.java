package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/** Results of a {@link BulkNodeBatch}; only of parts whose outcome somebody waits for. */
record BulkBatchReply(Beginning beginning, List<EntryResult<?>> results) {
  /**
   * Reads the plugin's {@code BulkBatchResponse}: what {@link Beginning} reads; and each result as
   * a boolean that is true for a failure, a vint with its length, and its bytes.
   *
   * @param sent the parts in the order in which they were sent
   */
  static BulkBatchReply read(StreamInput in, List<BatchEntry<?>> sent) throws IOException {
    Beginning beginning = Beginning.read(in, sent.size());
    List<EntryResult<?>> results = new ArrayList<>(beginning.places().size());
    for (int place : beginning.places()) {
      boolean failed = in.readBoolean();
      BytesReference bytes = in.readBytesReference();
      BatchEntry<?> entry = sent.get(place);
      if (entry.isWanted()) {
        results.add(entry.read(failed, bytes, in));
      }
    }
    return new BulkBatchReply(beginning, results);
  }

  /**
   * What a response begins with, so that it is known even if the rest is not read for lack of
   * memory.
   *
   * @param more whether further results follow
   * @param batchId by which to ask for them; 0 if none follow
   * @param places of the parts that have results in this response
   */
  record Beginning(boolean more, long batchId, List<Integer> places) {
    /**
     * Reads it: a boolean that says whether more follow, and if so the batch's id as a long; the
     * number of results as a vint; and the place of each result's part as a vint.
     */
    static Beginning read(StreamInput in, int parts) throws IOException {
      boolean more = in.readBoolean();
      long batchId = more ? in.readLong() : 0;
      List<Integer> places = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        int place = in.readVInt();
        if (place < 0 || place >= parts) {
          throw new IOException(
              "got a result of part " + place + " (expected: of 0 to " + (parts - 1) + ")");
        }
        places.add(place);
      }
      return new Beginning(more, batchId, places);
    }

    /** Reads it from the first bytes of a response; no places if there are too few of them. */
    static Beginning ofPrefix(byte[] prefix, int parts) {
      try (StreamInput in = new BytesArray(prefix).streamInput()) {
        return read(in, parts);
      } catch (IOException | RuntimeException tooShort) {
        return new Beginning(false, 0, List.of());
      }
    }
  }
}
