package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The lanes to all nodes: one for each node and class, made when first asked for and kept until the
 * node is dropped. Safe on any thread.
 */
public final class NodeLanes {
  private static final WorkClass[] CLASSES = WorkClass.values();

  private final ConcurrentHashMap<String, NodeLane[]> lanes = new ConcurrentHashMap<>();
  private final Map<WorkClass, ResponseTimes> times = new EnumMap<>(WorkClass.class);
  private final LongSupplier nanoTime;
  private volatile QueueTerms terms;
  private volatile Consumer<NodeLane> freed = lane -> {};

  NodeLanes(QueueTerms terms, LongSupplier nanoTime) {
    this.terms = terms;
    this.nanoTime = nanoTime;
    for (WorkClass work : CLASSES) {
      times.put(work, new ResponseTimes());
    }
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Tells of every call that ended. */
  void onFreed(Consumer<NodeLane> listener) {
    freed = listener;
  }

  /** Sizes lanes by other terms; what they learned stays. */
  void use(QueueTerms changed) {
    boolean alike = changed.sizesLike(terms);
    terms = changed;
    if (!alike) {
      all().forEach(lane -> lane.use(changed));
    }
  }

  ResponseTimes times(WorkClass work) {
    ResponseTimes known = times.get(work);
    if (known == null) {
      throw new IllegalStateException("got no times of " + work + " (expected: of each class)");
    }
    return known;
  }

  /** The lane of a node for a class. */
  public NodeLane lane(String nodeId, WorkClass work) {
    NodeLane[] known = lanes.get(nodeId);
    if (known == null) {
      known = lanes.computeIfAbsent(nodeId, this::newLanes);
    }
    return known[work.ordinal()];
  }

  private NodeLane[] newLanes(String nodeId) {
    NodeLane[] made = new NodeLane[CLASSES.length];
    for (WorkClass work : CLASSES) {
      made[work.ordinal()] =
          new NodeLane(nodeId, work, terms, times(work), nanoTime, lane -> freed.accept(lane));
    }
    return made;
  }

  /** Forgets every node that is not named; what is in flight there still ends. */
  void retainOnly(Set<String> nodeIds) {
    lanes.keySet().retainAll(nodeIds);
  }

  /** Forgets a node, because it was restarted; what is in flight there still ends. */
  void forget(String nodeId) {
    lanes.remove(nodeId);
  }

  /** Learns how many threads a node's pool for a class has. */
  void threads(String nodeId, WorkClass work, int threads) {
    lane(nodeId, work).threads(threads);
  }

  /** All lanes, by node and class. */
  public List<NodeLane> all() {
    List<NodeLane> all = new ArrayList<>();
    lanes.values().forEach(of -> all.addAll(List.of(of)));
    all.sort(Comparator.comparing(NodeLane::nodeId).thenComparing(NodeLane::work));
    return all;
  }
}
