package dev.weir.core.actions.authorization;

import org.opensearch.OpenSearchSecurityException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.rest.RestStatus;

/**
 * Stands in a multi-search for a search that nodes refuse. The handler of the multi-search answers
 * it with the failure. Immutable.
 */
public final class DeniedSearch extends SearchRequest {
  private final String reason;

  /**
   * Creates a refused search.
   *
   * @param reason as a node gave it for this user and these indices
   */
  DeniedSearch(String reason) {
    this.reason = reason;
  }

  /** Returns the failure that a node answers with. */
  public OpenSearchSecurityException failure() {
    return new OpenSearchSecurityException(reason, RestStatus.FORBIDDEN);
  }
}
