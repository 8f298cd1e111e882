package dev.weir.http.intake;

import dev.weir.model.RequestHead;

/** Chooses the cluster of a request. Called on event loops, once for each request. */
@FunctionalInterface
public interface DestinationSelector {
  /** Chooses by the request's headers; {@link Destination#resolveByBody} may change the choice. */
  Destination select(RequestHead head);
}
