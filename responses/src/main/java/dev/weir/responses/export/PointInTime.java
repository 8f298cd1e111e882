package dev.weir.responses.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.shard.ShardId;

/** The shards of a point in time, ordered by shard id. Used by one thread. */
final class PointInTime {
  private final String id;
  private final SearchContextId contexts;
  private final List<Map.Entry<ShardId, SearchContextIdForNode>> shards;
  private byte @Nullable [] packedId;

  /**
   * Decodes an id.
   *
   * @throws IllegalArgumentException if the text is no id
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

  /** Returns the id as cursors have it, which is compressed once for all of them. */
  byte[] packedId() {
    byte[] known = packedId;
    if (known == null) {
      known = ExportCursor.packPitId(id);
      packedId = known;
    }
    return known;
  }

  int shards() {
    return shards.size();
  }

  List<String> indices() {
    return shards.stream().map(shard -> shard.getKey().getIndexName()).distinct().toList();
  }

  /**
   * Returns the id to read a slice from: for one shard, or for all. Only the gateway decodes it;
   * nodes receive only the ids of their search contexts.
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
