package dev.weir.bluegreen.shadow;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A kind of read that can be repeated on another cluster: it changes nothing and does not depend on
 * other requests.
 */
enum ReadKind {
  /** Hits and aggregations. */
  SEARCH,
  /** Several searches. */
  MSEARCH,
  /** A number of documents. */
  COUNT,
  /** A document. */
  GET,
  /** The source of a document. */
  SOURCE,
  /** Whether there is a document: the status alone. */
  EXISTS,
  /** Several documents. */
  MGET;

  /** The name in metrics and on pages. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Determines the kind of a request from its request line.
   *
   * @param uri path and query as sent; a percent-encoded endpoint is not recognised
   * @return null for a request that is never repeated: it may write, opens a context, contains an
   *     id of a cluster or a node, or is not a known read
   */
  static @Nullable ReadKind of(String method, String uri) {
    int question = uri.indexOf('?');
    String path = question < 0 ? uri : uri.substring(0, question);
    ReadKind kind = ofPath(method, path);
    return kind != null && question >= 0 && isBoundToCluster(uri.substring(question + 1))
        ? null
        : kind;
  }

  private static @Nullable ReadKind ofPath(String method, String path) {
    boolean get = method.equals("GET");
    boolean asks = get || method.equals("POST");
    boolean head = method.equals("HEAD");
    String trimmed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    int last = trimmed.lastIndexOf('/');
    if (last < 0) {
      return null;
    }
    if (asks) {
      ReadKind many = ofSearches(trimmed, last);
      if (many != null) {
        return many;
      }
    }
    int before = trimmed.lastIndexOf('/', last - 1);
    if (before <= 0 || trimmed.indexOf('/', 1) != before) {
      return null; // not /index/endpoint/id
    }
    String endpoint = trimmed.substring(before + 1, last);
    boolean source = endpoint.equals("_source");
    if (!source && !endpoint.equals("_doc")) {
      return null;
    }
    if (head) {
      return EXISTS;
    }
    return get ? source ? SOURCE : GET : null;
  }

  /** The kind of {@code /endpoint} and {@code /index/endpoint}. */
  private static @Nullable ReadKind ofSearches(String path, int last) {
    if (last > 0 && path.lastIndexOf('/', last - 1) != 0) {
      return null;
    }
    return switch (path.substring(last + 1)) {
      case "_search" -> SEARCH;
      case "_msearch" -> MSEARCH;
      case "_count" -> COUNT;
      case "_mget" -> MGET;
      default -> null;
    };
  }

  /**
   * Whether a parameter opens a context, or selects nodes, shards or their number. An estimate from
   * some shards is not comparable between clusters with a different distribution of documents.
   */
  private static boolean isBoundToCluster(String query) {
    if (query.indexOf(';') >= 0) {
      return true; // OpenSearch separates parameters by it too
    }
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      String value = equals < 0 ? "" : parameter.substring(equals + 1);
      if (name.indexOf('%') >= 0
          || name.equals("scroll")
          || name.equals("sample")
          || name.equals("sample_shards")) {
        return true; // a percent-encoded name could be any
      }
      if (name.equals("preference") && (value.startsWith("_") || value.startsWith("%"))) {
        return true;
      }
    }
    return false;
  }
}
