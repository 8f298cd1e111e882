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

  /** Bytes of writes that a node may have, while nobody says how many. */
  private static final long MOST_BYTES = 64L << 20;

  private final ConcurrentHashMap<String, OfNode> lanes = new ConcurrentHashMap<>();
  private final Map<WorkClass, ResponseTimes> times = new EnumMap<>(WorkClass.class);
  private final LongSupplier nanoTime;
  private volatile QueueTerms terms;
  private volatile Consumer<NodeLane> freed = lane -> {};
  private volatile long mostBytes = MOST_BYTES;

  private record OfNode(List<NodeLane> lanes, NodeBytes bytes) {}

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
    return ofNode(nodeId).lanes().get(work.ordinal());
  }

  /** What a node has under way of writes, in bytes. */
  public NodeBytes bytes(String nodeId) {
    return ofNode(nodeId).bytes();
  }

  private OfNode ofNode(String nodeId) {
    OfNode known = lanes.get(nodeId);
    return known != null ? known : lanes.computeIfAbsent(nodeId, this::newLanes);
  }

  private OfNode newLanes(String nodeId) {
    List<NodeLane> made = new ArrayList<>(CLASSES.length);
    NodeBytes bytes =
        new NodeBytes(nodeId, mostBytes, () -> freed.accept(made.get(WorkClass.WRITE.ordinal())));
    for (WorkClass work : CLASSES) {
      made.add(
          new NodeLane(
              nodeId,
              work,
              terms,
              times(work),
              work == WorkClass.WRITE ? bytes : null,
              new NodeLane.Around(nanoTime, lane -> freed.accept(lane))));
    }
    return new OfNode(made, bytes);
  }

  /** Each node may have so many bytes of writes under way from now on, at most. */
  void mostBytes(long most) {
    mostBytes = most;
    allBytes().forEach(bytes -> bytes.use(most));
  }

  /** What all nodes have under way of writes. */
  public List<NodeBytes> allBytes() {
    return lanes.values().stream()
        .map(OfNode::bytes)
        .sorted(Comparator.comparing(NodeBytes::nodeId))
        .toList();
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
    lanes.values().forEach(of -> all.addAll(of.lanes()));
    all.sort(Comparator.comparing(NodeLane::nodeId).thenComparing(NodeLane::work));
    return all;
  }
}
