package dev.weir.responses.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.shard.ShardId;

/** The shards of a point in time, in the order of their ids. Immutable. */
final class PointInTime {
  private final String id;
  private final SearchContextId contexts;
  private final List<Map.Entry<ShardId, SearchContextIdForNode>> shards;

  /**
   * Reads an id.
   *
   * @throws IllegalArgumentException where it is none
   */
  PointInTime(String id, NamedWriteableRegistry writeables) {
    this.id = id;
    this.contexts = SearchContextId.decode(writeables, id);
    this.shards = new ArrayList<>(contexts.shards().entrySet());
    this.shards.sort(Map.Entry.comparingByKey(Comparator.naturalOrder()));
  }

  String id() {
    return id;
  }

  int shards() {
    return shards.size();
  }

  /** The names of its indices. */
  List<String> indices() {
    return shards.stream().map(shard -> shard.getKey().getIndexName()).distinct().toList();
  }

  /**
   * The id of what a slice is read from: one of its shards, or all. Only this gateway reads it;
   * nodes are sent the ids of their contexts alone.
   */
  String sliceId(int shard) {
    if (shard == ExportSlice.ALL_SHARDS) {
      return id;
    }
    Map<ShardId, SearchContextIdForNode> one = Map.ofEntries(shards.get(shard));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(Version.CURRENT);
      out.writeVersion(Version.CURRENT);
      out.writeMap(one, (o, key) -> key.writeTo(o), (o, context) -> context.writeTo(o));
      out.writeMap(
          contexts.aliasFilter(), StreamOutput::writeString, (o, filter) -> filter.writeTo(o));
      return Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
