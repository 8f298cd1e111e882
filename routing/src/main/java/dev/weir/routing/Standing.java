package dev.weir.routing;

/** In which order copies come before their scores count. */
public enum Standing {
  /** Idle and not heard from for long, or just past an ejection: gets this one request. */
  PROBED("gets one request to see how it does"),
  /** Never heard from, with room for a first request. */
  UNSEEN("never heard from: gets a first request"),
  /** Ordered by score. */
  KNOWN(""),
  /** Little known, and has as many requests as such a node may have at a time. */
  WARMING("little known yet: has as many requests as it may at a time"),
  /** Failed several times in a row. */
  EJECTED("failed several times in a row: tried last until its time is over"),
  /** Still being set up. */
  INITIALIZING("the copy is still being set up");

  private final String words;

  Standing(String words) {
    this.words = words;
  }

  /** What it means, in words; empty where the score decides. */
  public String words() {
    return words;
  }
}
