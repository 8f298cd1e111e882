package dev.weir.http.intake;

import dev.weir.model.RequestHead;

/** Chooses where a request goes. Called on event loops, once for each request. */
@FunctionalInterface
public interface DestinationSelector {
  /** Where a request of this head goes; its body may settle it. */
  Destination select(RequestHead head);
}
