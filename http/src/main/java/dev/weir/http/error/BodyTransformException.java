package dev.weir.http.error;

import io.netty.handler.codec.compression.DecompressionException;

/** Thrown when a body can't be transformed for its destination. Has no stack trace. */
public final class BodyTransformException extends DecompressionException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  public BodyTransformException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** Returns the reason, as the client sees it. */
  public String reason() {
    return reason;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
