package dev.weir.testkit.node;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.support.clustermanager.AcknowledgedRequest;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/** Asks for the unknown custom to be put, or removed when the value is null. */
public final class UnknownRequest extends AcknowledgedRequest<UnknownRequest> {
  private final @Nullable String value;

  UnknownRequest(@Nullable String value) {
    this.value = value;
  }

  UnknownRequest(StreamInput in) throws IOException {
    super(in);
    this.value = in.readOptionalString();
  }

  @Nullable String value() {
    return value;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    out.writeOptionalString(value);
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null;
  }
}
