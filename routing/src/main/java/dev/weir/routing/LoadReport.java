package dev.weir.routing;

/**
 * What a node piggybacked on an answer.
 *
 * @param queueSize tasks waiting; negative when not known
 * @param serviceNanos its average service time; zero or negative when not known
 */
record LoadReport(int queueSize, long serviceNanos) {
  static final LoadReport NOTHING = new LoadReport(-1, -1);
}
