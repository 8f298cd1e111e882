package dev.weir.core.reduce.context;

/** The size of messages about the search contexts of a point in time. Stateless. */
final class PitMessageSize {
  /** A context's id and node, and what else is sent beside the id of the point in time. */
  private static final long CONTEXT_BYTES = 200;

  private PitMessageSize() {}

  /**
   * Returns about how many bytes a message takes for one context: it has the whole id of the point
   * in time, which grows with the number of contexts.
   */
  static long bytesPerContext(String pitId) {
    return CONTEXT_BYTES + pitId.length();
  }
}
