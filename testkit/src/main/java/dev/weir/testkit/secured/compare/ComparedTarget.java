package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestReply;

/** One of the two sides that get each request: a node, or the gateway. */
interface ComparedTarget {
  /** Sends a request. A connection that fails gives status 0. */
  RestReply send(ComparedRequest request);

  /** Returns the body without what differs between the two or from moment to moment. */
  String comparable(RestReply reply);
}
