package dev.weir.core.coordinate;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import java.util.List;

/** How a read of one shard can be carried out, by one view of the cluster. */
public sealed interface ReadPlan {
  /**
   * By these copies, tried in this order.
   *
   * @param ordered best first; may be empty when none is active
   * @param free the first of them, where they are as good as each other
   * @param notes who keeps what becomes of it
   */
  record Copies(List<ShardCopy> ordered, List<ShardCopy> free, ShardNotes notes)
      implements ReadPlan {
    /** By these copies in this order. */
    public Copies(List<ShardCopy> ordered) {
      this(ordered, List.of(), ShardNotes.NONE);
    }
  }

  /**
   * Not at all, by this view.
   *
   * @param why what the client is told, unless a newer view says otherwise
   */
  record Impossible(Exception why) implements ReadPlan {}

  /**
   * Not at all, by any view.
   *
   * @param why what the client is told
   */
  record Refused(Exception why) implements ReadPlan {}
}
