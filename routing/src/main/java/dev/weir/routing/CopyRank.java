package dev.weir.routing;

/** In which order copies come before their scores count. */
public enum CopyRank {
  /** Idle and not heard from for long, or just past an ejection: gets this one request. */
  PROBE("gets one request to see how it does"),
  /** Never heard from, with room for a first request. */
  UNKNOWN("never heard from: gets a first request"),
  /** Ordered by score. */
  SCORED(""),
  /** Little known, and has as many requests as such a node may have at a time. */
  SLOW_START("little known yet: has as many requests as it may at a time"),
  /** Failed several times in a row. */
  EJECTED("failed several times in a row: tried last until its time is over"),
  /** Still being set up. */
  INITIALIZING("the copy is still being set up");

  private final String description;

  CopyRank(String words) {
    this.description = words;
  }

  /** What it means, in words; empty where the score decides. */
  public String description() {
    return description;
  }
}
