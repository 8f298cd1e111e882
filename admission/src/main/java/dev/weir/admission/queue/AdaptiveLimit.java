package dev.weir.admission.queue;

/** Sizes the number of calls that one node may have at once of one class. Safe on any thread. */
sealed interface AdaptiveLimit permits AimdLimit, LittlesLawLimit {
  /** The limit; always within its bounds. */
  double limit();

  /** The limit as it was learned; 0 while nothing was. */
  double learnedLimit();

  /** The first call is sent to a node that had none. */
  void onFirstCall(long now);

  /** Learns from an answer. */
  void onSample(Sample answer, long now);

  /** Learns that the node refused work because it is full. */
  void onRejection();

  /**
   * What an answer tells.
   *
   * @param queueSize as the node reports it; negative where it does not
   * @param inFlight calls under way when it came, itself among them
   * @param responseNanos what it took, 0 or more
   * @param unloadedNanos what such a call takes on a node that is not busy; 0 while not known
   */
  record Sample(int queueSize, int inFlight, double responseNanos, double unloadedNanos) {}
}
