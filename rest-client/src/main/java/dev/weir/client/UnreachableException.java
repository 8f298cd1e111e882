package dev.weir.client;

import java.io.IOException;

/** Nothing answers at an address, so there is no point in further requests. */
public final class UnreachableException extends IOException {
  private static final long serialVersionUID = 1L;

  UnreachableException(String message, IOException cause) {
    super(message, cause);
  }
}
