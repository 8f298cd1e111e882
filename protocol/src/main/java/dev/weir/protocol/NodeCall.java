package dev.weir.protocol;

import java.time.Duration;
import java.util.Map;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * One request to one node: what to send and how to read the answer.
 *
 * @param action the transport action's name, such as {@code indices:data/read/get[s]}
 * @param payload writes the request, parent task id included; called once at most, on the sending
 *     channel's event loop: within {@code send} when that is the home and connected. Bytes it
 *     refers to must stay valid until then or until the call was completed or forgotten; for writes
 *     (BULK) with an event loop as home both happen on that loop, so that forgetting on it is
 *     enough
 * @param reader reads the answer to its end; called on the channel's event loop. Byte references it
 *     reads are slices of the frame, except on CONTROL channels, where they are copies
 * @param kind which channel
 * @param headers thread-context request headers
 * @param timeout after which the call fails and a late answer is dropped; zero for none
 */
public record NodeCall<R>(
    String action,
    Writeable payload,
    Writeable.Reader<R> reader,
    ChannelKind kind,
    Map<String, String> headers,
    Duration timeout) {}
