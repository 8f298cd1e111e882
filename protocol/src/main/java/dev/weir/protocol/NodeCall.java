package dev.weir.protocol;

import java.time.Duration;
import java.util.Map;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * One request to one node: its payload, and the reader of its response.
 *
 * @param action the transport action's name, for example {@code indices:data/read/get[s]}
 * @param payload writes the request with its parent task id. It is called at most once, on the
 *     sending channel's event loop: within {@code send} if the caller runs on that event loop and
 *     the channel is open. Bytes that it refers to must stay valid until then, or until the call
 *     completes or is abandoned. For writes (BULK) with an event loop as executor, both happen on
 *     that event loop, so that abandoning the call there suffices
 * @param reader reads the complete response on the caller's executor, right before the handler. It
 *     is called at most once, and not if the call was abandoned before. Byte references that it
 *     reads are slices of the frame, except on CONTROL channels, where they are copies
 * @param kind the kind of channel
 * @param headers the thread context's request headers
 * @param timeout the time after which the call fails and a late response is dropped; zero for none
 */
public record NodeCall<R>(
    String action,
    Writeable payload,
    Writeable.Reader<R> reader,
    ChannelKind kind,
    Map<String, String> headers,
    Duration timeout) {
  /** Creates a call. */
  public NodeCall {
    headers = Map.copyOf(headers);
  }
}
