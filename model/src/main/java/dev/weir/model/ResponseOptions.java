package dev.weir.model;

/**
 * What the headers and the URI of a search request say about the response.
 *
 * @param trim the client's value of the trimming option; empty if not given
 * @param userAgent the client's user agent; empty if not given
 * @param hitParts the parts of hits that the client reads
 */
public record ResponseOptions(String trim, String userAgent, HitParts hitParts) {
  /** The parts of hits that a client reads, fewest first. */
  public enum HitParts {
    /** No part of any hit. */
    NONE,
    /** No stored fields: neither documents nor their ids. */
    NO_STORED_FIELDS,
    /** Everything except documents. */
    NO_SOURCE,
    /** Everything. */
    ALL;

    /** Returns whether this reads fewer parts than another. */
    public boolean isLessThan(HitParts other) {
      return compareTo(other) < 0;
    }
  }
}
