package dev.weir.core.actions.warmup;

import dev.weir.core.reduce.round.SearchScope;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import dev.weir.model.NodeCallType;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.Index;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;

/**
 * Remembers some of the clients' searches: at most fifty a second of each cost class, so that a
 * request costs a read of the clock. Safe on any thread.
 */
public final class RecentSearches {
  private static final long SAMPLE_NANOS = Duration.ofMillis(20).toNanos();

  /** Of a serialized search with the filter of its aliases. */
  private static final int MAX_SEARCH_BYTES = 16 << 10;

  private static final int MAX_INDICES_PER_SEARCH = 16;

  private final SearchMemory memory;
  private final LongSupplier nanoTime;
  private final BooleanSupplier isAllowed;
  private final AtomicLongArray nextSampleNanos = new AtomicLongArray(NodeCallType.values().length);

  /** How many shapes to remember of each index; 0 to remember nothing. */
  private volatile int maxShapes;

  /**
   * Creates it without remembering anything yet.
   *
   * @param isAllowed false while searches belong to users, whose rights the gateway does not have
   */
  RecentSearches(SearchMemory memory, LongSupplier nanoTime, BooleanSupplier isAllowed) {
    this.memory = memory;
    this.nanoTime = nanoTime;
    this.isAllowed = isAllowed;
    long now = nanoTime.getAsLong();
    for (int i = 0; i < nextSampleNanos.length(); i++) {
      nextSampleNanos.set(i, now);
    }
  }

  /** Changes how many shapes are remembered of each index; 0 forgets all. */
  void setMaxShapes(int shapes) {
    maxShapes = shapes;
    if (shapes == 0) {
      memory.clear();
    }
  }

  /** Remembers a search, if it is its turn and the search can be sent again. */
  public void record(SearchScope scope) {
    int shapes = maxShapes;
    if (shapes == 0
        || !takeTurn(scope.work())
        || !isRepeatable(scope)
        || !isAllowed.getAsBoolean()) {
      return;
    }
    try {
      remember(scope, shapes);
    } catch (IOException | RuntimeException unwritable) {
      // The search itself reports it, if it matters there.
    }
  }

  private boolean takeTurn(NodeCallType work) {
    long now = nanoTime.getAsLong();
    long due = nextSampleNanos.get(work.ordinal());
    return now - due >= 0 && nextSampleNanos.compareAndSet(work.ordinal(), due, now + SAMPLE_NANOS);
  }

  private static boolean isRepeatable(SearchScope scope) {
    SearchRequest request = scope.request();
    SearchSourceBuilder source = request.source();
    return source != null
        && scope.sample() == null
        && request.scroll() == null
        && request.pointInTimeBuilder() == null
        && request.searchType() == SearchType.QUERY_THEN_FETCH
        && !source.profile()
        && source.slice() == null;
  }

  private void remember(SearchScope scope, int shapes) throws IOException {
    SearchSourceBuilder source = scope.request().source();
    BytesReference bytes = serialize(source, MAX_SEARCH_BYTES);
    long shape = SearchShape.of(source) * 31 + scope.work().ordinal();
    Map<Index, RememberedSearch> byIndex = new LinkedHashMap<>();
    for (ShardScope shard : scope.shards()) {
      Index index = shard.id().getIndex();
      if (!byIndex.containsKey(index)) {
        byIndex.put(index, createSearch(scope, index, bytes));
      }
      if (byIndex.size() == MAX_INDICES_PER_SEARCH) {
        break;
      }
    }
    byIndex.forEach((index, search) -> memory.add(index, shape, search, shapes));
  }

  private static RememberedSearch createSearch(
      SearchScope scope, Index index, BytesReference source) throws IOException {
    AliasFilter aliasFilter =
        scope.filters().aliasFilters().getOrDefault(index.getUUID(), AliasFilter.EMPTY);
    @Nullable Set<String> routing = scope.filters().routings().get(index.getName());
    return new RememberedSearch(
        source,
        scope.request().requestCache(),
        !Boolean.FALSE.equals(scope.request().allowPartialSearchResults()),
        serialize(aliasFilter, MAX_SEARCH_BYTES - source.length()),
        scope.filters().boosts().getOrDefault(index.getUUID(), 1.0f),
        routing == null ? List.of() : List.copyOf(routing));
  }

  /**
   * Writes a part of a search.
   *
   * @throws IllegalStateException if it is too large to be remembered, before it is written to its
   *     end
   */
  private static BytesReference serialize(Writeable part, int maxBytes) throws IOException {
    try (BoundedOutput bytes = new BoundedOutput(maxBytes)) {
      part.writeTo(bytes);
      return bytes.copyBytes();
    }
  }

  /** Takes so many bytes and no more. */
  private static final class BoundedOutput extends BytesStreamOutput {
    private final int maxBytes;

    BoundedOutput(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public void writeByte(byte b) {
      requireSpace(1);
      super.writeByte(b);
    }

    @Override
    public void writeBytes(byte[] from, int offset, int length) {
      requireSpace(length);
      super.writeBytes(from, offset, length);
    }

    private void requireSpace(int length) {
      if ((long) size() + length > maxBytes) {
        throw new IllegalStateException(
            "got more than " + maxBytes + " bytes (expected: a smaller search)");
      }
    }
  }
}
