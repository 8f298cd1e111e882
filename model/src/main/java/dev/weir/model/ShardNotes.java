package dev.weir.model;

import java.util.Set;

/**
 * What becomes of one shard of a request, told to whoever keeps it for a while so that it can be
 * explained. Called on the request's home.
 */
public interface ShardNotes {
  /** Why a copy was asked. */
  enum Why {
    /** It came first. */
    BEST,
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
    GIVEN_UP,
    /** It had answered, and was lost with what the request still needed from it. */
    LOST,
    /** It had answered, but the request started over. */
    DISCARDED
  }

  /** Nobody keeps it. */
  ShardNotes NONE =
      new ShardNotes() {
        @Override
        public void asked(String phase, String nodeId, Why why) {}

        @Override
        public void over(String nodeId, Outcome outcome) {}

        @Override
        public void startedOver(Set<String> lostNodeIds) {}
      };

  /**
   * A copy was asked.
   *
   * @param phase for what, such as {@code query}
   */
  void asked(String phase, String nodeId, Why why);

  /** A copy that was asked has come to its end. */
  void over(String nodeId, Outcome outcome);

  /**
   * The request starts over: no answer so far counts any more.
   *
   * @param lostNodeIds the nodes whose loss is the reason
   */
  void startedOver(Set<String> lostNodeIds);
}
