package dev.weir.rest;

import dev.weir.model.RequestRouter;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.rest.RestStatus;

/**
 * The words in {@link dev.weir.model.PassThroughException} and in {@link
 * dev.weir.model.RequestRouter.PassThrough} that metrics and logs show, so that rooms use the same
 * ones.
 */
public final class PassThroughReasons {
  /** No handler here takes this method and path. */
  public static final String NOT_COORDINATED = "not-coordinated";

  /** The body names a query, aggregation or the like that only a plugin on the nodes may know. */
  public static final String UNKNOWN_NAME = "unknown-name";

  /** A search pipeline takes part. */
  public static final String SEARCH_PIPELINE = "search-pipeline";

  /** An ingest pipeline takes part. */
  public static final String INGEST_PIPELINE = "ingest-pipeline";

  /** An index of a remote cluster is named. */
  public static final String CROSS_CLUSTER = "cross-cluster";

  /** A preference names shards. */
  public static final String SHARDS_PREFERENCE = "shards-preference";

  /** A system index may be concerned, which nodes alone know. */
  public static final String SYSTEM_INDEX = "system-index";

  /** The cluster state has parts that the gateway does not know; templates may be among them. */
  public static final String UNKNOWN_TEMPLATES = "unknown-templates";

  /** The same, and a stored script may be among them that a reduction needs. */
  public static final String STORED_SCRIPT = "stored-script";

  /** Percentiles that nodes before 3.0 work out in another way. */
  public static final String OLD_PERCENTILES = "old-percentiles";

  /** The body is larger than what the gateway gathers for one request. */
  public static final String BODY_TOO_LARGE = RequestRouter.PassThrough.LARGE_BODY;

  /** Nodes must check who sends the request. */
  public static final String SECURITY = "security";

  /** The gateway could not make sense of the request at all; its log says why. */
  public static final String INTERNAL_ERROR = "defect";

  private PassThroughReasons() {}

  /** The error for a client that asks for a response format that no node has. */
  static OpenSearchStatusException unsupportedByNodes(String form, String reason) {
    return new OpenSearchStatusException(
        "got a search that only a node can answer, because of ["
            + reason
            + "] (expected: one that the gateway coordinates, for a "
            + form
            + " answer)",
        RestStatus.NOT_ACCEPTABLE);
  }
}
