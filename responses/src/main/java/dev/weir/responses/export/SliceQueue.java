package dev.weir.responses.export;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slices of an export. Each slice has at most one pending page. Used by one thread. */
final class SliceQueue {
  private final List<ExportSlice> slices = new ArrayList<>();
  private final ArrayDeque<ExportSlice> idle = new ArrayDeque<>();

  void add(ExportSlice slice) {
    slices.add(slice);
    idle.add(slice);
  }

  /** Returns the slice that has waited longest for its next page; null if none waits. */
  @Nullable ExportSlice pollIdle() {
    return idle.poll();
  }

  /** Returns a slice after its page was sent. A rejected page keeps its slice for the next try. */
  void returnSlice(ExportSlice slice) {
    if (!slice.isDone()) {
      idle.add(slice);
    }
  }

  /** Returns true if all rows were sent. */
  boolean isDone() {
    return slices.stream().allMatch(ExportSlice::isDone);
  }

  /** Returns the positions of the unfinished slices. */
  List<ExportSlice.Position> openPositions() {
    return slices.stream().filter(slice -> !slice.isDone()).map(ExportSlice::position).toList();
  }

  /**
   * Splits shards into slices of about equally many document numbers.
   *
   * @param lasts by shard: the number of its last matching document; -1 for none, {@link
   *     Long#MAX_VALUE} if unknown
   * @param wanted the minimum number of slices
   * @param least the minimum document numbers of a slice
   */
  static SliceQueue split(List<Long> lasts, int wanted, long least) {
    SliceQueue slices = new SliceQueue();
    int parts = lasts.isEmpty() ? 1 : Math.ceilDiv(wanted, lasts.size());
    for (int shard = 0; shard < lasts.size(); shard++) {
      long last = lasts.get(shard);
      if (last == Long.MAX_VALUE) {
        slices.add(ExportSlice.ofRange(shard, 0, ExportSlice.UNBOUNDED));
      } else if (last >= 0) {
        long numbers = last + 1;
        long count = Math.max(1, Math.min(parts, numbers / least));
        for (long part = 0; part < count; part++) {
          slices.add(
              ExportSlice.ofRange(shard, numbers * part / count, numbers * (part + 1) / count));
        }
      }
    }
    return slices;
  }
}
