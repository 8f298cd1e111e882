package dev.weir.core.reduce.hits;

import dev.weir.model.JsonBuffer;
import dev.weir.model.ZeroCopyHits;
import java.io.IOException;
import java.util.function.IntFunction;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.SearchSortValues;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * A page of plain hits that lie in the reply frames of their shards. It creates OpenSearch's hit
 * objects only on demand.
 */
public final class FrameHitPage extends PlainHits implements ZeroCopyHits {
  private static final Object[] UNSORTED = {};

  /** The fetch result of one shard. */
  public record ShardFrameHits(SearchShardTarget target, FrameHits hits) {}

  private final SearchInternals.DocPage page;
  private final @Nullable ShardFrameHits[] shards;

  /** For each hit, its index among the page's documents, then among its shard's. */
  private final int[] docs;

  private final int[] hitIndexes;
  private final Object @Nullable [][] storedSortValues;
  private final int count;

  private FrameHitPage(
      SearchInternals.DocPage page,
      @Nullable ShardFrameHits[] shards,
      int[] docs,
      int[] places,
      Object @Nullable [][] sorted,
      int count) {
    this.page = page;
    this.shards = shards;
    this.docs = docs;
    this.hitIndexes = places;
    this.storedSortValues = sorted;
    this.count = count;
  }

  /**
   * Returns the page, or null if one of its hits is not plain.
   *
   * @param shards by shard; null for a shard that failed or from which nothing was fetched
   */
  public static @Nullable FrameHitPage createIfPlain(
      SearchInternals.DocPage page, @Nullable ShardFrameHits[] shards) {
    for (ShardFrameHits shard : shards) {
      if (shard != null
          && (shard.target().getClusterAlias() != null
              || !JsonBuffer.isPlain(shard.target().getIndex()))) {
        return null;
      }
    }
    int size = page.size();
    int[] docs = new int[size];
    int[] places = new int[size];
    int[] taken = new int[shards.length];
    Object @Nullable [][] sorted = page.sortFormats() == null ? null : new Object[size][];
    int count = 0;
    for (int i = 0; i < size; i++) {
      int shard = page.shardIndex(i);
      ShardFrameHits from = shards[shard];
      if (from == null) {
        continue;
      }
      docs[count] = i;
      places[count] = taken[shard]++;
      if (places[count] >= from.hits().count()) {
        return null; // OpenSearch's own class reports the error
      }
      if (sorted != null) {
        Object[] values = formatValues(page.sortFields(i), page.sortFormats());
        if (!arePlainSortValues(values)) {
          return null;
        }
        sorted[count] = values;
      }
      count++;
    }
    FrameHitPage made = new FrameHitPage(page, shards, docs, places, sorted, count);
    return made.hasPlainScores() ? made : null;
  }

  private static Object[] formatValues(Object[] fields, DocValueFormat @Nullable [] formats) {
    return formats == null
        ? UNSORTED
        : new SearchSortValues(fields, formats).getFormattedSortValues();
  }

  private boolean hasPlainScores() {
    for (int i = 0; i < count; i++) {
      if (Float.isInfinite(score(i))) {
        return false;
      }
    }
    return true;
  }

  private ShardFrameHits shard(int i) {
    ShardFrameHits shard = shards[page.shardIndex(docs[i])];
    if (shard == null) {
      throw new IllegalStateException("got a hit of no shard (expected: of one that answered)");
    }
    return shard;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public String index(int i) {
    return shard(i).target().getIndex();
  }

  @Override
  public int idLength(int i) {
    return shard(i).hits().idLength(hitIndexes[i]);
  }

  @Override
  public void writeId(int i, JsonBuffer json) {
    shard(i).hits().writeId(hitIndexes[i], json);
  }

  @Override
  public float score(int i) {
    if (page.sortFormats() == null) {
      return page.score(docs[i]);
    }
    return page.scoreIndex() >= 0
        ? ((Number) page.sortFields(docs[i])[page.scoreIndex()]).floatValue()
        : shard(i).hits().score(hitIndexes[i]);
  }

  @Override
  public boolean locateSource(int i, BytesRef at) {
    return shard(i).hits().locateSource(hitIndexes[i], at);
  }

  @Override
  public int sourceLength(int i) {
    return shard(i).hits().sourceLength(hitIndexes[i]);
  }

  @Override
  public byte[] bytes(int i) {
    return shard(i).hits().bytes();
  }

  @Override
  public int idOffset(int i) {
    return shard(i).hits().idOffset(hitIndexes[i]);
  }

  @Override
  public int sourceOffset(int i) {
    return shard(i).hits().sourceOffset(hitIndexes[i]);
  }

  @Override
  public Object[] sortValues(int i) {
    return storedSortValues == null ? UNSORTED : storedSortValues[i];
  }

  /**
   * Creates OpenSearch's objects for the hits.
   *
   * @param readers the reader of a whole fetch result, by its number of hits
   * @param into receives the objects
   */
  void materialize(
      IntFunction<Writeable.Reader<FetchSearchResult>> readers, @Nullable SearchHit[] into)
      throws IOException {
    @Nullable FetchSearchResult[] read = new FetchSearchResult[shards.length];
    for (int i = 0; i < count; i++) {
      ShardFrameHits shard = shard(i);
      int number = page.shardIndex(docs[i]);
      FetchSearchResult all = read[number];
      if (all == null) {
        all = shard.hits().materialize(readers.apply(shard.hits().count()));
        read[number] = all;
      }
      SearchHit hit = all.hits().getHits()[hitIndexes[i]];
      hit.shard(shard.target());
      DocValueFormat[] formats = page.sortFormats();
      if (formats != null) {
        hit.sortValues(page.sortFields(docs[i]), formats);
      }
      hit.score(score(i));
      into[i] = hit;
    }
  }
}
