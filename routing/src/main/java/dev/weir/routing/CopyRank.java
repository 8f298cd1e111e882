package dev.weir.routing;

/** The groups of copies, in ranking order; scores order the copies within a group. */
public enum CopyRank {
  /**
   * The node is idle without a recent response, or its ejection has just ended: it gets one
   * request.
   */
  PROBE("gets one request to see how it does"),
  /** The node has never responded and may get a first request. */
  UNKNOWN("never heard from: gets a first request"),
  /** Ranked by score. */
  SCORED(""),
  /** The node has few responses so far and already has its maximum number of requests. */
  SLOW_START("little known yet: has as many requests as it may at a time"),
  /** The node keeps standing still. */
  UNSTEADY("stands still again and again: gets one request at a time to see whether it still does"),
  /** An operator has drained the node. */
  DRAINED("drained by an operator: gets only what no other copy can answer"),
  /** The node failed several times in a row. */
  EJECTED("failed several times in a row: tried last until its time is over"),
  /** The copy is initializing. */
  INITIALIZING("the copy is still being set up");

  private final String description;

  CopyRank(String words) {
    this.description = words;
  }

  /** Returns the rank in words; empty if the score decides. */
  public String description() {
    return description;
  }
}
