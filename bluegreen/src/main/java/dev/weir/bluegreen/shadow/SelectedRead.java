package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;

/**
 * A sampled read and its target.
 *
 * @param responder executes it on the target
 */
record SelectedRead(
    ReadKind kind, ShadowPolicy policy, ReadSource source, Route route, Responder responder) {

  /**
   * The target of one read.
   *
   * @param uri path and query, renamed for the target
   */
  record Route(ShadowTarget target, String uri) {}

  /** What executes a shadow read on the other cluster. */
  enum Responder {
    /** The gateway, or a node for requests that only a node can answer. */
    EITHER,
    /** Only the gateway: the format of a node's response would differ. */
    GATEWAY,
    /** A node, as on the first cluster. */
    NODE
  }

  SelectedRead withResponder(Responder other) {
    return new SelectedRead(kind, policy, source, route, other);
  }

  /** Returns the longest body of a request or a response that is copied, in bytes. */
  int maxBodyBytes() {
    return Math.toIntExact(policy.maxBodyBytes().bytes());
  }
}
