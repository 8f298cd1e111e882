package dev.weir.gateway.http;

import dev.weir.model.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the head of every request before any byte of its body is read or kept. Called on event
 * loops, of many connections at once.
 */
public interface HeadGate {
  /** Tells nobody apart. */
  HeadGate OPEN = head -> null;

  /** Whose request it is, as far as the gate can tell; confined to the request's event loop. */
  interface Visit {
    /** Whose request it is. */
    String tenant();
  }

  /**
   * A request has come.
   *
   * @return null when there is nothing to tell of it
   */
  @Nullable Visit visit(RequestHead head);
}
