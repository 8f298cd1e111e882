package dev.weir.node.generation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.Index;

/**
 * The copies on this node that a gateway asks about. On the wire, after the parent task: the number
 * of indices as a vint; for each its name and its uuid as strings and the numbers of its shards as
 * an array of vints; then the names of the date fields whose ranges are wanted, as an array of
 * strings.
 */
public final class ReaderGenerationsRequest extends ActionRequest implements IndicesRequest {
  private final List<IndexShards> shardsByIndex;
  private final List<String> fields;

  /**
   * Shards of one index.
   *
   * @param shards their numbers
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record IndexShards(Index index, int[] shards) {}

  /** Reads a request. */
  public ReaderGenerationsRequest(StreamInput in) throws IOException {
    super(in);
    shardsByIndex = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      shardsByIndex.add(
          new IndexShards(new Index(in.readString(), in.readString()), in.readVIntArray()));
    }
    fields = in.readStringList();
  }

  List<IndexShards> shardsByIndex() {
    return shardsByIndex;
  }

  List<String> fields() {
    return fields;
  }

  /** Returns the number of copies. */
  int copyCount() {
    return shardsByIndex.stream().mapToInt(index -> index.shards().length).sum();
  }

  @Override
  public String[] indices() {
    return shardsByIndex.stream().map(index -> index.index().getName()).toArray(String[]::new);
  }

  @Override
  public IndicesOptions indicesOptions() {
    return IndicesOptions.LENIENT_EXPAND_OPEN;
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null;
  }
}
