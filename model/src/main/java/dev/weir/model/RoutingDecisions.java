package dev.weir.model;

/**
 * The choices of shard copies that the gateway made for a request, kept for a while for
 * explanations.
 */
public interface RoutingDecisions {
  /**
   * Returns the decisions for the client that asked for them, as bounded JSON of ASCII characters.
   */
  String toJson();
}
