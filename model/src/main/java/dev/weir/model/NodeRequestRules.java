package dev.weir.model;

/**
 * What restricts the REST requests that a cluster's nodes take: their static settings, and their
 * heap. The gateway follows the settings when it answers in a node's place. Where nodes differ, the
 * strictest value counts. Immutable.
 *
 * @param isKnown whether at least one node has reported its settings
 * @param allowsExplicitIndex {@code rest.action.multi.allow_explicit_index}
 * @param hasDetailedErrors {@code http.detailed_errors.enabled}
 * @param checksOrigins {@code http.cors.enabled}: nodes answer or reject requests by their origin
 * @param resetsCookies {@code http.reset_cookies}: nodes delete clients' cookies
 * @param limits what a request and a response may have
 */
public record NodeRequestRules(
    boolean isKnown,
    boolean allowsExplicitIndex,
    boolean hasDetailedErrors,
    boolean checksOrigins,
    boolean resetsCookies,
    Limits limits) {

  /** A limit that nodes do not set. */
  public static final int UNLIMITED = -1;

  /** A node without any of these settings. */
  public static final NodeRequestRules DEFAULT =
      new NodeRequestRules(true, true, true, false, false, Limits.DEFAULT);

  /** No node has reported its settings: each rule is as strict as it can be. */
  public static final NodeRequestRules UNKNOWN =
      new NodeRequestRules(false, false, false, true, true, Limits.DEFAULT);

  /**
   * Bounds of sizes, in bytes.
   *
   * @param maxContentBytes {@code http.max_content_length}: a request's body, decoded
   * @param maxHeaderBytes {@code http.max_header_size}: all headers of a request
   * @param maxRequestLineBytes {@code http.max_initial_line_length}
   * @param maxWarnings {@code http.max_warning_header_count}: the deprecation warnings of a
   *     response; {@link #UNLIMITED} for any number
   * @param maxWarningBytes {@code http.max_warning_header_size}: the sum of their sizes; {@link
   *     #UNLIMITED} for any size
   * @param heapBytes the heap of a node's JVM; {@link Long#MAX_VALUE} where it is unknown
   */
  public record Limits(
      long maxContentBytes,
      long maxHeaderBytes,
      long maxRequestLineBytes,
      int maxWarnings,
      long maxWarningBytes,
      long heapBytes) {
    /** A node's defaults. */
    public static final Limits DEFAULT =
        new Limits(100 << 20, 16 << 10, 4 << 10, UNLIMITED, UNLIMITED, Long.MAX_VALUE);

    Limits strictest(Limits other) {
      return new Limits(
          Math.min(maxContentBytes, other.maxContentBytes),
          Math.min(maxHeaderBytes, other.maxHeaderBytes),
          Math.min(maxRequestLineBytes, other.maxRequestLineBytes),
          (int) smaller(maxWarnings, other.maxWarnings),
          smaller(maxWarningBytes, other.maxWarningBytes),
          Math.min(heapBytes, other.heapBytes));
    }

    private static long smaller(long one, long other) {
      if (one == UNLIMITED || other == UNLIMITED) {
        return Math.max(one, other);
      }
      return Math.min(one, other);
    }
  }

  /** Returns the strictest rules of two nodes that have reported their settings. */
  public NodeRequestRules strictest(NodeRequestRules other) {
    return new NodeRequestRules(
        isKnown && other.isKnown,
        allowsExplicitIndex && other.allowsExplicitIndex,
        hasDetailedErrors && other.hasDetailedErrors,
        checksOrigins || other.checksOrigins,
        resetsCookies || other.resetsCookies,
        limits.strictest(other.limits));
  }
}
