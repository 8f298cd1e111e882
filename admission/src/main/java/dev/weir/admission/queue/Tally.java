package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What became of the requests that asked one queue to be let in. Safe on any thread. */
public final class Tally {
  private final LongAdder waited = new LongAdder();
  private final LongAdder waitedNanos = new LongAdder();
  private final Map<Key, LongAdder> refusals = new ConcurrentHashMap<>();
  private volatile String last = "";

  private record Key(String nodeId, QueueRefusal.Reason reason) {}

  /** How many were refused because of a node. */
  public record Refused(String nodeId, QueueRefusal.Reason reason, long count) {}

  void waited(long nanos) {
    waited.increment();
    waitedNanos.add(Math.max(0, nanos));
  }

  void refused(QueueRefusal refusal) {
    Key key = new Key(refusal.full().nodeId(), refusal.reason());
    refusals.computeIfAbsent(key, one -> new LongAdder()).increment();
    last = refusal.message();
  }

  /** Forgets nodes that are not named. */
  void retainOnly(Set<String> nodeIds) {
    refusals.keySet().removeIf(key -> !nodeIds.contains(key.nodeId()));
  }

  /** How many waited and were let in. */
  public long waited() {
    return waited.sum();
  }

  /** For how long these waited together. */
  public long waitedNanos() {
    return waitedNanos.sum();
  }

  /** How many were refused, by the node and the reason. */
  public List<Refused> refusals() {
    List<Refused> counts = new ArrayList<>();
    refusals.forEach(
        (key, count) -> counts.add(new Refused(key.nodeId(), key.reason(), count.sum())));
    return counts;
  }

  /** The newest refusal, as the client was told; empty for none. */
  public String last() {
    return last;
  }
}
