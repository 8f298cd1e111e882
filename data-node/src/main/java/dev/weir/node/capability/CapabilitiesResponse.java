package dev.weir.node.capability;

import java.io.IOException;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/** On the wire: a string with the version, then an array of strings with the names. */
public final class CapabilitiesResponse extends ActionResponse {
  private final AnnouncedCapabilities announced;

  CapabilitiesResponse(AnnouncedCapabilities announced) {
    this.announced = announced;
  }

  CapabilitiesResponse(StreamInput in) throws IOException {
    this(new AnnouncedCapabilities(in.readString(), in.readStringList()));
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeString(announced.version());
    out.writeStringCollection(announced.names());
  }
}
