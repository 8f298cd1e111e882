package dev.weir.testkit.fake;

import java.io.IOException;

/** What a fake node does about one request, on the connection's thread. */
@FunctionalInterface
public interface FakeReply {
  /**
   * Does it.
   *
   * @param connection where the request came from
   * @param request the request
   */
  void send(FakeConnection connection, FakeRequest request) throws IOException;

  /** The same, and then another. */
  default FakeReply then(FakeReply next) {
    return (connection, request) -> {
      send(connection, request);
      next.send(connection, request);
    };
  }
}
