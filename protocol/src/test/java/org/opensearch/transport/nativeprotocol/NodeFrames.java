package org.opensearch.transport.nativeprotocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;

/** Frames encoded by a node's own classes. */
public final class NodeFrames {
  private NodeFrames() {}

  /** The flags of a frame. */
  public record Marks(Version version, boolean handshake, boolean compressed) {
    /** Uncompressed, in the current version. */
    public static final Marks PLAIN = new Marks(Version.CURRENT, false, false);

    /** Compressed, in the current version. */
    public static final Marks COMPRESSED = new Marks(Version.CURRENT, false, true);
  }

  /** Encodes a request. */
  public static byte[] request(
      long id, String action, Writeable payload, Map<String, String> headers, Marks marks) {
    ThreadContext context = new ThreadContext(Settings.EMPTY);
    context.putHeader(headers);
    return bytes(
        new NativeOutboundMessage.Request(
            context,
            new String[0],
            payload,
            marks.version(),
            action,
            id,
            marks.handshake(),
            marks.compressed()));
  }

  /** Encodes a response; an error if the payload is a RemoteTransportException. */
  public static byte[] response(
      long id, Writeable payload, Map<String, List<String>> responseHeaders, Marks marks) {
    ThreadContext context = new ThreadContext(Settings.EMPTY);
    context.putHeader("X-Opaque-Id", "opäque");
    responseHeaders.forEach(
        (name, values) -> values.forEach(value -> context.addResponseHeader(name, value)));
    return bytes(
        new NativeOutboundMessage.Response(
            context,
            Set.of(),
            payload,
            marks.version(),
            id,
            marks.handshake(),
            marks.compressed()));
  }

  /** Encodes a plain response without headers. */
  public static byte[] response(long id, Writeable payload) {
    return response(id, payload, Map.of(), Marks.PLAIN);
  }

  private static byte[] bytes(NativeOutboundMessage message) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      return BytesReference.toBytes(message.serialize(out));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
