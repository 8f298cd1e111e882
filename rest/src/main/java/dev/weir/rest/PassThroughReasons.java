package dev.weir.rest;

import dev.weir.model.RequestRouter;
import java.util.Set;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.rest.RestStatus;

/**
 * The reasons in {@link dev.weir.model.PassThroughException} and in {@link
 * dev.weir.model.RequestRouter.PassThrough}, as metrics and logs show them. All modules use these
 * constants.
 */
public final class PassThroughReasons {
  /** No local handler serves this method and path. */
  public static final String NOT_COORDINATED = "not-coordinated";

  /**
   * The body names a query, an aggregation or the like that only a plugin on the nodes may know.
   */
  public static final String UNKNOWN_NAME = "unknown-name";

  /** The request uses a search pipeline. */
  public static final String SEARCH_PIPELINE = "search-pipeline";

  /** The request uses an ingest pipeline. */
  public static final String INGEST_PIPELINE = "ingest-pipeline";

  /** The request names an index of a remote cluster. */
  public static final String CROSS_CLUSTER = "cross-cluster";

  /** The request's preference names shards. */
  public static final String SHARDS_PREFERENCE = "shards-preference";

  /** The request may concern a system index, which only nodes know. */
  public static final String SYSTEM_INDEX = "system-index";

  /** The cluster state has parts that the gateway cannot read, perhaps templates. */
  public static final String UNKNOWN_TEMPLATES = "unknown-templates";

  /**
   * A script of the client runs while shards' results are merged. Only nodes know which scripts
   * they allow, and the JVM cannot stop a script that runs.
   */
  public static final String SCRIPT = "script";

  /** Nodes before 3.0 compute percentiles in another way. */
  public static final String OLD_PERCENTILES = "old-percentiles";

  /** The body exceeds the gateway's limit for one request. */
  public static final String BODY_TOO_LARGE = RequestRouter.PassThrough.LARGE_BODY;

  /**
   * A setting of the nodes restricts the request, or changes how it is carried out, and a node
   * applies it; or no node has reported its settings yet.
   */
  public static final String NODE_SETTING = "node-setting";

  /**
   * The parsed body would take more memory, or have more items, index patterns, boosts, searches
   * for inner hits or search contexts, than the gateway's limits allow.
   */
  public static final String COSTLY_BODY = "costly-body";

  /**
   * The gateway has no memory for the search, and found none while it waited
   * (admission.request-memory).
   */
  public static final String MEMORY = "memory";

  /** Nodes must authenticate the sender of the request. */
  public static final String SECURITY = "security";

  /** The gateway can't tell beforehand what a user may do with this request. */
  public static final String SECURITY_ACTION = "security-action";

  /** No node confirmed that the user may do what the request asks for. */
  public static final String SECURITY_DENIED = "security-denied";

  /** Nodes show this user only a part of the documents or fields, or by rules about attributes. */
  public static final String SECURITY_USER = "security-user";

  /** The request may concern an index that nodes protect, or too many indices to check each. */
  public static final String SECURITY_INDEX = "security-index";

  /** No node said in time who the client is, what it may do, or which rules there are. */
  public static final String SECURITY_CHECK = "security-check";

  /** The security configuration has a setting under which the gateway authorizes nothing. */
  public static final String SECURITY_RULES = "security-rules";

  /** The gateway failed on the request because of a defect; its log contains the stack trace. */
  public static final String INTERNAL_ERROR = "internal-error";

  private static final Set<String> CLIENT_CHECKS =
      Set.of(
          SECURITY,
          SECURITY_ACTION,
          SECURITY_DENIED,
          SECURITY_USER,
          SECURITY_INDEX,
          SECURITY_CHECK,
          SECURITY_RULES);

  private PassThroughReasons() {}

  /**
   * Returns whether the gateway could coordinate the request, if no node had to check the client.
   */
  static boolean isClientCheck(String reason) {
    return CLIENT_CHECKS.contains(reason);
  }

  /** Creates the error for a client that wants a response format that no node supports. */
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
