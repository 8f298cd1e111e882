package dev.weir.admission.queue;

/** Adapts the limit of calls in flight to one node in one thread pool. Safe on any thread. */
sealed interface AdaptiveLimit permits AimdLimit, LittlesLawLimit {
  /** Returns the limit, within the configured bounds. */
  double limit();

  /** Returns the limit as learned; 0 before the first sample. */
  double learnedLimit();

  /** Called when a call starts while the node has no other in flight. */
  void onFirstCall(long now);

  /** Learns from a response. */
  void onSample(Sample sample, long now);

  /**
   * Learns that the node rejected a call because its queue is full. Calls that were in flight
   * together count once.
   *
   * @param sentNanos when the call was sent
   */
  void onRejection(long sentNanos, long now);

  /**
   * What a response tells about the node.
   *
   * @param queueSize as the node reports it; negative if it does not
   * @param inFlight calls in flight when the response arrived, its own included
   * @param responseNanos its response time, 0 or more
   * @param unloadedNanos the response time of such a call on an unloaded node; 0 while unknown
   */
  record Sample(int queueSize, int inFlight, double responseNanos, double unloadedNanos) {}
}
