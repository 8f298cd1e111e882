package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * The limiters of all nodes, and a queue for each thread pool. Safe on any thread.
 *
 * @param <T> requests
 */
public final class AdmissionQueues<T> {
  private final NodeConcurrencyLimiters limiters;
  private final Map<NodeThreadPool, AdmissionQueue<T>> queues = new EnumMap<>(NodeThreadPool.class);

  /**
   * Creates empty queues.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param weight returns the weight of a tenant by its name
   * @param decisionListener called once a request that waited is admitted or rejected; on any
   *     thread, without a lock
   */
  public AdmissionQueues(
      QueuePolicy policy,
      LongSupplier nanoTime,
      ToDoubleFunction<String> weight,
      Consumer<QueuePosition<T>> decisionListener) {
    QueueSettings newSettings = QueueSettings.of(policy);
    this.limiters = new NodeConcurrencyLimiters(newSettings, nanoTime, weight);
    for (NodeThreadPool work : NodeThreadPool.values()) {
      queues.put(
          work,
          new AdmissionQueue<>(
              work,
              newSettings.forThreadPool(work),
              new AdmissionQueue.Dependencies<>(limiters, weight, decisionListener)));
    }
    limiters.setFreedListener(limiter -> queueFor(limiter.threadPool()).onCapacityFreed(limiter));
  }

  public NodeConcurrencyLimiters limiters() {
    return limiters;
  }

  /** Returns the queue of a thread pool. */
  public AdmissionQueue<T> queueFor(NodeThreadPool work) {
    AdmissionQueue<T> queue = queues.get(work);
    if (queue == null) {
      throw new IllegalStateException("got no queue of " + work + " (expected: of each class)");
    }
    return queue;
  }

  /** Applies another policy from now on; learned limits stay. */
  public void updatePolicy(QueuePolicy policy) {
    QueueSettings newSettings = QueueSettings.of(policy);
    limiters.updateSettings(newSettings);
    queues.forEach((work, queue) -> queue.updateSettings(newSettings.forThreadPool(work)));
  }

  /** Rejects requests that waited too long. Call it every few milliseconds while requests wait. */
  public void tick() {
    queues.values().forEach(AdmissionQueue::tick);
  }

  /** Returns the number of waiting requests in all queues. */
  public int waiting() {
    int waiting = 0;
    for (AdmissionQueue<T> queue : queues.values()) {
      waiting += queue.waiting();
    }
    return waiting;
  }

  /**
   * Returns the calls in flight or reserved on all known nodes, or counted for a tenant; zero at
   * rest.
   */
  public int occupiedSlots() {
    int occupied = 0;
    for (NodeConcurrencyLimiter limiter : limiters.allLimiters()) {
      occupied += Math.max(limiter.inFlight() + limiter.reserved(), limiter.heldSlots().total());
    }
    return occupied;
  }

  /**
   * Returns the bytes of writes in flight to all known nodes, plus the number of shard requests
   * that wait for such bytes; zero at rest.
   */
  public long pendingWriteBytes() {
    long bytes = 0;
    for (NodeWriteBytesLimiter node : limiters.allWriteBytesLimiters()) {
      bytes += node.inFlightBytes() + node.waiting();
    }
    return bytes;
  }

  /** Drops all other nodes. */
  public void retainNodes(Set<String> nodeIds) {
    limiters.retainNodes(nodeIds);
    queues.values().forEach(queue -> queue.retainNodes(nodeIds));
    tick();
  }

  /** Drops a node after its restart. */
  public void forgetNode(String nodeId) {
    limiters.forgetNode(nodeId);
  }

  /**
   * Bounds the bytes of writes in flight to each node.
   *
   * @param maxBytes more than 0
   */
  public void setMaxNodeWriteBytes(long maxBytes) {
    limiters.setMaxWriteBytes(maxBytes);
  }

  /** Sets what knows which nodes can answer; without it, all can. */
  public void setNodeAvailability(NodeAvailability availability) {
    limiters.setAvailability(availability);
  }

  /** Sets the size of one of a node's thread pools. */
  public void setThreads(String nodeId, NodeThreadPool work, int threads) {
    limiters.setThreads(nodeId, work, threads);
  }
}
