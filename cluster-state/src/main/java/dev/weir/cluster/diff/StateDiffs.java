package dev.weir.cluster.diff;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * A node's answer to the question what has changed since a state.
 *
 * @param outcome what it says
 * @param steps the steps from that state to the node's; none if nothing has changed
 */
public record StateDiffs(Outcome outcome, List<BytesArray> steps) {
  /** What an answer says; the order is that of the wire. */
  public enum Outcome {
    /** The steps are complete. */
    CHANGES,
    /** The node does not know the state, or no longer: it has to be read as a whole. */
    UNKNOWN_STATE,
    /** The node has no cluster manager, so that it may lack changes. */
    NO_CLUSTER_MANAGER
  }

  /**
   * Reads an answer: a byte with the ordinal of the outcome, the number of steps as a vint, and
   * each step as a vint with its length and its bytes.
   */
  public static StateDiffs readFrom(StreamInput in) throws IOException {
    int outcome = in.readByte();
    if (outcome < 0 || outcome >= Outcome.values().length) {
      throw new IOException(
          "got outcome " + outcome + " (expected: less than " + Outcome.values().length + ")");
    }
    List<BytesArray> steps = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      steps.add(new BytesArray(BytesReference.toBytes(in.readBytesReference())));
    }
    return new StateDiffs(Outcome.values()[outcome], steps);
  }

  /** Returns the bytes of all steps. */
  public int byteCount() {
    return steps.stream().mapToInt(BytesArray::length).sum();
  }
}
