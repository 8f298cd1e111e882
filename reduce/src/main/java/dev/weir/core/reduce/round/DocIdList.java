package dev.weir.core.reduce.round;

import java.io.IOException;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.RankedDocs;
import org.opensearch.core.common.io.stream.StreamOutput;

/** A list of Lucene's document ids that boxes an id only on access. */
public final class DocIdList extends AbstractList<Integer> implements RandomAccess {
  private final int[] ids;

  private DocIdList(int[] ids) {
    this.ids = ids;
  }

  /**
   * Groups the documents by shard, in the order given ({@code
   * SearchPhaseController.fillDocIdsToLoad}).
   *
   * @return by shard; null for a shard without documents
   */
  public static @Nullable List<Integer>[] groupByShard(int shards, RankedDocs docs) {
    int[] counts = new int[shards];
    for (int i = 0; i < docs.size(); i++) {
      counts[docs.shardIndex(i)]++;
    }
    int[][] ids = new int[shards][];
    for (int shard = 0; shard < shards; shard++) {
      ids[shard] = new int[counts[shard]];
      counts[shard] = 0;
    }
    for (int i = 0; i < docs.size(); i++) {
      int shard = docs.shardIndex(i);
      ids[shard][counts[shard]++] = docs.docId(i);
    }
    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    @Nullable List<Integer>[] lists = new List[shards];
    for (int shard = 0; shard < shards; shard++) {
      lists[shard] = counts[shard] == 0 ? null : new DocIdList(ids[shard]);
    }
    return lists;
  }

  void writeTo(StreamOutput out) throws IOException {
    for (int id : ids) {
      out.writeVInt(id);
    }
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
