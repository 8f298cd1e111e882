package dev.weir.gateway.history;

import dev.weir.model.CompletedRequest;

/**
 * Requests of one kind.
 *
 * @param cluster where they went; empty for none
 * @param path {@code coordinated}, {@code passthrough} or {@code local}
 * @param action such as {@code search}
 */
record Flow(String cluster, String path, String action) {
  /** Stands for further kinds. */
  static final Flow OTHER = new Flow("", "other", "other");

  static Flow of(CompletedRequest request) {
    return new Flow(request.cluster(), request.path(), request.action());
  }

  /** Whether nodes answered: the gateway's own rejections are fast and would hide the nodes. */
  boolean isAnsweredByNodes() {
    return !path.equals("local");
  }
}
