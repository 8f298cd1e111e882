package dev.weir.http;

import io.netty.handler.codec.compression.DecompressionException;

/** Says why a body can't be what it has to become where it goes. Has no stack. */
public final class UnchangeableBodyException extends DecompressionException {
  private static final long serialVersionUID = 1L;

  private final String why;

  /**
   * Makes one.
   *
   * @param why for the client
   */
  public UnchangeableBodyException(String why) {
    super(why);
    this.why = why;
  }

  /** Why, for the client. */
  String why() {
    return why;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
