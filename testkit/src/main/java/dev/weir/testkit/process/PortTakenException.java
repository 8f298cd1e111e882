package dev.weir.testkit.process;

import java.io.Serial;

/** Another process listens on a port that a child process needs. */
public final class PortTakenException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1L;

  PortTakenException(int port, String use, String remedy) {
    super(
        "port "
            + port
            + " is taken (expected: free, for "
            + use
            + "): stop what listens there, or "
            + remedy);
  }
}
