package dev.weir.model;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a response: the headers that nodes sent, how long the client should wait before a
 * retry, and whether shards are missing. Owned by a {@link RequestContext} and confined to its
 * event loop.
 */
public final class ResponseMetadata {
  private final @Nullable ResponseMetadata parent;
  private final Map<String, Set<String>> headers = new LinkedHashMap<>();
  private long retryAfterSeconds;
  private boolean incomplete;

  /**
   * Creates empty metadata.
   *
   * @param parent the metadata of the whole request, which collects {@code Retry-After} and missing
   *     shards of all parts; null for a whole request
   */
  ResponseMetadata(@Nullable ResponseMetadata parent) {
    this.parent = parent;
  }

  /**
   * Sets {@code Retry-After}, in seconds; the longest value given for any part of the request wins.
   */
  public void extendRetryAfter(long seconds) {
    if (parent != null) {
      parent.extendRetryAfter(seconds);
      return;
    }
    retryAfterSeconds = Math.max(retryAfterSeconds, seconds);
    Set<String> values = headers.computeIfAbsent("Retry-After", n -> new LinkedHashSet<>());
    values.clear();
    values.add(Long.toString(retryAfterSeconds));
  }

  /** Adds headers that a node sent with its response (such as Warning); drops repeated values. */
  public void addHeaders(Map<String, ? extends Iterable<String>> added) {
    added.forEach((name, values) ->
        values.forEach(
            value -> headers.computeIfAbsent(name, n -> new LinkedHashSet<>()).add(value)));
  }

  /** The headers added so far, by name; a live view that the caller may change. */
  public Map<String, Set<String>> headers() {
    return headers;
  }

  /** Records that the response lacks data of lost nodes that no other copy can provide. */
  public void markIncomplete() {
    if (parent == null) {
      incomplete = true;
    } else {
      parent.markIncomplete();
    }
  }

  /** Returns whether the response lacks data of lost nodes. */
  public boolean isIncomplete() {
    return incomplete;
  }
}
