package dev.weir.protocol;

import java.time.Duration;
import java.util.Map;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * One request to one node: what to send and how to read the answer.
 *
 * @param action the transport action's name, such as {@code indices:data/read/get[s]}
 * @param payload writes the request, parent task id included; called once, on the sending channel's
 *     event loop
 * @param reader reads the answer; called on the channel's event loop
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
