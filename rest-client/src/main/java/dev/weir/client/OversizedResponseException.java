package dev.weir.client;

import java.io.IOException;

/** A response is larger than a reader may hold: asking again does not help. */
public final class OversizedResponseException extends IOException {
  private static final long serialVersionUID = 1L;

  OversizedResponseException(long maxBytes) {
    super("got a response of more than " + maxBytes + " bytes");
  }
}
