package dev.weir.bluegreen.dual;

/** What became of a write on the other cluster. */
public enum DualWriteOutcome {
  /** It was done there. */
  WRITTEN("written"),
  /** The other cluster has the document already, or as a later write left it. */
  SUPERSEDED("superseded"),
  /** It was refused there. */
  FAILED("failed"),
  /** It was not done in time, as far as is known. */
  TIMED_OUT("timeout"),
  /** The cluster could not be reached, or was not tried because it did not answer lately. */
  UNREACHABLE("unreachable"),
  /** The first cluster may have done it, and did not say so: nothing was repeated. */
  UNKNOWN("unknown"),
  /** A request of which it is not known which documents it writes. */
  NOT_REPLICATED("not-replicated");

  private final String label;

  DualWriteOutcome(String label) {
    this.label = label;
  }

  /** As metrics call it. */
  public String label() {
    return label;
  }
}
