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
  private final NodeConcurrencyLimiters limiters;
  private final Map<NodeThreadPool, AdmissionQueue<T>> queues = new EnumMap<>(NodeThreadPool.class);

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
      Consumer<QueuePosition<T>> told) {
    QueueSettings terms = QueueSettings.of(policy);
    this.limiters = new NodeConcurrencyLimiters(terms, nanoTime);
    for (NodeThreadPool work : NodeThreadPool.values()) {
      queues.put(
          work,
          new AdmissionQueue<>(
              work, terms, new AdmissionQueue.Dependencies<>(limiters, weight, told)));
    }
    limiters.setFreedListener(lane -> queueFor(lane.threadPool()).onCapacityFreed(lane));
  }

  /** The lanes to the nodes. */
  public NodeConcurrencyLimiters limiters() {
    return limiters;
  }

  /** The queue of a class. */
  public AdmissionQueue<T> queueFor(NodeThreadPool work) {
    AdmissionQueue<T> queue = queues.get(work);
    if (queue == null) {
      throw new IllegalStateException("got no queue of " + work + " (expected: of each class)");
    }
    return queue;
  }

  /** Decides by another policy from now on; what was learned stays. */
  public void updatePolicy(QueuePolicy policy) {
    QueueSettings terms = QueueSettings.of(policy);
    limiters.updateSettings(terms);
    queues.values().forEach(queue -> queue.updateSettings(terms));
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
  public int occupiedSlots() {
    int occupied = 0;
    for (NodeConcurrencyLimiter lane : limiters.allLimiters()) {
      occupied += lane.inFlight() + lane.reserved();
    }
    return occupied;
  }

  /** Bytes of writes that all known nodes have, and pieces that wait for room; zero at rest. */
  public long pendingWriteBytes() {
    long bytes = 0;
    for (NodeWriteBytesLimiter node : limiters.allWriteBytesLimiters()) {
      bytes += node.inFlightBytes() + node.waiting();
    }
    return bytes;
  }

  /** Forgets nodes that are not named. */
  public void retainNodes(Set<String> nodeIds) {
    limiters.retainNodes(nodeIds);
    queues.values().forEach(queue -> queue.retainNodes(nodeIds));
    tick();
  }

  /** Forgets a node, because it was restarted. */
  public void forgetNode(String nodeId) {
    limiters.forgetNode(nodeId);
  }

  /**
   * Each node may have so many bytes of writes under way at once from now on.
   *
   * @param most more than 0
   */
  public void setMaxNodeWriteBytes(long most) {
    limiters.setMaxWriteBytes(most);
  }

  /** Learns how many threads a node's pool for a class has. */
  public void setThreads(String nodeId, NodeThreadPool work, int threads) {
    limiters.setThreads(nodeId, work, threads);
  }
}
