package dev.weir.core.actions.explain;

import dev.weir.cluster.ShardTarget;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.Standing;
import dev.weir.routing.Weighed;
import java.util.Arrays;
import java.util.List;

/**
 * The shards of a request whose copies are put in order at one moment: a node that has copies of
 * several of them is weighed once. Confined to the request's home.
 */
public final class Weighing {
  private final RequestChoices request;
  private final ReplicaSelector selector;
  private final Work work;
  private Weighed[] nodes = new Weighed[4];
  private int weighed;

  Weighing(RequestChoices request, ReplicaSelector selector, Work work) {
    this.request = request;
    this.selector = selector;
    this.work = work;
  }

  RequestChoices request() {
    return request;
  }

  Work work() {
    return work;
  }

  /**
   * A shard's copies were put in order.
   *
   * @param scored whether scores decided, where there was something to choose
   */
  public ShardNotes chose(ShardTarget target, List<ShardCopy> ordered, boolean scored) {
    if (!request.takesShard(ordered.size())) {
      return ShardNotes.NONE;
    }
    Weighed[] copies = new Weighed[ordered.size()];
    int primary = -1;
    for (int i = 0; i < copies.length; i++) {
      ShardCopy copy = ordered.get(i);
      copies[i] = weighed(copy);
      if (copy.primary()) {
        primary = i;
      }
    }
    return request.add(new ChosenShard(this, target, scored, copies, primary, request.newest()));
  }

  private Weighed weighed(ShardCopy copy) {
    for (int i = 0; i < weighed; i++) {
      Weighed known = nodes[i];
      boolean initializing = known.standing() == Standing.INITIALIZING;
      if (initializing == copy.initializing() && known.nodeId().equals(copy.nodeId())) {
        return known;
      }
    }
    Weighed fresh = selector.weigh(copy, work);
    if (weighed == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * weighed);
    }
    nodes[weighed++] = fresh;
    return fresh;
  }
}
