package dev.weir.model;

import java.util.Collection;
import java.util.Map;

/**
 * The user for whom the gateway coordinates a request on a cluster whose nodes authorize clients.
 * Confined to the request's event loop.
 */
public interface ClientIdentity {
  /** Returns the thread-context headers that name the user in every call of the request. */
  Map<String, String> transportHeaders();

  /**
   * Returns whether nodes may show the user a part of an index's documents, fields or values only.
   * What the gateway has learned about an index with other rights must not shape the response then.
   */
  boolean isRestricted();

  /**
   * Returns whether a node has confirmed, for this request, that the user may search all of these
   * indices. False for an index that nobody asked about.
   *
   * @param indices names of concrete indices
   */
  boolean canSearch(Collection<String> indices);
}
