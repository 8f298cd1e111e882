package dev.weir.core.reduce.columns;

import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.SearchSortValues;

/**
 * A page of documents as rows of their shards' columns, in the order of the hits. Used by one
 * thread.
 */
public final class ColumnPage {
  private static final Object[] UNSORTED = {};

  private final SearchInternals.DocPage page;
  private final @Nullable FetchedShard[] shards;

  /** For each row, its index among the page's documents, then among its shard's. */
  private final int[] docs;

  private final int[] places;
  private final int count;
  private boolean isMaterialized;

  /** The columns of one shard. */
  public record FetchedShard(SearchShardTarget target, ShardColumns columns) {
    /** Returns the hits that a node without the plugin returns for all rows. */
    public SearchHits toHits() {
      SearchHit[] hits = new SearchHit[columns.rows()];
      for (int i = 0; i < hits.length; i++) {
        hits[i] = columns.toHit(i);
      }
      return new SearchHits(
          hits, new TotalHits(0, TotalHits.Relation.EQUAL_TO), Float.NaN); // totals: query phase
    }
  }

  private ColumnPage(
      SearchInternals.DocPage page,
      @Nullable FetchedShard[] shards,
      int[] docs,
      int[] places,
      int count) {
    this.page = page;
    this.shards = shards;
    this.docs = docs;
    this.places = places;
    this.count = count;
  }

  /**
   * Returns the page, or null if a shard has fewer rows than the page needs.
   *
   * @param shards by shard; null for a shard that failed or from which nothing was fetched
   */
  public static @Nullable ColumnPage create(
      SearchInternals.DocPage page, @Nullable FetchedShard[] shards) {
    int size = page.size();
    int[] docs = new int[size];
    int[] places = new int[size];
    int[] taken = new int[shards.length];
    int count = 0;
    for (int i = 0; i < size; i++) {
      int shard = page.shardIndex(i);
      FetchedShard from = shards[shard];
      if (from != null) {
        docs[count] = i;
        places[count] = taken[shard]++;
        if (places[count++] >= from.columns().rows()) {
          return null; // OpenSearch's own class reports the error
        }
      }
    }
    return new ColumnPage(page, shards, docs, places, count);
  }

  /** Returns the number of rows. */
  public int count() {
    return count;
  }

  /** Returns the number of shards of the search, with those that have no rows. */
  public int shardCount() {
    return shards.length;
  }

  /** Returns the number of a row's shard. */
  public int shard(int row) {
    return page.shardIndex(docs[row]);
  }

  /** Returns the columns of a shard; null if it has no rows. */
  public @Nullable ShardColumns columns(int shard) {
    FetchedShard fetched = shards[shard];
    return fetched == null ? null : fetched.columns();
  }

  /** Returns the row of its shard's columns that a row of the page is. */
  public int place(int row) {
    return places[row];
  }

  /** Returns the name of a row's index. */
  public String index(int row) {
    return fetched(row).target().getIndex();
  }

  private FetchedShard fetched(int row) {
    FetchedShard shard = shards[shard(row)];
    if (shard == null) {
      throw new IllegalStateException("got a row of no shard (expected: of one that answered)");
    }
    return shard;
  }

  /** Returns the score of a row; NaN for none. */
  public float score(int row) {
    if (page.sortFormats() == null) {
      return page.score(docs[row]);
    }
    return page.scoreIndex() >= 0
        ? ((Number) page.sortFields(docs[row])[page.scoreIndex()]).floatValue()
        : Float.NaN;
  }

  /** Returns the sort values of a row in the format of a response. */
  public Object[] sortValues(int row) {
    DocValueFormat[] formats = page.sortFormats();
    return formats == null
        ? UNSORTED
        : new SearchSortValues(page.sortFields(docs[row]), formats).getFormattedSortValues();
  }

  /** Creates the hits of all rows; repeated calls do nothing. */
  public void materialize(@Nullable SearchHit[] into) {
    if (isMaterialized) {
      return;
    }
    isMaterialized = true;
    for (int row = 0; row < count; row++) {
      FetchedShard shard = fetched(row);
      SearchHit hit = shard.columns().toHit(places[row]);
      hit.shard(shard.target());
      DocValueFormat[] formats = page.sortFormats();
      if (formats != null) {
        hit.sortValues(page.sortFields(docs[row]), formats);
      }
      hit.score(score(row));
      into[row] = hit;
    }
  }
}
