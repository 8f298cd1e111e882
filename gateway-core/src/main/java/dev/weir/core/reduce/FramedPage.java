package dev.weir.core.reduce;

import dev.weir.core.reduce.json.PlainJson;
import dev.weir.model.HitsInPlace;
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
 * A page of plain hits that lie in the frames of their shards' answers. OpenSearch's objects are
 * made of them only for who asks for them.
 */
final class FramedPage extends PlainHits implements HitsInPlace {
  private static final Object[] UNSORTED = {};

  /** What a shard answered to the fetch phase; read by nobody if it has no hits of the page. */
  record ShardHits(SearchShardTarget target, FrameHits hits) {}

  private final SearchInternals.Page page;
  private final @Nullable ShardHits[] shards;

  /** By hit, which of the page's documents it is, and of its shard's. */
  private final int[] docs;

  private final int[] places;
  private final Object @Nullable [][] sorted;
  private final int count;

  private FramedPage(
      SearchInternals.Page page,
      @Nullable ShardHits[] shards,
      int[] docs,
      int[] places,
      Object @Nullable [][] sorted,
      int count) {
    this.page = page;
    this.shards = shards;
    this.docs = docs;
    this.places = places;
    this.sorted = sorted;
    this.count = count;
  }

  /**
   * The page; null if a hit of it is not plain.
   *
   * @param shards by shard; null for one that nothing was fetched from, or that failed
   */
  static @Nullable FramedPage of(SearchInternals.Page page, @Nullable ShardHits[] shards) {
    for (ShardHits shard : shards) {
      if (shard != null
          && (shard.target().getClusterAlias() != null
              || !PlainJson.isPlain(shard.target().getIndex()))) {
        return null;
      }
    }
    int size = page.size();
    int[] docs = new int[size];
    int[] places = new int[size];
    int[] taken = new int[shards.length];
    Object @Nullable [][] sorted = page.formats() == null ? null : new Object[size][];
    int count = 0;
    for (int i = 0; i < size; i++) {
      int shard = page.shard(i);
      ShardHits from = shards[shard];
      if (from == null) {
        continue;
      }
      docs[count] = i;
      places[count] = taken[shard]++;
      if (places[count] >= from.hits().count()) {
        return null; // OpenSearch's class tells
      }
      if (sorted != null) {
        Object[] values = values(page.fields(i), page.formats());
        if (!arePlain(values)) {
          return null;
        }
        sorted[count] = values;
      }
      count++;
    }
    FramedPage made = new FramedPage(page, shards, docs, places, sorted, count);
    return made.scoresArePlain() ? made : null;
  }

  private static Object[] values(Object[] fields, DocValueFormat @Nullable [] formats) {
    return formats == null
        ? UNSORTED
        : new SearchSortValues(fields, formats).getFormattedSortValues();
  }

  private boolean scoresArePlain() {
    for (int i = 0; i < count; i++) {
      if (Float.isInfinite(score(i))) {
        return false;
      }
    }
    return true;
  }

  private ShardHits shard(int i) {
    ShardHits shard = shards[page.shard(docs[i])];
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
    return shard(i).hits().idLength(places[i]);
  }

  @Override
  void putId(int i, PlainJson json) {
    shard(i).hits().putId(places[i], json);
  }

  @Override
  public float score(int i) {
    if (page.formats() == null) {
      return page.score(docs[i]);
    }
    return page.scoreAt() >= 0
        ? ((Number) page.fields(docs[i])[page.scoreAt()]).floatValue()
        : shard(i).hits().score(places[i]);
  }

  @Override
  boolean source(int i, BytesRef at) {
    return shard(i).hits().source(places[i], at);
  }

  @Override
  public int sourceLength(int i) {
    return shard(i).hits().sourceLength(places[i]);
  }

  @Override
  public byte[] bytes(int i) {
    return shard(i).hits().bytes();
  }

  @Override
  public int idFrom(int i) {
    return shard(i).hits().idFrom(places[i]);
  }

  @Override
  public int sourceFrom(int i) {
    return shard(i).hits().sourceFrom(places[i]);
  }

  @Override
  public Object[] sortValues(int i) {
    return sorted == null ? UNSORTED : sorted[i];
  }

  /**
   * Makes OpenSearch's objects of them.
   *
   * @param readers by the number of hits, what reads an answer as a whole
   * @param into where to put them
   */
  void fill(IntFunction<Writeable.Reader<FetchSearchResult>> readers, @Nullable SearchHit[] into)
      throws IOException {
    @Nullable FetchSearchResult[] read = new FetchSearchResult[shards.length];
    for (int i = 0; i < count; i++) {
      ShardHits shard = shard(i);
      int number = page.shard(docs[i]);
      FetchSearchResult all = read[number];
      if (all == null) {
        all = shard.hits().read(readers.apply(shard.hits().count()));
        read[number] = all;
      }
      SearchHit hit = all.hits().getHits()[places[i]];
      hit.shard(shard.target());
      DocValueFormat[] formats = page.formats();
      if (formats != null) {
        hit.sortValues(page.fields(docs[i]), formats);
      }
      hit.score(score(i));
      into[i] = hit;
    }
  }
}
