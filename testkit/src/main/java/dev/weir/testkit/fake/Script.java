package dev.weir.testkit.fake;

/** Which answer each request gets; asked by the threads of all connections. */
@FunctionalInterface
public interface Script {
  /** The answer to a request. */
  Answer answer(FakeRequest request);

  /** The same answer to every request, handshakes included. */
  static Script always(Answer answer) {
    return request -> answer;
  }
}
