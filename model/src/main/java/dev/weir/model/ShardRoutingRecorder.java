package dev.weir.model;

import java.util.Set;

/**
 * What becomes of one shard of a request, told to whoever keeps it for a while so that it can be
 * explained. Called on the request's home.
 */
public interface ShardRoutingRecorder {
  /** Why a copy was asked. */
  enum Reason {
    /** It came first. */
    BEST_SCORE,
    /** There was no other. */
    ONLY_COPY,
    /** It was idle and had not been heard from for long. */
    EXPLORATION,
    /** It had failed several times in a row, and its time was over. */
    EJECTED_PROBE,
    /** The one before it failed. */
    RETRY,
    /** The first was late. */
    HEDGE
  }

  /** What became of a copy that was asked. */
  enum Outcome {
    /** It was answered first. */
    ANSWERED,
    /** It failed. */
    FAILED,
    /** Another copy answered first. */
    SUPERSEDED,
    /** It had answered, and was lost with what the request still needed from it. */
    NODE_LOST,
    /** It had answered, but the request started over. */
    DISCARDED
  }

  /** Nobody keeps it. */
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
   * A copy was asked.
   *
   * @param phase for what, such as {@code query}
   */
  void recordAttempt(String phase, String nodeId, Reason why);

  /** A copy that was asked has come to its end. */
  void recordOutcome(String nodeId, Outcome outcome);

  /**
   * The request starts over: no answer so far counts any more.
   *
   * @param lostNodeIds the nodes whose loss is the reason
   */
  void recordRestart(Set<String> lostNodeIds);
}
