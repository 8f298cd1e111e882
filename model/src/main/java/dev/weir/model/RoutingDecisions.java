package dev.weir.model;

/** What is kept of a request's choices of copies for a while, so that they can be explained. */
public interface RoutingDecisions {
  /** What the client is told that asked, as JSON of ASCII characters, bounded. */
  String toJson();
}
