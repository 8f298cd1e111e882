package dev.weir.model;

/**
 * What a client wants of the answer to its searches, as far as the head of its request tells.
 *
 * @param trim what it wants left out, in its own words; empty where it does not say
 * @param userAgent what it calls itself; empty where it does not say
 * @param hitParts what it reads of hits
 */
public record ResponseOptions(String trim, String userAgent, HitParts hitParts) {
  /** How much of hits is read, the least first. */
  public enum HitParts {
    /** Not one of them. */
    NONE,
    /** Nothing that lies in stored fields: neither documents nor their ids. */
    NO_STORED_FIELDS,
    /** All but documents. */
    NO_SOURCE,
    /** All. */
    ALL;

    /** Whether this is less than another. */
    public boolean isLessThan(HitParts other) {
      return compareTo(other) < 0;
    }
  }
}
