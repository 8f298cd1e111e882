package dev.weir.bluegreen.shadow;

/** Is notified of comparisons with a verdict, on the comparing thread. */
@FunctionalInterface
public interface ComparisonListener {
  /**
   * Two responses were compared.
   *
   * @param policy the name of the read's policy
   */
  void onCompared(String policy, boolean different);
}
