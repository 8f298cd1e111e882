package dev.weir.admission.queue;

/** Knows which nodes can answer. Safe on any thread; called with the lock of a queue. */
@FunctionalInterface
public interface NodeAvailability {
  /** All nodes can answer. */
  NodeAvailability ALL_ANSWER = (nodeId, threadPool, mayTest) -> true;

  /**
   * Returns whether a node can answer a request. One that can't has capacity for that reason.
   *
   * @param mayTest whether the request may test a node that failed, if it is time for that
   */
  boolean canAnswer(String nodeId, NodeThreadPool threadPool, boolean mayTest);
}
