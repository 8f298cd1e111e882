package dev.weir.cluster.bounds;

import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGeneration;
import dev.weir.cluster.generation.ReaderTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.core.index.shard.ShardId;

/**
 * The bounds of one copy of a shard, as of one generation of its reader.
 *
 * @param shard the shard
 * @param nodeId the node with the copy
 * @param generation the generation that has these bounds
 * @param formats the date formats of the fields under that generation's mapping, by field; empty
 *     for the default
 * @param fields bounds by field
 */
public record CopyBounds(
    ShardId shard,
    String nodeId,
    ReaderGeneration generation,
    Map<String, String> formats,
    Map<String, DateBounds> fields) {
  public CopyBounds {
    formats = Map.copyOf(formats);
    fields = Map.copyOf(fields);
  }

  /**
   * Creates the bounds that a copy answered.
   *
   * @param wanted the fields of the question
   */
  static CopyBounds of(
      ShardId shard,
      String nodeId,
      CopyReader answer,
      List<String> wanted,
      Map<String, String> formats) {
    Map<String, DateBounds> fields = new HashMap<>();
    for (int i = 0; i < wanted.size() && i < answer.ranges().size(); i++) {
      ReaderTimes times = answer.ranges().get(i);
      String format = formats.get(wanted.get(i));
      if (times != null && format != null) {
        fields.put(wanted.get(i), new DateBounds(times.min(), times.max(), format));
      }
    }
    return new CopyBounds(shard, nodeId, answer.generation(), formats, fields);
  }
}
