package dev.weir.cluster;

/** Which names of indices, aliases and wildcards may be cached with a view. Stateless. */
public final class CacheableNames {
  private static final int MAX_LENGTH = 256;

  private CacheableNames() {}

  /**
   * Returns whether what is derived from names and a view may be kept for that view: date math
   * depends on the time too, and long lists would take much memory.
   */
  public static boolean areCacheable(String[] names) {
    int length = 0;
    for (String name : names) {
      length += name.length() + 1;
      if (name.indexOf('<') >= 0) {
        return false;
      }
    }
    return length <= MAX_LENGTH;
  }
}
