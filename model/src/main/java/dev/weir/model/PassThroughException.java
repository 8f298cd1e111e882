package dev.weir.model;

/**
 * Signals that a node itself must answer the request. Thrown, or passed to a listener as the
 * failure, when the gateway cannot guarantee a response identical to a node's. Stackless. Nothing
 * was sent to any node yet.
 */
public final class PassThroughException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Creates the exception.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code search-pipeline}
   */
  public PassThroughException(String reason) {
    super(reason, null, false, false);
    this.reason = reason;
  }

  /** Returns the reason for the metrics. */
  public String reason() {
    return reason;
  }
}
