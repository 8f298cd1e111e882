package dev.weir.responses.export;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slices of an export: each has one page under way at the most. Used by one thread. */
final class SliceQueue {
  private final List<ExportSlice> slices = new ArrayList<>();
  private final ArrayDeque<ExportSlice> idle = new ArrayDeque<>();

  void add(ExportSlice slice) {
    slices.add(slice);
    idle.add(slice);
  }

  /** One whose next page may be asked for, which waited longest; null where there is none now. */
  @Nullable ExportSlice pollIdle() {
    return idle.poll();
  }

  /** The page of one that was taken has been told, or is to be asked for again. */
  void returnSlice(ExportSlice slice) {
    if (!slice.isDone()) {
      idle.add(slice);
    }
  }

  /** Whether all rows were told. */
  boolean isDone() {
    return slices.stream().allMatch(ExportSlice::isDone);
  }

  /** How far those were told that are not done. */
  List<ExportSlice.Position> openPositions() {
    return slices.stream().filter(slice -> !slice.isDone()).map(ExportSlice::position).toList();
  }

  /**
   * Cuts shards whose last matching documents are known into parts of about as many numbers each.
   *
   * @param lasts by shard: the number of its last document; -1 for none, {@link Long#MAX_VALUE} for
   *     not known
   * @param wanted how many slices there should be at least
   * @param least numbers that a part must have
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
