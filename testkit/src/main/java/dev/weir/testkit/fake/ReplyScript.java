package dev.weir.testkit.fake;

/** Which answer each request gets; asked by the threads of all connections. */
@FunctionalInterface
public interface ReplyScript {
  /** The answer to a request. */
  FakeReply answer(FakeRequest request);

  /** The same answer to every request, handshakes included. */
  static ReplyScript always(FakeReply answer) {
    return request -> answer;
  }
}
