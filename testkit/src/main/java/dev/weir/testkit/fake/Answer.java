package dev.weir.testkit.fake;

import java.io.IOException;

/** What a fake node does about one request, on the connection's thread. */
@FunctionalInterface
public interface Answer {
  /**
   * Does it.
   *
   * @param connection where the request came from
   * @param request the request
   */
  void give(FakeConnection connection, FakeRequest request) throws IOException;

  /** The same, and then another. */
  default Answer then(Answer next) {
    return (connection, request) -> {
      give(connection, request);
      next.give(connection, request);
    };
  }
}
