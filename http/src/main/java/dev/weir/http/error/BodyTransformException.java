package dev.weir.http.error;

import io.netty.handler.codec.compression.DecompressionException;

/** Says why a body can't be what it has to become where it goes. Has no stack. */
public final class BodyTransformException extends DecompressionException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Makes one.
   *
   * @param why for the client
   */
  public BodyTransformException(String why) {
    super(why);
    this.reason = why;
  }

  /** Why, for the client. */
  public String reason() {
    return reason;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
