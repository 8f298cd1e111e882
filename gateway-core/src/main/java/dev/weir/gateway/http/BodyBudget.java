package dev.weir.gateway.http;

/**
 * Bounds the bytes that request bodies hold while they are gathered and worked on. Safe on any
 * thread; never blocks.
 */
public interface BodyBudget {

  /**
   * Takes bytes for a body.
   *
   * @return false, and nothing is taken, when they would exceed the limit
   */
  boolean tryCharge(long bytes);

  /** Gives back bytes that were taken. */
  void release(long bytes);

  /** Bytes taken now. */
  long used();

  /** The most that may be taken at once. */
  long limit();
}
