package dev.weir.testkit.fake;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.transport.TcpHeader;

/** A client of the transport protocol that writes its frames with OpenSearch's own header code. */
final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;

  RawClient(InetSocketAddress address) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(address);
    in = new DataInputStream(socket.getInputStream());
  }

  void send(long requestId, int status, String action, byte[] payload) throws IOException {
    try (BytesStreamOutput header = new BytesStreamOutput();
        BytesStreamOutput frame = new BytesStreamOutput()) {
      header.writeMap(
          Map.of("X-Opaque-Id", "me"), StreamOutput::writeString, StreamOutput::writeString);
      header.writeVInt(0);
      header.writeStringArray(new String[0]);
      header.writeString(action);
      TcpHeader.writeHeader(
          frame,
          requestId,
          (byte) status,
          Version.CURRENT,
          header.size() + payload.length,
          header.size());
      header.bytes().writeTo(frame);
      frame.writeBytes(payload);
      socket.getOutputStream().write(BytesReference.toBytes(frame.bytes()));
    }
  }

  /** What a response frame has. */
  record Response(long requestId, int status, BytesReference payload) {
    StreamInput stream() throws IOException {
      return payload.streamInput();
    }
  }

  Response read() throws IOException {
    if (in.readByte() != 'E' || in.readByte() != 'S') {
      throw new IOException("no frame");
    }
    int length = in.readInt();
    long requestId = in.readLong();
    byte status = in.readByte();
    int version = in.readInt();
    if (version != Version.CURRENT.id) {
      throw new IOException("got version " + version);
    }
    int headerLength = in.readInt();
    in.readNBytes(headerLength);
    return new Response(
        requestId, status, new BytesArray(in.readNBytes(length - 17 - headerLength)));
  }

  /** All bytes until the end of the connection. */
  byte[] readToEnd() throws IOException {
    return in.readAllBytes();
  }

  byte[] readBytes(int count) throws IOException {
    return in.readNBytes(count);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
