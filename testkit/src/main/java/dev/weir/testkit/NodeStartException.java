package dev.weir.testkit;

import java.io.Serial;

/** A data node failed to start; the message says why, and what to do. */
public final class NodeStartException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1L;

  NodeStartException(String message) {
    super(message);
  }
}
