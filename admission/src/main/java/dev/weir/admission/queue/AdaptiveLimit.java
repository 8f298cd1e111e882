package dev.weir.admission.queue;

/** Adapts the limit of calls that one node may have in flight of one class. Safe on any thread. */
sealed interface AdaptiveLimit permits AimdLimit, LittlesLawLimit {
  /** The limit; always within its bounds. */
  double limit();

  /** The limit as learned; 0 before the first sample. */
  double learnedLimit();

  /** Records the first call to a node that had none in flight. */
  void onFirstCall(long now);

  /** Learns from a response. */
  void onSample(Sample answer, long now);

  /** Learns that the node rejected a call because it is full. */
  void onRejection();

  /**
   * What a response says about the node.
   *
   * @param queueSize as the node reports it; negative where it does not
   * @param inFlight calls in flight when it arrived, itself included
   * @param responseNanos its response time, 0 or more
   * @param unloadedNanos the response time of such a call on a node that is not busy; 0 while
   *     unknown
   */
  record Sample(int queueSize, int inFlight, double responseNanos, double unloadedNanos) {}
}
