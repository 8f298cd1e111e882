package dev.weir.model;

/**
 * Says that this request must be answered by a node itself. Thrown, or given to a listener as the
 * failure, where the gateway can't prove that its response would be identical. Stackless; nothing
 * was sent to any node yet.
 */
public final class PassThroughException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Makes the signal.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code search-pipeline}
   */
  public PassThroughException(String reason) {
    super(reason, null, false, false);
    this.reason = reason;
  }

  /** The word for the metrics. */
  public String reason() {
    return reason;
  }
}
