package dev.weir.bluegreen.dual;

/** The outcome of a write on the other cluster. */
public enum DualWriteOutcome {
  /** The other cluster executed it. */
  WRITTEN("written"),
  /** The other cluster already has this or a later version of the document. */
  SUPERSEDED("superseded"),
  /** The other cluster rejected it. */
  FAILED("failed"),
  /** The other cluster did not confirm it in time. */
  TIMED_OUT("timeout"),
  /** The cluster is unreachable, or its circuit breaker is open. */
  UNREACHABLE("unreachable"),
  /** The first cluster may have executed it without a confirmation: nothing was repeated. */
  UNKNOWN("unknown"),
  /** The request writes unknown documents. */
  NOT_REPLICATED("not-replicated");

  private final String label;

  DualWriteOutcome(String label) {
    this.label = label;
  }

  /** The label in metrics. */
  public String label() {
    return label;
  }
}
