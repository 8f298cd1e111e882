package dev.weir.advice.snapshot;

import java.util.List;
import java.util.Map;

/**
 * What a gateway has counted since its start.
 *
 * @param byIndex requests by the index in their path; {@code *} for paths without one
 * @param byTenant requests by tenant
 * @param nodes how the gateway sees the nodes
 * @param bounds what bounds tenants
 */
public record TrafficFacts(
    Usage byIndex, Usage byTenant, List<NodeState> nodes, TenantBounds bounds) {
  /** Nothing was counted. */
  public static final TrafficFacts NONE =
      new TrafficFacts(
          new Usage(Map.of(), 0, 0), new Usage(Map.of(), 0, 0), List.of(), TenantBounds.NONE);

  /**
   * Requests by name.
   *
   * @param top the names with the most requests
   * @param otherRequests of all other names
   * @param otherMillis the time of these
   */
  public record Usage(Map<String, Count> top, long otherRequests, long otherMillis) {
    /** Returns the requests of all names. */
    public long totalRequests() {
      return otherRequests + top.values().stream().mapToLong(Count::requests).sum();
    }

    /** Returns how many names have a hundredth of the requests at least, without {@code *}. */
    public long namesInUse() {
      long least = Math.max(1, totalRequests() / 100);
      return top.entrySet().stream()
          .filter(one -> !one.getKey().equals("*") && one.getValue().requests() >= least)
          .count();
    }

    /** Returns the time of all requests in milliseconds. */
    public long totalMillis() {
      return otherMillis + top.values().stream().mapToLong(Count::tookMillis).sum();
    }
  }

  /**
   * Requests of one name.
   *
   * @param tookMillis the sum of the times until their responses
   */
  public record Count(long requests, long tookMillis) {}

  /**
   * A node as the gateway sees it.
   *
   * @param health a word, such as {@code slow}
   * @param reason of the word
   */
  public record NodeState(String name, String health, String reason) {}
}
