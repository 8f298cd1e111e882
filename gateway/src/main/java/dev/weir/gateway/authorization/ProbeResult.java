package dev.weir.gateway.authorization;

import org.jspecify.annotations.Nullable;

/** What a node's REST port answered to requests without credentials. */
sealed interface ProbeResult {
  /** It served them. */
  record Open() implements ProbeResult {
    static final Open SERVED = new Open();
  }

  /**
   * It asked for credentials, or sent the client to where they are asked for.
   *
   * @param status of the response
   */
  record Secured(int status) implements ProbeResult {}

  /**
   * It answered something else, which may come from what protects the port.
   *
   * @param detail what it answered, as a clause such as {@code answered 503}
   */
  record Unclear(String detail) implements ProbeResult {}

  /**
   * Nobody answered, so no request can pass through to it either.
   *
   * @param detail the failure
   */
  record Unreachable(String detail) implements ProbeResult {}

  /** Describes a result for people; null is none yet. */
  static String describe(@Nullable ProbeResult result) {
    return switch (result) {
      case null -> "not probed";
      case Open _ -> "served a request without credentials";
      case Secured(int status) -> "answered " + status;
      case Unclear(String detail) -> detail;
      case Unreachable(String detail) -> "can't be reached: " + detail;
    };
  }
}
