package dev.weir.cluster.generation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.transport.TransportRequest;

/** A question to one node about its copies of shards. */
public final class ReaderGenerationsQuestion extends TransportRequest {
  /** The plugin's action that answers. */
  public static final String ACTION = "indices:data/read/weir/reader_generations";

  private final Map<Index, List<Integer>> shardsByIndex = new LinkedHashMap<>();
  private final List<String> fields;

  /**
   * Creates a question.
   *
   * @param shards without duplicates
   * @param fields the date fields whose ranges are wanted
   */
  public ReaderGenerationsQuestion(Collection<ShardId> shards, List<String> fields) {
    for (ShardId shard : shards) {
      shardsByIndex.computeIfAbsent(shard.getIndex(), index -> new ArrayList<>()).add(shard.id());
    }
    this.fields = List.copyOf(fields);
  }

  /** Returns the shards, those of an index together. */
  public List<ShardId> shards() {
    List<ShardId> shards = new ArrayList<>();
    shardsByIndex.forEach(
        (index, numbers) -> numbers.forEach(number -> shards.add(new ShardId(index, number))));
    return shards;
  }

  /**
   * Writes the payload: after the parent task the number of indices as a vint; for each its name
   * and uuid as strings and the numbers of its shards as an array of vints; then the fields as an
   * array of strings.
   */
  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    out.writeVInt(shardsByIndex.size());
    for (Map.Entry<Index, List<Integer>> index : shardsByIndex.entrySet()) {
      out.writeString(index.getKey().getName());
      out.writeString(index.getKey().getUUID());
      out.writeVIntArray(index.getValue().stream().mapToInt(Integer::intValue).toArray());
    }
    out.writeStringCollection(fields);
  }

  /**
   * Reads the answer: the id of the node's run as a string, the number of copies as a vint, then
   * each copy. A copy is a boolean, false if it has no generation now; else follow the number of
   * its reader and the versions of mapping and settings as vlongs, and the number of fields as a
   * vint. A field is a boolean, false if it has no range; else follow its least and its greatest
   * value as longs.
   *
   * @return the copies with a generation
   * @throws IOException if the answer is for other copies
   */
  public Map<ShardId, CopyReader> readAnswer(StreamInput in) throws IOException {
    String nodeRun = in.readString();
    int count = in.readVInt();
    List<ShardId> shards = shards();
    if (count != shards.size()) {
      throw new IOException("got " + count + " copies (expected: " + shards.size() + ")");
    }
    Map<ShardId, CopyReader> answers = new LinkedHashMap<>();
    for (ShardId shard : shards) {
      if (in.readBoolean()) {
        answers.put(shard, readCopy(nodeRun, in));
      }
    }
    in.skipNBytes(in.available()); // what a later plugin appends
    return answers;
  }

  private static CopyReader readCopy(String nodeRun, StreamInput in) throws IOException {
    ReaderGeneration generation =
        new ReaderGeneration(nodeRun, in.readVLong(), in.readVLong(), in.readVLong());
    List<@Nullable ReaderTimes> ranges = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      ranges.add(in.readBoolean() ? new ReaderTimes(in.readLong(), in.readLong()) : null);
    }
    return new CopyReader(generation, ranges);
  }
}
