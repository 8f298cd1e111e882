package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Mend;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.model.DisplayFormat;

/** How many copies hot shards should have. */
final class HotCopies {
  /**
   * Copies of a hot shard. Each further copy takes a part of the reads, but all of the writes and
   * the disk.
   */
  static final int MAX_COPIES = 3;

  private HotCopies() {}

  /** Returns how many nodes should have a copy. */
  static int wanted(int dataNodes) {
    return Math.min(dataNodes, MAX_COPIES);
  }

  static Mend mend(IndexFacts index, int replicas) {
    return Mend.of(
            "Each copy needs "
                + DisplayFormat.formatBytes(index.size().bytes())
                + " of disk, and repeats every write.")
        .indexSettings(index.name(), "{\"index.number_of_replicas\": " + replicas + "}");
  }
}
