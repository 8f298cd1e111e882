package dev.weir.node.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * The changes since a gateway's state. On the wire: a byte with the ordinal of the {@link Outcome},
 * the number of steps as a vint, and each step as a vint with its length and its bytes ({@link
 * StateStepWriter}).
 */
public final class StateDiffResponse extends ActionResponse {
  /** Nothing has changed in time. */
  static final StateDiffResponse UNCHANGED = new StateDiffResponse(Outcome.CHANGES, List.of());

  /** The gateway has to read the whole state. */
  static final StateDiffResponse UNKNOWN_STATE =
      new StateDiffResponse(Outcome.UNKNOWN_STATE, List.of());

  /** The node may lack changes. */
  static final StateDiffResponse NO_CLUSTER_MANAGER =
      new StateDiffResponse(Outcome.NO_CLUSTER_MANAGER, List.of());

  private final Outcome outcome;
  private final List<BytesReference> steps;

  /** What the answer says; the order is that of the wire. */
  enum Outcome {
    /** The steps lead from the gateway's state to the node's; none if nothing has changed. */
    CHANGES,
    /** The node does not know the gateway's state, or no longer. */
    UNKNOWN_STATE,
    /** The node has no cluster manager. */
    NO_CLUSTER_MANAGER
  }

  private StateDiffResponse(Outcome outcome, List<BytesReference> steps) {
    this.outcome = outcome;
    this.steps = steps;
  }

  StateDiffResponse(StreamInput in) throws IOException {
    outcome = Outcome.values()[in.readByte()];
    steps = new ArrayList<>();
    for (int left = in.readVInt(); left > 0; left--) {
      steps.add(in.readBytesReference());
    }
  }

  /** Answers with changes. */
  static StateDiffResponse of(List<BytesReference> steps) {
    return new StateDiffResponse(Outcome.CHANGES, List.copyOf(steps));
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeByte((byte) outcome.ordinal());
    out.writeVInt(steps.size());
    for (BytesReference step : steps) {
      out.writeBytesReference(step);
    }
  }
}
