package dev.weir.rest;

import org.opensearch.rest.RestRequest;

/** A handler of requests whose response may have a format that no node supports. */
interface OwnFormatHandler {
  /** Returns whether a node can give the response. */
  boolean isNodeFormat(RestRequest request);
}
