package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * Signals that a node itself must answer the request. Thrown, or passed to a listener as the
 * failure, when the gateway cannot guarantee a response identical to a node's, or has no memory for
 * it. Stackless. Nothing that changes data was sent to any node yet.
 */
public final class PassThroughException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final transient @Nullable Exception alternative;

  /**
   * Creates the exception.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code search-pipeline}
   */
  public PassThroughException(String reason) {
    this(reason, null);
  }

  /**
   * Creates the exception of a request that the gateway could also refuse.
   *
   * @param alternative the response if the request cannot pass through; null for none
   */
  public PassThroughException(String reason, @Nullable Exception alternative) {
    super(reason, null, false, false);
    this.reason = reason;
    this.alternative = alternative;
  }

  /** Returns the reason for the metrics. */
  public String reason() {
    return reason;
  }

  /** Returns the response if the request cannot pass through; null for none. */
  public @Nullable Exception alternative() {
    return alternative;
  }
}
