package dev.weir.node.generation;

import dev.weir.node.generation.CopyGeneration.DateRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * The generations of copies. On the wire: the id of the node's run as a string, the number of
 * copies as a vint, then each copy in the order of the request. A copy is a boolean, false if it
 * has no generation now; else follow the number of its reader, the version of the mapping and that
 * of the settings as vlongs, and the number of fields as a vint. A field is a boolean, false if it
 * has no range; else follow its least and its greatest value as longs, milliseconds since the
 * epoch.
 */
public final class ReaderGenerationsResponse extends ActionResponse {
  private final String nodeRun;
  private final List<@Nullable CopyGeneration> copies;

  ReaderGenerationsResponse(String nodeRun, List<@Nullable CopyGeneration> copies) {
    this.nodeRun = nodeRun;
    this.copies = copies;
  }

  ReaderGenerationsResponse(StreamInput in) throws IOException {
    nodeRun = in.readString();
    copies = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      copies.add(in.readBoolean() ? readCopy(in) : null);
    }
  }

  private static CopyGeneration readCopy(StreamInput in) throws IOException {
    long reader = in.readVLong();
    long mapping = in.readVLong();
    long settings = in.readVLong();
    List<@Nullable DateRange> ranges = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      ranges.add(in.readBoolean() ? new DateRange(in.readLong(), in.readLong()) : null);
    }
    return new CopyGeneration(reader, mapping, settings, ranges);
  }

  String nodeRun() {
    return nodeRun;
  }

  List<@Nullable CopyGeneration> copies() {
    return copies;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeString(nodeRun);
    out.writeVInt(copies.size());
    for (CopyGeneration copy : copies) {
      out.writeBoolean(copy != null);
      if (copy != null) {
        out.writeVLong(copy.reader());
        out.writeVLong(copy.mappingVersion());
        out.writeVLong(copy.settingsVersion());
        out.writeVInt(copy.ranges().size());
        for (DateRange range : copy.ranges()) {
          out.writeBoolean(range != null);
          if (range != null) {
            out.writeLong(range.min());
            out.writeLong(range.max());
          }
        }
      }
    }
  }
}
