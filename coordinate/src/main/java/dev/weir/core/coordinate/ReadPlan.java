package dev.weir.core.coordinate;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.List;

/** How a read of one shard can be carried out, by one view of the cluster. */
public sealed interface ReadPlan {
  /**
   * Try these copies, in this order.
   *
   * @param ordered best first; may be empty when none is active
   * @param interchangeable the first of them, as far as they are equally good
   * @param notes records the attempts
   */
  record Copies(
      List<ShardCopy> ordered, List<ShardCopy> interchangeable, ShardRoutingRecorder notes)
      implements ReadPlan {
    /** Try these copies, in this order. */
    public Copies(List<ShardCopy> ordered) {
      this(ordered, List.of(), ShardRoutingRecorder.NONE);
    }
  }

  /**
   * Not possible by this view.
   *
   * @param cause the client's error, unless a newer view allows the read
   */
  record Unavailable(Exception cause) implements ReadPlan {}

  /**
   * Not possible by any view.
   *
   * @param cause the client's error
   */
  record Rejected(Exception cause) implements ReadPlan {}
}
