package dev.weir.core.coordinate;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.List;

/** How a read of one shard can be carried out, by one view of the cluster. */
public sealed interface ReadPlan {
  /**
   * By these copies, tried in this order.
   *
   * @param ordered best first; may be empty when none is active
   * @param interchangeable the first of them, where they are as good as each other
   * @param notes who keeps what becomes of it
   */
  record Copies(
      List<ShardCopy> ordered, List<ShardCopy> interchangeable, ShardRoutingRecorder notes)
      implements ReadPlan {
    /** By these copies in this order. */
    public Copies(List<ShardCopy> ordered) {
      this(ordered, List.of(), ShardRoutingRecorder.NONE);
    }
  }

  /**
   * Not at all, by this view.
   *
   * @param cause what the client is told, unless a newer view says otherwise
   */
  record Unavailable(Exception cause) implements ReadPlan {}

  /**
   * Not at all, by any view.
   *
   * @param cause what the client is told
   */
  record Rejected(Exception cause) implements ReadPlan {}
}
