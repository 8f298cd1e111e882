package dev.weir.rest;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Detects requests that may change the cluster's metadata: indices, aliases, mappings, settings,
 * templates, pipelines, or those of plugins. An unknown request counts as a possible change. Pure.
 */
public final class MetadataChangeDetector {
  /** The endpoints of requests that only read, or that write documents. */
  private static final Set<String> NON_METADATA_ENDPOINTS =
      Set.of(
          "_analyze",
          "_async_search",
          "_asynchronous_search",
          "_bulk",
          "_cache",
          "_cat",
          "_count",
          "_create",
          "_doc",
          "_execute",
          "_explain",
          "_field_caps",
          "_flush",
          "_forcemerge",
          "_mget",
          "_ml",
          "_msearch",
          "_mtermvectors",
          "_nodes",
          "_ppl",
          "_rank_eval",
          "_refresh",
          "_render",
          "_search",
          "_search_shards",
          "_simulate",
          "_source",
          "_sql",
          "_tasks",
          "_termvectors",
          "_update",
          "_validate",
          "_weir");

  /** Search pipelines have paths below the search endpoint. */
  private static final Pattern SEARCH_PIPELINE = Pattern.compile("/+_search/+pipeline/");

  /** The endpoints of requests that write documents. */
  private static final Set<String> WRITE_ENDPOINTS = Set.of("_bulk", "_create", "_doc", "_update");

  private MetadataChangeDetector() {}

  /**
   * Returns true if a request may change metadata.
   *
   * @param method in upper case
   * @param uri path and query as sent; an endpoint with percent escapes counts as unknown
   */
  public static boolean canChangeMetadata(String method, String uri) {
    return switch (method) {
      case "GET", "HEAD", "OPTIONS", "TRACE" -> false;
      default -> !isReadOrWrite(uri);
    };
  }

  /**
   * Returns true if a request writes documents, which creates a missing index.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  public static boolean canCreateIndex(String method, String uri) {
    return switch (method) {
      case "POST", "PUT" -> hasEndpoint(uri, WRITE_ENDPOINTS);
      default -> false;
    };
  }

  private static boolean isReadOrWrite(String uri) {
    return hasEndpoint(uri, NON_METADATA_ENDPOINTS) && !SEARCH_PIPELINE.matcher(uri).lookingAt();
  }

  private static boolean hasEndpoint(String uri, Set<String> endpoints) {
    int query = uri.indexOf('?');
    int end = query < 0 ? uri.length() : query;
    int from = 0;
    while (from < end) {
      int slash = uri.indexOf('/', from);
      int to = slash < 0 ? end : Math.min(slash, end);
      if (uri.startsWith("_", from) && endpoints.contains(uri.substring(from, to))) {
        return true;
      }
      from = to + 1;
    }
    return false;
  }
}
