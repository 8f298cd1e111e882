package dev.weir.admission.queue;

import dev.weir.model.Phase;
import dev.weir.model.Shown;
import org.jspecify.annotations.Nullable;

/** Work that shares a pool of threads on a data node, and waits apart from other work. */
public enum WorkClass {
  /** Searches: their queries and what is fetched for them. */
  SEARCH(true, 24, 30_000_000),
  /** Reads of single documents. */
  GET(false, 24, 30_000_000),
  /** Writes: machines wait for them, and longer than people do. */
  WRITE(false, 200, 1_000_000_000);

  private final boolean reported;
  private final int usual;
  private final double leastWaitNanos;

  WorkClass(boolean reported, int usual, double leastWaitNanos) {
    this.reported = reported;
    this.usual = usual;
    this.leastWaitNanos = leastWaitNanos;
  }

  /** The class of a phase; null for what takes no thread of a pool. */
  public static @Nullable WorkClass of(Phase phase) {
    return switch (phase) {
      case MATCH -> null;
      case QUERY, FETCH -> SEARCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  /** Its name for people. */
  public String label() {
    return Shown.word(this);
  }

  /** Whether nodes tell the length of their queue with their answers. */
  boolean reported() {
    return reported;
  }

  /**
   * How many requests may be waiting or under way before that means more than chance. Of a system
   * that is busy for a share p of the time so many are there for a share of p to their power, or
   * less: of 24 at 80 %, 5 in 1000 at most.
   */
  int usual() {
    return usual;
  }

  /** So few may wait for as long as it takes: nothing is refused because of them. */
  int few() {
    return usual / 2;
  }

  /** The shortest wait that anything is refused for. */
  double leastWaitNanos() {
    return leastWaitNanos;
  }
}
