package dev.weir.node.state;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The state that a gateway has. On the wire, after the parent task: its uuid as a string, its term
 * and its version as vlongs, and the longest wait in milliseconds as a vlong.
 */
public final class StateDiffRequest extends ActionRequest {
  private static final long MAX_WAIT_MILLIS = TimeValue.timeValueMinutes(5).millis();

  private final String stateUuid;
  private final long term;
  private final long version;
  private final long maxWaitMillis;

  /** Reads a request. */
  public StateDiffRequest(StreamInput in) throws IOException {
    super(in);
    stateUuid = in.readString();
    term = in.readVLong();
    version = in.readVLong();
    maxWaitMillis = in.readVLong();
  }

  String stateUuid() {
    return stateUuid;
  }

  /** Returns whether the gateway has a state after the one with this term and version. */
  boolean isAfter(long otherTerm, long otherVersion) {
    return term > otherTerm || (term == otherTerm && version > otherVersion);
  }

  TimeValue maxWait() {
    return TimeValue.timeValueMillis(Math.min(maxWaitMillis, MAX_WAIT_MILLIS));
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null;
  }
}
