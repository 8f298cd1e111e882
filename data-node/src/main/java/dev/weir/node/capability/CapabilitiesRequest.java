package dev.weir.node.capability;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.core.common.io.stream.StreamInput;

/** A request without content: on the wire it is the parent task alone. */
public final class CapabilitiesRequest extends ActionRequest {
  /** Reads a request; ignores what a later gateway may append. */
  public CapabilitiesRequest(StreamInput in) throws IOException {
    super(in);
    in.skipNBytes(in.available());
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null;
  }
}
