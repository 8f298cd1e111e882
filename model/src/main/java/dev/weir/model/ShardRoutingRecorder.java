package dev.weir.model;

import java.util.Set;

/**
 * Records the attempts of one shard of a request, so that the gateway can explain them. Called on
 * the request's event loop.
 */
public interface ShardRoutingRecorder {
  /** Why a copy was chosen. */
  enum Reason {
    /** It ranked first. */
    BEST_SCORE,
    /** It was the only copy. */
    ONLY_COPY,
    /** It was idle, and its last measurement was too old. */
    EXPLORATION,
    /** It was ejected after several failures in a row, and the ejection is over. */
    EJECTED_PROBE,
    /** The copy before it failed. */
    RETRY,
    /** The first copy was late. */
    HEDGE
  }

  /** The result of an attempt. */
  enum Outcome {
    /** Its response was used. */
    ANSWERED,
    /** It failed. */
    FAILED,
    /** Another copy answered first. */
    SUPERSEDED,
    /** It answered, but its node was lost while the request still needed it. */
    NODE_LOST,
    /** It answered, but the request started over. */
    DISCARDED
  }

  /** Records nothing. */
  ShardRoutingRecorder NONE =
      new ShardRoutingRecorder() {
        @Override
        public void recordAttempt(String phase, String nodeId, Reason why) {}

        @Override
        public void recordOutcome(String nodeId, Outcome outcome) {}

        @Override
        public void recordRestart(Set<String> lostNodeIds) {}
      };

  /**
   * A copy was called.
   *
   * @param phase the phase of the call, such as {@code query}
   */
  void recordAttempt(String phase, String nodeId, Reason why);

  /** An attempt ended. */
  void recordOutcome(String nodeId, Outcome outcome);

  /**
   * The request starts over and discards all earlier responses.
   *
   * @param lostNodeIds the nodes whose loss is the reason
   */
  void recordRestart(Set<String> lostNodeIds);
}
