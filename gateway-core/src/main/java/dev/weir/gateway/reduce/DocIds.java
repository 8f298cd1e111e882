package dev.weir.gateway.reduce;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.Nullable;

/** Lucene's numbers of documents, which become objects only for who looks at them as such. */
final class DocIds extends AbstractList<Integer> implements RandomAccess {
  private final int[] ids;

  private DocIds(int[] ids) {
    this.ids = ids;
  }

  /**
   * Those of each shard, in the order given ({@code SearchPhaseController.fillDocIdsToLoad}).
   *
   * @return by shard; null where there are none
   */
  static @Nullable List<Integer>[] byShard(int shards, ScoreDoc[] docs) {
    int[] counts = new int[shards];
    for (ScoreDoc doc : docs) {
      counts[doc.shardIndex]++;
    }
    int[][] ids = new int[shards][];
    for (int shard = 0; shard < shards; shard++) {
      ids[shard] = new int[counts[shard]];
      counts[shard] = 0;
    }
    for (ScoreDoc doc : docs) {
      ids[doc.shardIndex][counts[doc.shardIndex]++] = doc.doc;
    }
    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    @Nullable List<Integer>[] lists = new List[shards];
    for (int shard = 0; shard < shards; shard++) {
      lists[shard] = counts[shard] == 0 ? null : new DocIds(ids[shard]);
    }
    return lists;
  }

  int id(int index) {
    return ids[index];
  }

  @Override
  public Integer get(int index) {
    return ids[index];
  }

  @Override
  public int size() {
    return ids.length;
  }
}
