package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one queue's decisions. Safe on any thread. */
public final class AdmissionQueueStats {
  private final LongAdder waited = new LongAdder();
  private final LongAdder waitedNanos = new LongAdder();
  private final Map<Key, LongAdder> rejections = new ConcurrentHashMap<>();
  private volatile String lastRejection = "";

  private record Key(String nodeId, QueueRejection.Reason reason) {}

  /** The number of rejections for one reason because of one node. */
  public record RejectionCount(String nodeId, QueueRejection.Reason reason, long count) {}

  void waited(long nanos) {
    waited.increment();
    waitedNanos.add(Math.max(0, nanos));
  }

  void recordRejection(QueueRejection refusal) {
    Key key = new Key(refusal.fullNode().nodeId(), refusal.reason());
    rejections.computeIfAbsent(key, one -> new LongAdder()).increment();
    lastRejection = refusal.message();
  }

  /** Drops all other nodes. */
  void retainNodes(Set<String> nodeIds) {
    rejections.keySet().removeIf(key -> !nodeIds.contains(key.nodeId()));
  }

  /** Returns the number of requests that waited and were admitted. */
  public long waited() {
    return waited.sum();
  }

  /** Returns the sum of their waits in nanoseconds. */
  public long waitedNanos() {
    return waitedNanos.sum();
  }

  /** Returns the rejections by node and reason. */
  public List<RejectionCount> rejections() {
    List<RejectionCount> counts = new ArrayList<>();
    rejections.forEach(
        (key, count) -> counts.add(new RejectionCount(key.nodeId(), key.reason(), count.sum())));
    return counts;
  }

  /** Returns the newest rejection's message; empty for none. */
  public String lastRejection() {
    return lastRejection;
  }
}
