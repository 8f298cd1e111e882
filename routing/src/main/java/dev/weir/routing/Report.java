package dev.weir.routing;

/**
 * What a node piggybacked on an answer.
 *
 * @param queueSize tasks waiting; negative when not known
 * @param serviceNanos its average service time; zero or negative when not known
 */
record Report(int queueSize, long serviceNanos) {
  static final Report NOTHING = new Report(-1, -1);
}
