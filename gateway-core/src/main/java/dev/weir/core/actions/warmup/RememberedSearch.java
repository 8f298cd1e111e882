package dev.weir.core.actions.warmup;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * A search that a client sent, as far as the query phase on one index needs it. Immutable; says
 * nothing about the client.
 *
 * @param source the serialized search, in the gateway's own version
 * @param requestCache whether to use the request cache; null for the index's default
 * @param allowPartialResults as in the client's search; a part of the request cache's key
 * @param aliasFilter the serialized filter of the aliases that the client named
 * @param boost the boost of the index
 * @param routing the routing values of the search
 */
record RememberedSearch(
    BytesReference source,
    @Nullable Boolean requestCache,
    boolean allowPartialResults,
    BytesReference aliasFilter,
    float boost,
    List<String> routing) {
  /** What an entry takes besides its parts of any length, in bytes. */
  private static final int OVERHEAD_BYTES = 300;

  /** Returns the heap that it takes, in bytes, roughly. */
  int heapBytes() {
    int routingBytes = routing.stream().mapToInt(value -> 2 * value.length() + 50).sum();
    return OVERHEAD_BYTES + source.length() + aliasFilter.length() + routingBytes;
  }
}
