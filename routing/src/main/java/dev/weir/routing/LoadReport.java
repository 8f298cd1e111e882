package dev.weir.routing;

/**
 * The load that a node reports in a response.
 *
 * @param queueSize waiting tasks; negative if unknown
 * @param serviceNanos its average service time; zero or negative if unknown
 */
record LoadReport(int queueSize, long serviceNanos) {
  static final LoadReport NOTHING = new LoadReport(-1, -1);
}
