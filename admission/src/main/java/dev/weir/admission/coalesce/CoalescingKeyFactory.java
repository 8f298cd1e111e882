package dev.weir.admission.coalesce;

import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.model.HttpExchange;
import dev.weir.model.NeutralHeaders;
import dev.weir.model.RequestContext;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which searches may share a response. Two searches get the same key only if everything
 * that might change the response is equal; anything unknown counts as a difference. Immutable.
 */
public final class CoalescingKeyFactory {
  private static final String SEARCH = "/_search";
  private static final String OPAQUE_ID = "x-opaque-id";
  private static final String REQUEST_ID = "x-request-id";
  private static final Pattern PLAIN_REQUEST_ID = Pattern.compile("[0-9a-f]{32}");

  /**
   * Headers that do not change the response's body, in addition to {@link NeutralHeaders}: they say
   * by which way a request came.
   */
  private static final Set<String> PATH_HEADERS =
      Set.of("host", "via", "forwarded", "x-forwarded-for", "x-forwarded-port", "x-real-ip");

  /** Parameters that keep no state on the nodes. */
  private static final Set<String> STATELESS_PARAMETERS =
      Set.of(
          "q",
          "df",
          "analyzer",
          "analyze_wildcard",
          "default_operator",
          "lenient",
          "size",
          "from",
          "sort",
          "_source",
          "_source_includes",
          "_source_excludes",
          "stored_fields",
          "docvalue_fields",
          "track_total_hits",
          "track_scores",
          "rest_total_hits_as_int",
          "typed_keys",
          "request_cache",
          "preference",
          "routing",
          "timeout",
          "terminate_after",
          "cancel_after_time_interval",
          "search_type",
          "batched_reduce_size",
          "max_concurrent_shard_requests",
          "pre_filter_shard_size",
          "allow_partial_search_results",
          "allow_no_indices",
          "expand_wildcards",
          "ignore_unavailable",
          "ignore_throttled",
          "version",
          "seq_no_primary_term",
          "explain",
          "phase_took",
          "filter_path",
          "pretty",
          "human",
          "error_trace",
          "format",
          "source",
          "source_content_type");

  private final CoalescingPolicy policy;
  private final List<Pattern> indices;

  public CoalescingKeyFactory(CoalescingPolicy policy) {
    this.policy = policy;
    this.indices = policy.indices().stream().map(CoalescingKeyFactory::pattern).toList();
  }

  private static Pattern pattern(String wildcards) {
    return Pattern.compile(
        List.of(wildcards.split("\\*", -1)).stream()
            .map(Pattern::quote)
            .collect(Collectors.joining(".*")));
  }

  public CoalescingPolicy policy() {
    return policy;
  }

  /** Returns whether the policy enables coalescing for any index. */
  public boolean isEnabled() {
    return !indices.isEmpty();
  }

  /**
   * The properties in which searches that share a response are equal, besides the cluster state
   * version.
   */
  public record CoalescingKey(String method, String uri, List<String> headers, ByteBuffer body) {}

  /**
   * Returns the key of a request; null when the request must run by itself. The key has a copy of
   * the request's body: it may stay in a map for longer than the request keeps its array.
   */
  public @Nullable CoalescingKey createKey(HttpExchange exchange) {
    if (!isEnabled()
        || !(exchange.method().equals("GET") || exchange.method().equals("POST"))
        || !isCoalescable(exchange.uri())
        || exchange.body().remaining() > policy.maxBodyBytes().bytes()) {
      return null;
    }
    List<String> headers = headers(exchange);
    return headers == null
        ? null
        : new CoalescingKey(exchange.method(), exchange.uri(), headers, copyOf(exchange.body()));
  }

  private static ByteBuffer copyOf(ByteBuffer body) {
    byte[] bytes = new byte[body.remaining()];
    body.duplicate().get(bytes);
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  private boolean isCoalescable(String uri) {
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    if (!path.startsWith("/") || !path.endsWith(SEARCH) || path.length() <= SEARCH.length() + 1) {
      return false;
    }
    return matchesIndices(path.substring(1, path.length() - SEARCH.length()))
        && (query < 0 || isStateless(uri.substring(query + 1)));
  }

  /** Returns whether every part of an index expression, as written, matches the policy. */
  private boolean matchesIndices(String expression) {
    for (String part : expression.split(",", -1)) {
      if (!isPlainName(part)
          || indices.stream().noneMatch(index -> index.matcher(part).matches())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether an index name has no percent-encoding, date math, exclusion, remote cluster or
   * API name.
   */
  private static boolean isPlainName(String index) {
    if (index.isEmpty() || index.startsWith("-") || index.startsWith("_")) {
      return false;
    }
    for (int i = 0; i < index.length(); i++) {
      if ("%<>:/+".indexOf(index.charAt(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isStateless(String query) {
    if (query.indexOf(';') >= 0) {
      return false; // OpenSearch separates parameters by it too
    }
    for (String parameter : query.split("&", -1)) {
      int end = parameter.indexOf('=');
      if (!parameter.isEmpty()
          && !STATELESS_PARAMETERS.contains(end < 0 ? parameter : parameter.substring(0, end))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the relevant headers in a fixed order; null when the request must run by itself. */
  private static @Nullable List<String> headers(HttpExchange exchange) {
    List<String> lines = new ArrayList<>();
    int opaqueIds = 0;
    int requestIds = 0;
    for (Map.Entry<String, String> header : exchange.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      opaqueIds += name.equals(OPAQUE_ID) ? 1 : 0;
      if (name.equals(REQUEST_ID)) {
        requestIds += PLAIN_REQUEST_ID.matcher(header.getValue()).matches() ? 1 : 2;
      }
      if (name.equalsIgnoreCase(RequestContext.EXPLAIN_HEADER)) {
        return null;
      }
      if (!NeutralHeaders.NAMES.contains(name) && !PATH_HEADERS.contains(name)) {
        lines.add(name + ": " + header.getValue());
      }
    }
    if (opaqueIds > 1 || requestIds > 1) {
      return null; // a node may reject it
    }
    Collections.sort(lines);
    return lines;
  }
}
