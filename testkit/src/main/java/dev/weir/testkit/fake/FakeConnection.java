package dev.weir.testkit.fake;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamInput;

/** One connection of a fake node; reading is its own thread's, writing anybody's. */
public final class FakeConnection {
  private static final int MAX_FRAME_BYTES = 64 * 1024 * 1024;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  FakeConnection(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** The fake node's end. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  /** Writes bytes as they are. */
  public synchronized void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Closes in order: the peer reads what was written, then the end. */
  public void close() throws IOException {
    socket.close();
  }

  /** Closes with a reset: the peer's next read or write fails. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Whether it was closed from here. */
  boolean isClosed() {
    return socket.isClosed();
  }

  /** The next request; null at the end of the connection. Pings are skipped. */
  @Nullable FakeRequest read() throws IOException {
    while (true) {
      int first = in.read();
      if (first < 0) {
        return null;
      }
      if (first != 'E' || in.read() != 'S') {
        throw new IOException("got a frame that begins with byte " + first + " (expected: ES)");
      }
      int length = in.readInt();
      if (length != FakeFrame.PING) {
        return read(length);
      }
    }
  }

  private FakeRequest read(int length) throws IOException {
    if (length < FakeFrame.FIXED || length > MAX_FRAME_BYTES) {
      throw new IOException(
          "got a frame of " + length + " bytes (expected: 17 to " + MAX_FRAME_BYTES + ")");
    }
    long requestId = in.readLong();
    byte status = in.readByte();
    int versionId = in.readInt();
    int headerLength = in.readInt();
    byte[] header = in.readNBytes(headerLength);
    byte[] payload = in.readNBytes(length - FakeFrame.FIXED - headerLength);
    if (payload.length < length - FakeFrame.FIXED - headerLength) {
      throw new EOFException("got half a frame of " + length + " bytes");
    }
    try (StreamInput fields = new BytesArray(header).streamInput()) {
      Map<String, String> headers =
          fields.readMap(StreamInput::readString, StreamInput::readString);
      fields.readMap(StreamInput::readString, StreamInput::readStringArray);
      fields.readStringArray();
      return new FakeRequest(
          requestId, status, versionId, fields.readString(), headers, new BytesArray(payload));
    }
  }
}
