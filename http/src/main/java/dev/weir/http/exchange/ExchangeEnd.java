package dev.weir.http.exchange;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the steps of an exchange's end. They give back memory, permits and timers, so each runs
 * whatever the ones before it throw. Called on the exchange's event loop.
 */
final class ExchangeEnd {
  private static final Logger LOG = LoggerFactory.getLogger(ExchangeEnd.class);

  /** One step; a lambda that captures nothing, so that the end of a request allocates nothing. */
  @FunctionalInterface
  interface Step<T> {
    void run(T part, boolean complete);
  }

  private ExchangeEnd() {}

  /**
   * Ends a part of an exchange, and logs what that throws.
   *
   * @param part null for none
   * @param complete whether the whole response has left
   */
  static <T> void run(@Nullable T part, boolean complete, Step<T> step) {
    if (part == null) {
      return;
    }
    try {
      step.run(part, complete);
    } catch (Throwable e) { // errors too: the other parts hold something as well
      LOG.error("can't end {}", part.getClass().getName(), e);
    }
  }
}
