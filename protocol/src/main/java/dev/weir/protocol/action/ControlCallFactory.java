package dev.weir.protocol.action;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.time.Duration;
import java.util.Map;
import org.opensearch.core.common.io.stream.Writeable;

/** Creates calls that query a node about itself or the cluster, on its CONTROL channel. */
public final class ControlCallFactory {
  private ControlCallFactory() {}

  /** Creates a call on the CONTROL channel without headers. */
  public static <R> NodeCall<R> create(
      String action, Writeable request, Writeable.Reader<R> reader, Duration timeout) {
    return new NodeCall<>(action, request, reader, ChannelKind.CONTROL, Map.of(), timeout);
  }
}
