package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * The lanes to all nodes and a queue for each class before them. Safe on any thread.
 *
 * @param <T> requests
 */
public final class AdmissionQueues<T> {
  private final NodeLanes lanes;
  private final Map<WorkClass, AdmissionQueue<T>> queues = new EnumMap<>(WorkClass.class);

  /**
   * Makes queues in which nothing waits.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param weight how much more than another a tenant may have; of any name
   * @param told takes a place that waited and was let in or refused; on whichever thread it
   *     happens, without a lock
   */
  public AdmissionQueues(
      QueuePolicy policy,
      LongSupplier nanoTime,
      ToDoubleFunction<String> weight,
      Consumer<Place<T>> told) {
    QueueTerms terms = QueueTerms.of(policy);
    this.lanes = new NodeLanes(terms, nanoTime);
    for (WorkClass work : WorkClass.values()) {
      queues.put(
          work,
          new AdmissionQueue<>(work, terms, new AdmissionQueue.Around<>(lanes, weight, told)));
    }
    lanes.onFreed(lane -> of(lane.work()).freed(lane));
  }

  /** The lanes to the nodes. */
  public NodeLanes lanes() {
    return lanes;
  }

  /** The queue of a class. */
  public AdmissionQueue<T> of(WorkClass work) {
    AdmissionQueue<T> queue = queues.get(work);
    if (queue == null) {
      throw new IllegalStateException("got no queue of " + work + " (expected: of each class)");
    }
    return queue;
  }

  /** Decides by another policy from now on; what was learned stays. */
  public void use(QueuePolicy policy) {
    QueueTerms terms = QueueTerms.of(policy);
    lanes.use(terms);
    queues.values().forEach(queue -> queue.use(terms));
  }

  /** Refuses what waited for too long; to be called every few milliseconds while some wait. */
  public void tick() {
    queues.values().forEach(AdmissionQueue::tick);
  }

  /** Requests that wait, of all classes. */
  public int waiting() {
    int waiting = 0;
    for (AdmissionQueue<T> queue : queues.values()) {
      waiting += queue.waiting();
    }
    return waiting;
  }

  /** Calls in flight or promised on all known nodes; zero at rest. */
  public int occupied() {
    int occupied = 0;
    for (NodeLane lane : lanes.all()) {
      occupied += lane.inFlight() + lane.promised();
    }
    return occupied;
  }

  /** Bytes of writes that all known nodes have, and pieces that wait for room; zero at rest. */
  public long writeBytes() {
    long bytes = 0;
    for (NodeBytes node : lanes.allBytes()) {
      bytes += node.underWay() + node.waiting();
    }
    return bytes;
  }

  /** Forgets nodes that are not named. */
  public void retainOnly(Set<String> nodeIds) {
    lanes.retainOnly(nodeIds);
    queues.values().forEach(queue -> queue.retainOnly(nodeIds));
    tick();
  }

  /** Forgets a node, because it was restarted. */
  public void forget(String nodeId) {
    lanes.forget(nodeId);
  }

  /**
   * Each node may have so many bytes of writes under way at once from now on.
   *
   * @param most more than 0
   */
  public void mostWriteBytes(long most) {
    lanes.mostBytes(most);
  }

  /** Learns how many threads a node's pool for a class has. */
  public void threads(String nodeId, WorkClass work, int threads) {
    lanes.threads(nodeId, work, threads);
  }
}
