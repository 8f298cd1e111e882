package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Results of a batch.
 *
 * @param more whether further results follow
 * @param batchId by which to ask for them; 0 if none follow
 * @param isGroupRead whether all results are there that the node reduced together
 */
record BatchReply(boolean more, long batchId, List<EntryResult<?>> results, boolean isGroupRead) {
  /** The bits of a result's form. */
  private static final int FAILED = 1;

  private static final int IN_GROUP = 2;
  private static final int HITS_LEFT_OUT = 4;
  private static final int MERGED = 8;

  /**
   * Reads the plugin's {@code ShardBatchResponse}: a boolean that says whether more follow, and if
   * so the batch's id as a long; the beginnings of some results, which {@link Beginnings} reads;
   * the number of results as a vint; and each result as a vint with the place of its request, a
   * byte with its form, a vint with its length, and its bytes. The bits of the form are 1 for a
   * failure, 2 for a result that the node reduced together with others of the response, and 4 for
   * one of which it left hits out; then a vint with their number follows the form; and 8 for one
   * whose aggregations and those of others of the response are in one result.
   *
   * @param sent the calls in the order in which they were sent
   */
  static BatchReply read(StreamInput in, List<BatchEntry<?>> sent) throws IOException {
    Beginnings start = Beginnings.read(in);
    int count = in.readVInt();
    List<EntryResult<?>> results = new ArrayList<>();
    boolean isGroupRead = true;
    for (int left = count; left > 0; left--) {
      int place = in.readVInt();
      if (place < 0 || place >= sent.size()) {
        throw new IOException(
            "got a result of request " + place + " (expected: of 0 to " + (sent.size() - 1) + ")");
      }
      int form = in.readByte();
      int leftOut = (form & HITS_LEFT_OUT) == 0 ? 0 : in.readVInt();
      BytesReference bytes = in.readBytesReference();
      BatchEntry<?> entry = sent.get(place);
      boolean inGroup = (form & IN_GROUP) != 0;
      if (entry.isWanted()) {
        EntryResult<?> result = entry.read((form & FAILED) != 0, bytes, in);
        results.add(inGroup ? result.reduced(leftOut, (form & MERGED) != 0) : result);
      } else {
        isGroupRead &= !inGroup;
      }
    }
    return new BatchReply(start.more(), start.batchId(), results, isGroupRead);
  }

  /**
   * Returns whether all results count that the node reduced together. If not, hits that it left out
   * may belong into the response, and merged aggregations may not. Confined to the event loop of
   * the request.
   */
  boolean isGroupUsed() {
    return isGroupRead && results.stream().allMatch(result -> !result.inGroup() || result.isUsed());
  }

  /**
   * What a response begins with, so that it is known even if the rest is not read for lack of
   * memory.
   *
   * @param byPlace the beginnings of some results by the places of their requests
   */
  record Beginnings(boolean more, long batchId, Map<Integer, byte[]> byPlace) {
    /** Nothing, for a response of which not enough is known. */
    static final Beginnings UNKNOWN = new Beginnings(false, 0, Map.of());

    /**
     * Reads them: the number of beginnings as a vint, and each as a vint with the place of its
     * request, a vint with its length, and its bytes.
     */
    static Beginnings read(StreamInput in) throws IOException {
      boolean more = in.readBoolean();
      long batchId = more ? in.readLong() : 0;
      Map<Integer, byte[]> byPlace = new HashMap<>();
      for (int left = in.readVInt(); left > 0; left--) {
        byPlace.put(in.readVInt(), in.readByteArray());
      }
      return new Beginnings(more, batchId, byPlace);
    }

    /** Reads them from the first bytes of a response. */
    static Beginnings ofPrefix(byte[] prefix) {
      try (StreamInput in = new BytesArray(prefix).streamInput()) {
        return prefix.length == 0 ? UNKNOWN : read(in);
      } catch (IOException | RuntimeException tooShort) {
        return UNKNOWN;
      }
    }
  }
}
