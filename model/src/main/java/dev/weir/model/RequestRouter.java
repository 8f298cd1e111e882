package dev.weir.model;

/**
 * Decides by the head of a request, before its body is read, which way it goes. Pure; called on
 * event loops.
 */
@FunctionalInterface
public interface RequestRouter {
  /** The way a request goes. */
  sealed interface Way {}

  /**
   * The body is gathered and the request is coordinated by the gateway.
   *
   * @param action what it is, as {@link RequestLog#action()} shows it: {@code search}, {@code
   *     bulk}, ...
   */
  record Coordinate(String action) implements Way {}

  /**
   * The request streams through to a node's REST port.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code not-coordinated}
   */
  record PassThrough(String reason) implements Way {}

  /**
   * Chooses the way.
   *
   * @param method the method in upper case
   * @param uri path and query as sent
   */
  Way route(String method, String uri);
}
