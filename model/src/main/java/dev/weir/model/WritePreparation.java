package dev.weir.model;

import java.util.function.Consumer;

/**
 * What a write does after it is planned, before it asks for admission and its first message to a
 * node leaves. The ids that the gateway generates are known by then. Called once, on the request's
 * event loop; does not block.
 */
@FunctionalInterface
public interface WritePreparation {
  /** Nothing. */
  WritePreparation NONE = (send, reject) -> send.run();

  /**
   * Prepares the write, then calls one of the two, at once or later, on the request's event loop.
   *
   * @param send sends the write; does nothing after a cancellation or the deadline
   * @param reject fails the write, of which nothing has been sent
   */
  void prepare(Runnable send, Consumer<Exception> reject);
}
